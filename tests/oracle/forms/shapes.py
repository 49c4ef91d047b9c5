"""Sentences about trials that one level does not describe: two modes, a far trial, a drift."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from statistics import fmean

from oracle.numbers import is_printed, level, number
from oracle.raw import Key
from oracle.reading import Form, Heard

LEAST = 0.02
"""Groups that differ by less are not worth a sentence."""


def _key(heard: Heard) -> Key:
    """The cell of a note names its load; that of an answer is where the sentence stands."""
    return (heard.arm(), heard["load"], heard["at"]) if heard["load"] else heard.key()


def _values(heard: Heard) -> dict[int, float]:
    return heard.lab.values(_key(heard), heard["number"])


def _modes(heard: Heard) -> Iterator[str]:
    """`throughput has two modes: 3 of 5 trials near 23.5/s, 2 near 22.0/s`."""
    values = sorted(_values(heard).values())
    many, few = int(heard["n"] or int(heard["of"]) - 1), int(heard["m"] or 1)
    if many + few != len(values) or int(heard["of"]) != len(values) or many < few:
        yield f"{many} and {few} of {heard['of']}: {len(values)} trials have a result"
        return
    is_above = number(heard["v"]) > number(heard["w"])
    at = few if is_above else many
    lower, upper = values[:at], values[at:]
    yield from _levels(heard, *((upper, lower) if is_above else (lower, upper)))
    gap = math.log(upper[0] / lower[-1])
    if gap <= 2 * _within(lower, upper):
        yield f"{lower[-1]:.6g} and {upper[0]:.6g} are no farther apart than the values within"
    if heard["number"] == "throughput" and _replies(heard, upper[0] - lower[-1]) < 1.5:
        yield "they differ by a single reply"


def _replies(heard: Heard, rate: float) -> float:
    """The number of replies in a trial that make up this difference of rates."""
    return rate * heard.lab.of(_key(heard))[0].window_s


def _within(*groups: Sequence[float]) -> float:
    """The standard deviation of the logarithms within groups."""
    squares, freedom = 0.0, -len(groups)
    for group in groups:
        logs = [math.log(one) for one in group]
        squares += math.fsum((one - fmean(logs)) ** 2 for one in logs)
        freedom += len(group)
    return math.sqrt(squares / freedom)


def _drifted(heard: Heard) -> Iterator[str]:
    """`throughput drifted: about 980/s in blocks 1 to 2, 1,040/s in blocks 6 to 7`."""
    values = _values(heard)
    spans = [(int(heard[a]) - 1, int(heard[b] or heard[a]) - 1) for a, b in ("bc", "de")]
    parts = [[v for block, v in values.items() if a <= block <= b] for a, b in spans]
    if not all(parts) or spans[0][1] >= spans[1][0]:
        yield "these blocks do not follow one another, or have no result"
        return
    yield from _levels(heard, *parts)


def _levels(heard: Heard, one: Sequence[float], other: Sequence[float]) -> Iterator[str]:
    for field, group in (("v", one), ("w", other)):
        if not is_printed(heard[field], level(group)):
            yield f"{heard[field]}: the trials give {level(group):.6g}"
    if abs(math.log(level(one) / level(other))) < math.log1p(LEAST) - 1e-9:
        yield f"they differ by less than {LEAST:.0%}"


_CELL = "<a:arm>(?:(?:, | · )(?P<load>l\\d)(?:, | · )<at:point>)?: (?P<number>throughput|p99)"
SHAPES = (
    Form(
        f"{_CELL} has two modes: <n:n> of <of:n> trials near <v:value>, <m:n> near <w:value>",
        _modes,
        "a, l0, 10 connections: throughput has two modes: 3 of 5 trials near 23.5/s, 2 near 22.0/s",
    ),
    Form(
        f"{_CELL} of 1 in <of:n> trials is far from the others: <w:value>, and they are near "
        "<v:value>",
        _modes,
        "a: throughput of 1 in 5 trials is far from the others: 20.0/s, and they are near 25.5/s",
    ),
    Form(
        f"{_CELL} drifted: about <v:value> in blocks? <b:n>(?: to <c:n>)?, <w:value> in blocks? "
        "<d:n>(?: to <e:n>)?",
        _drifted,
        "a: p99 drifted: about 1.20 ms in blocks 1 to 2, 1.31 ms in blocks 6 to 7",
    ),
    *(
        Form(text, lambda _: (), text)
        for text in (
            "More trials show how often each occurs",
            "More trials show if that is a second mode",
            "The interval does not cover how it would be at another time",
        )
    ),
)
