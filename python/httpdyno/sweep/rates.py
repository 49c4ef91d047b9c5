"""Parses the rates of a sweep.

100..1200/100     from 100 to 1,200 in steps of 100
100..6400*2       from 100 to 6,400, each twice the one before
100,200,500       these
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from itertools import pairwise
from typing import NoReturn

from httpdyno.units import NUMBER, RATE, parse_number, parse_rate
from httpdyno.units import plain as shown

__all__ = ["MOST_POINTS", "Rates", "parse_rates", "rate_text", "shown"]

MOST_POINTS = 1000
_RANGE = re.compile(rf"({RATE})\.\.({RATE})([/*])({NUMBER})")
_EXPECTED = (
    "expected several rates per second, such as `100..1200/100` (in steps of 100), `100..6400*2`"
    " (doubled each time) or `100,200,500`"
)
_SLACK = 1e-9
"""A last rate that only rounding puts beyond the end belongs to the range."""


@dataclass(frozen=True)
class Rates:
    """The rates of a sweep, in the order in which they are measured."""

    per_s: tuple[float, ...]
    log: bool = False
    """The rates were given by a factor, so a logarithmic axis suits them."""


def parse_rates(text: str) -> Rates:
    """Parse the rates of a sweep. Raises ValueError with what was expected."""
    match = _RANGE.fullmatch(text.strip())
    found = _range(match) if match else Rates(tuple(_parse_list(text)))
    # The claims of a sweep are about rates, so two points of one rate could contradict each other.
    for one, other in pairwise(sorted(map(shown, found.per_s))):
        if one == other:
            raise ValueError(f"expected each rate once: {one}/s is repeated")
    return found


def _range(match: re.Match[str]) -> Rates:
    first, last, step = parse_rate(match[1]), parse_rate(match[2]), float(parse_number(match[4]))
    if first >= last:
        raise ValueError("expected the lower rate first, such as `100..1200/100`")
    if match[3] == "*":
        if step <= 1:
            raise ValueError("expected a factor above one, such as `100..6400*2`")
        count = _count(math.log(last / first) / math.log(step))
        return Rates(tuple(round(first * step**n, 6) for n in range(count)), log=True)
    if step <= 0:
        raise ValueError("expected a step above zero, such as `100..1200/100`")
    count = _count((last - first) / step)
    return Rates(tuple(round(first + step * n, 6) for n in range(count)))


def rate_text(rate_per_s: float) -> str:
    """A rate as it is typed behind a flag: `1200`, `0.5`."""
    return shown(rate_per_s).replace(",", "")


def _parse_list(text: str) -> list[float]:
    pieces = [piece.strip() for piece in text.split(",")]
    if len(pieces) < 2 or not all(re.fullmatch(RATE, piece) for piece in pieces):
        raise ValueError(_EXPECTED)
    if len(pieces) > MOST_POINTS:
        _too_many()
    return [parse_rate(piece) for piece in pieces]


def _count(steps: float) -> int:
    """The number of rates that so many steps reach."""
    if steps >= MOST_POINTS:
        _too_many()
    count = math.floor(steps + _SLACK) + 1
    if count < 2:
        raise ValueError("expected a step that reaches a second rate, such as `100..1200/100`")
    return count


def _too_many() -> NoReturn:
    raise ValueError(f"expected at most {MOST_POINTS:,} rates: take larger steps")
