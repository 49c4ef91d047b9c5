"""Prints and parses numbers with their units.

Times are seconds inside Python unless a name says `_ns`; rates are per second; sizes are bytes.
"""

from __future__ import annotations

import math
import re
from functools import lru_cache

_DURATION = {
    "ns": 1e-9,
    "us": 1e-6,
    "µs": 1e-6,
    "ms": 1e-3,
    "s": 1.0,
    "m": 60.0,
    "min": 60.0,
    "h": 3600.0,
}
_SIZE = {"B": 1, "KiB": 1024, "MiB": 1024**2, "GiB": 1024**3}
_NUMBER_AND_UNIT = re.compile(r"\s*([0-9]+(?:_[0-9]+)*(?:\.[0-9]+)?)\s*([a-zµ]*)\s*")
_NUMBER_AND_PERCENT = re.compile(r"([0-9]+(?:\.[0-9]+)?|\.[0-9]+)\s*(%)?")
NUMBER = r"[0-9]+(?:_[0-9]+)*(?:\.[0-9]+)?(?:e[+-]?[0-9]{1,2}|[kKM])?"
"""The pattern of a number as it is typed: `5000`, `5_000`, `5k`, `2.5M`, `5e3`."""
RATE = rf"{NUMBER}(?:/s)?"
"""The pattern of a rate as it is typed: a number, with or without `/s`."""
LOWEST_RATE, HIGHEST_RATE = 0.001, 100_000_000.0
"""The bounds of a rate per second; the highest is that of the engine."""
_NUMBER = re.compile(r"([0-9_]+)(?:\.([0-9]+))?(?:e([+-]?[0-9]+)|([kKM]))?")
_POWERS = {"k": 3, "K": 3, "M": 6, None: 0}
_MOST_DIGITS = 40
_UNIT = re.compile(r"[^0-9.,]+$")
_TINY, _HUGE = 1e-12, 1e15
_ALL, _LONGEST = 100, 12
_SIDES_DIFFER = 0.1


def parse_number(text: str) -> int | float:
    """Parse a number such as `5000`, `5_000`, `5k`, `2.5M` or `5e3`: exactly, if it is whole.

    One with more than 80 digits is infinite. Raises ValueError with what was expected.
    """
    text = text.strip()
    match = _NUMBER.fullmatch(text) if re.fullmatch(NUMBER, text) else None
    if match is None:
        raise ValueError("expected a number such as `5000`, `5k` or `5e3`")
    fraction = (match[2] or "")[:_MOST_DIGITS]
    digits = (match[1].replace("_", "") + fraction).lstrip("0")
    if len(digits) > 2 * _MOST_DIGITS:
        return math.inf
    power = int(match[3] or 0) + _POWERS[match[4]] - len(fraction)
    whole, scale = int(digits or "0"), int(10 ** abs(power))
    return whole * scale if power >= 0 else whole / scale


def parse_rate(text: str, least: float = LOWEST_RATE) -> float:
    """Parse a rate per second such as `5000`, `5_000`, `5k` or `5000/s`.

    Raises ValueError with what was expected, also for one below `least` or above the highest.
    """
    try:
        rate = float(parse_number(text.strip().removesuffix("/s")))
    except ValueError:
        raise ValueError("expected a rate per second such as `5000`, `5k` or `5000/s`") from None
    if not least <= rate <= HIGHEST_RATE:
        raise ValueError(f"expected a rate per second from {least:g} to {HIGHEST_RATE:,.0f}")
    return rate


def parse_duration(text: str) -> float:
    """Parse a duration such as `10s`, `250ms` or `1.5m` into seconds; a bare number is seconds.

    Raises ValueError with what was expected.
    """
    match = _NUMBER_AND_UNIT.fullmatch(text)
    scale = None if match is None else _DURATION.get(match.group(2) or "s")
    if match is None or scale is None:
        raise ValueError("expected a time such as `10s`, `250ms` or `2m`")
    return float(match.group(1)) * scale


def parse_share(text: str) -> float:
    """Parse a share such as `3%` or `0.03`. Raises ValueError with what was expected."""
    match = _NUMBER_AND_PERCENT.fullmatch(text.strip())
    if match is None:
        raise ValueError("expected a share such as `3%` or `0.03`")
    return float(match[1]) / (100 if match[2] else 1)


def duration(seconds: float, digits: int = 3) -> str:
    """Format a time with so many significant digits and a suitable unit: `1.23 ms`."""
    if math.isnan(seconds):
        return "–"
    for unit, scale in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if abs(_round(seconds / scale, digits)) >= 1:
            return f"{significant(seconds / scale, digits)} {unit}"
    return f"{significant(seconds / 1e-9, digits)} ns" if seconds else "0 s"


