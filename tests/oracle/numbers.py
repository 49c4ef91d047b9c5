"""Plain statistics, and numbers as they are printed; written for the oracle alone."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from statistics import fmean, median

FEWEST = 5
"""Fewer pairs have no interval."""
FEWEST_OF_ANY_BLOCK = 10
"""Of a study that may stop after any block."""
_SCALES = {"s": 1.0, "ms": 1e-3, "µs": 1e-6, "ns": 1e-9}
_SIZES = {"B": 1.0, "KiB": 2.0**10, "MiB": 2.0**20, "GiB": 2.0**30, "MB/s": 1e6}
_NUMBER = re.compile(r"(?P<digits>[0-9][0-9,]*(?:\.[0-9]+)?(?:e[+-]?[0-9]+)?)\s?(?P<unit>.*)")


def level(values: Sequence[float]) -> float:
    """The geometric mean; the median if one of them is zero."""
    if min(values) <= 0:
        return median(values)
    return math.exp(fmean(math.log(value) for value in values))


def spread(values: Sequence[float]) -> float:
    """The standard deviation."""
    middle = fmean(values)
    return math.sqrt(math.fsum((one - middle) ** 2 for one in values) / (len(values) - 1))


@dataclass(frozen=True)
class Pairs:
    """Two arms in the blocks that both have: their ratio, its 95 % interval, and a p value."""

    n: int
    ratio: float
    low: float
    high: float
    p: float

    @property
    def is_shown(self) -> bool:
        """True if a difference may be claimed at all, before anything else is tested."""
        return self.n >= FEWEST and self.p <= 0.05


def pairs(one: Mapping[int, float], other: Mapping[int, float]) -> Pairs | None:
    """`one` ÷ `other` within blocks; None without a block in common."""
    blocks = [b for b in one.keys() & other.keys() if one[b] > 0 and other[b] > 0]
    if not blocks:
        return None
    logs = [math.log(one[b] / other[b]) for b in sorted(blocks)]
    middle, n = fmean(logs), len(logs)
    if n < 2:
        return Pairs(n, math.exp(middle), 0.0, math.inf, 1.0)
    error = spread(logs) / math.sqrt(n)
    reach = t_quantile(0.95, n - 1) * error
    if error < 1e-13 * max(1.0, abs(middle)):
        p = 1.0 if abs(middle) < 1e-12 else 0.0
    else:
        p = t_tails(middle / error, n - 1)
    low, high = (math.exp(min(700.0, middle + sign * reach)) for sign in (-1, 1))
    return Pairs(n, math.exp(middle), low, high, p)


@lru_cache(maxsize=512)
def t_quantile(level: float, freedom: int) -> float:
    """The t that a value exceeds, on either side, with a probability of 1 - `level`."""
    low, high = 0.0, 1e6
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if t_tails(middle, freedom) > 1 - level else (low, middle)
    return high


def t_tails(t: float, freedom: int) -> float:
    """The probability of a |t| at least as large: the regularised incomplete beta function."""
    return _beta(freedom / (freedom + t * t), freedom / 2, 0.5)


def _beta(x: float, a: float, b: float) -> float:
    if x <= 0 or x >= 1:
        return min(1.0, max(0.0, x))
    front = math.exp(
        math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    )
    if x < (a + 1) / (a + b + 2):
        return front * _fraction(x, a, b) / a
    return 1 - front * _fraction(1 - x, b, a) / b


def _fraction(x: float, a: float, b: float) -> float:
    """The continued fraction of the incomplete beta function, by Lentz's method."""
    tiny, c = 1e-300, 1.0
    d = 1 - (a + b) * x / (a + 1)
    d = 1 / (d if abs(d) > tiny else tiny)
    found = d
    for m in range(1, 300):
        for numerator in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1 + numerator * d
            d = 1 / (d if abs(d) > tiny else tiny)
            c = 1 + numerator / c
            c = c if abs(c) > tiny else tiny
            found *= d * c
        if abs(d * c - 1) < 1e-14:
            break
    return found


def number(text: str) -> float:
    """`12,300/s`, `1.23 ms`, `48.2 MiB`, `0.86×`, `14 %` in seconds, bytes, per second, or ones."""
    match = _NUMBER.fullmatch(text.strip().lstrip("≥").strip())
    if match is None:
        raise ValueError(f"`{text}` is no number")
    value, unit = float(match["digits"].replace(",", "")), match["unit"].strip()
    if unit == "%":
        return value / 100
    return value * (_SCALES | _SIZES).get(unit, 1.0)


def is_printed(text: str, value: float, digits: int = 3) -> bool:
    """True if this is the value, rounded to so many significant digits or to those it is printed
    with."""
    shown = number(text)
    if shown == value:
        return True
    if value == 0 or shown == 0:
        return abs(value - shown) < 1e-9
    step = 10.0 ** (math.floor(math.log10(abs(value)) + 1e-9) - digits + 1)
    decimals = None if "e" in text else re.search(r"\.([0-9]+)", text)
    if decimals is not None:
        raw = float(text[: decimals.end()].replace(",", "").lstrip("≥ "))
        step = (shown / raw if raw else 1.0) * 10.0 ** -len(decimals[1])
    return abs(shown - value) <= 0.51 * step
