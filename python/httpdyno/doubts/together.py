"""One sentence for the same reason of several measurements, with the range of its numbers."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from httpdyno.units import span

_UNITS = {"ns": 1e-9, "µs": 1e-6, "ms": 1e-3, "s": 1.0}
_NUMBER = r"\d[\d,]*(?:\.\d+)?(?: (?:%|ns|µs|ms|s|MB/s|Mbit/s|Gbit/s)(?!\w)|/s)?"
# Names such as p99, HTTP/1.1 or `status 404` are no quantities. An interval is one.
_QUANTITY = re.compile(rf"(?<![\w./`-])(?<!status ){_NUMBER}(?: to {_NUMBER})?")


def together(texts: Sequence[str]) -> tuple[str, int]:
    """The most frequent wording of these texts, with the range of each number, and the number of
    texts that have it: `waited for a CPU for 11.9 to 41.2 % of the time`, 3."""
    wordings = [_QUANTITY.sub("#", text) for text in texts]
    wording, times = Counter(wordings).most_common(1)[0]
    same = [text for text, found in zip(texts, wordings, strict=True) if found == wording]
    columns = zip(*(_QUANTITY.findall(text) for text in same), strict=True)
    ranges = [_range(column) for column in columns]
    pieces = _QUANTITY.split(same[0])
    return "".join(map(str.__add__, pieces, [*ranges, ""])), times


def in_trials(texts: Sequence[str], of: int, skipped: int = 0) -> str:
    """The texts together, and their number of all trials: `… (in 4 of 10 trials)`.

    `skipped`: further trials, in which nothing was measured.
    """
    text, times = together(texts)
    which = "each" if len(texts) == of else f"{len(texts)}"
    alike = "" if times == len(texts) else f", {times} of them like this"
    more = f"; {skipped} more {'was' if skipped == 1 else 'were'} not searched" if skipped else ""
    return f"{text} (in {which} of {of} trials{alike}{more})"


def _range(quantities: Sequence[str]) -> str:
    if len(set(quantities)) == 1:
        return quantities[0]
    ends = [end for quantity in quantities for end in _ends(quantity)]
    return span(min(ends, key=_value), max(ends, key=_value))


def _ends(quantity: str) -> tuple[str, str]:
    """A quantity twice, or both ends of an interval, whose unit may be given once."""
    low, _, high = quantity.partition(" to ")
    unit = re.search("[^0-9.,]*$", high or low)
    shared = unit[0] if unit and low[-1].isdigit() else ""
    return low + shared, high or low + shared


def _value(quantity: str) -> float:
    number, _, unit = quantity.removesuffix("/s").replace(",", "").partition(" ")
    return float(number) * _UNITS.get(unit, 1.0)