def roughly(seconds: float) -> str:
    """A time as a guess: `45 s`, `1 min 30 s`, `14 min`, `1 h 20 min`."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    if seconds < 595:
        minutes, rest = divmod(round(seconds / 10) * 10, 60)
        return f"{minutes} min {rest} s" if rest else f"{minutes} min"
    hours, minutes = divmod(round(seconds / 60), 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min"


def counted(count: int, noun: str, plural: str | None = None) -> str:
    """A count with its noun: `1 call`, `1,800 calls`."""
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"


def list_items(text: str) -> list[str]:
    """The items of a list in words, such as the languages `C, Perl, Python`."""
    return [item for one in text.split(",") if (item := one.strip())]


def rate(per_second: float) -> str:
    """Format a rate: `12,300/s`."""
    return f"{significant(per_second)}/s"


def bytes_per_s(value: float) -> str:
    """Bytes per second, in millions: `48.2 MB/s`."""
    return f"{significant(value * 1e-6)} MB/s"


def microseconds(seconds: float) -> str:
    """A time always in microseconds, so that columns compare at a glance: `1,230 µs`."""
    return f"{significant(seconds * 1e6)} µs"


def plain(value: float) -> str:
    """A number without an exponent, to six decimals: `1,250`, `0.5`."""
    return f"{value:,.6f}".rstrip("0").rstrip(".")


def span(low: str, high: str) -> str:
    """Two numbers with a shared unit given once: `10.1 to 10.4 µs`."""
    unit = _UNIT.search(high)
    return f"{low.removesuffix(unit[0]) if unit else low} to {high}"


def size(count: float) -> str:
    """Format a size in binary units: `48.2 MiB`."""
    larger = ("GiB", "MiB", "KiB")
    unit = next((u for u in larger if abs(_round(count / _SIZE[u], 3)) >= 1), "B")
    return f"{significant(count / _SIZE[unit])} {unit}"


def percent(share: float, digits: int = 3) -> str:
    """Format a share of one as a percentage: `0.12 %`; only all of it is `100 %`."""
    if not share:
        return "0 %"
    text = significant(share * 100, digits)
    while 0 < share < 1 and float(text) >= _ALL and digits < _LONGEST:
        digits += 1
        text = significant(share * 100, digits)
    return f"{text} %"


def times(ratio: float) -> str:
    """A ratio: `0.86×`, `3.53×`, `0.071×`, `128×`; only equal values are `1.00×`."""
    if 0.1 <= ratio < 9.995:
        places = 2
        while ratio != 1 and places < _LONGEST and float(f"{ratio:.{places}f}") == 1:
            places += 1
        return f"{ratio:.{places}f}×"
    return f"{significant(ratio, 2 if ratio < 0.1 else 3)}×"


def detectable(share: float, of: str = "", *, drop: bool) -> str:
    """The relative differences that would show: `7.04 % or more`; from twice as much on, the ratios
    on both sides: `3.0× or more (0.33× or less)`.

    `share` is that of an increase; the drop by the same ratio is a smaller share. `drop`: less of
    this number is worse, so the drop is given from 10 % on, where both differ by more than a tenth:
    `a drop of 31.5 % or more`. `of` begins all others: `a change of `.
    """
    if drop and _SIDES_DIFFER <= share < 1:
        return f"a drop of {percent(share / (1 + share))} or more"
    if share < 1:
        return f"{of}{percent(share)} or more"
    return f"{of}{significant(1 + share, 2)}× or more ({significant(1 / (1 + share), 2)}× or less)"


def article(number: str) -> str:
    """`a` or `an`, as the number is spoken: `a 12 %`, `an 8.2 %`, `an 11,000`, `a 110`."""
    spoken = re.match(r"[\d,]*", number)
    digits = spoken[0].replace(",", "") if spoken else ""
    first = digits[: (len(digits) - 1) % 3 + 1]
    return "an" if first.startswith("8") or first in ("11", "18") else "a"


def confidence(level: float) -> str:
    """A confidence level, never rounded to certainty: `95 %`, `97.5 %`, `99.991 %`."""
    decimals = max(1, math.ceil(-math.log10(max(1 - level, _TINY))) - 2)
    return f"{level * 100:.{decimals}f}".removesuffix(".0") + " %"


@lru_cache(maxsize=4096)
def significant(value: float, digits: int = 3) -> str:
    """A number with so many significant digits, thousands separated: `12,300`, `0.0712`.

    Only a number that no measurement can have is in exponent form.
    """
    if not math.isfinite(value) or value == 0:
        return "0" if value == 0 else str(value)
    if not _TINY <= abs(value) < _HUGE:
        return f"{value:.{digits - 1}e}"
    # A number such as 9.996 has one place less once it is rounded, as 10.0.
    largest = max(abs(value), abs(_round(value, digits)))
    places = digits - 1 - math.floor(math.log10(largest))
    return f"{value:,.{places}f}" if places >= 0 else f"{round(value, places):,.0f}"


def _round(value: float, digits: int) -> float:
    return float(f"{value:.{digits - 1}e}")
