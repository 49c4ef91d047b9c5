"""Numbers in a result that nothing can have measured: negative ones, and absurdly large ones."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from httpdyno.result import StudyResult
from httpdyno.result.estimate import Estimate
from httpdyno.value import Value

__all__ = ["impossible"]

MOST_S = 1e9
"""Seconds: 31 years."""
MOST_PER_S = 1e15
"""A rate, a share or a size."""
_LAST_MOMENT = 1e11
"""Unix time: the year 5138, as in exported runs."""
_ENDINGS = ("_s", "_share", "_bytes", "_per_request")


def impossible(result: StudyResult) -> Iterator[str]:
    """The place of each such number of a result, and why it is none."""
    for name in ("started_at", "ended_at"):
        yield from _fault(name, getattr(result, name), _LAST_MOMENT)
    for at, published in enumerate(result.published):
        yield from _of(f"published.{at}", published)
    for at, cell in enumerate(result.cells):
        place = f"cells.{at}"
        yield from _of(place, cell)
        if cell.capacity is not None:
            yield from _of(f"{place}.capacity", cell.capacity)
        for number, trial in enumerate(cell.trials):
            yield from _of(f"{place}.trials.{number}", trial)
        for number, second in enumerate(cell.timeline):
            yield from _of(f"{place}.timeline.{number}", second)
        for number, (_, seconds) in enumerate(cell.latency_spectrum):
            yield from _fault(f"{place}.latency_spectrum.{number}", seconds, MOST_S)
        for number, one in enumerate(cell.endpoints):
            for row, (_, seconds) in enumerate(one.spectrum):
                yield from _fault(f"{place}.endpoints.{number}.spectrum.{row}", seconds, MOST_S)
        for number, (seconds, _) in enumerate(cell.latency_density):
            yield from _fault(f"{place}.latency_density.{number}", seconds, MOST_S)


def _of(place: str, row: Value) -> Iterator[str]:
    for name, most in _limits(type(row)):
        value = getattr(row, name)
        if isinstance(value, Estimate):
            for part in ("value", "low", "high"):
                yield from _fault(f"{place}.{name}.{part}", getattr(value, part), most)
        elif isinstance(value, int | float):
            yield from _fault(f"{place}.{name}", value, most)


def _fault(place: str, value: float | None, most: float) -> Iterator[str]:
    if value is not None and not 0 <= value <= most:
        yield f"{place}: {value!r:.20} is not between 0 and {most:,.0f}"


@cache
def _limits(kind: type[Value]) -> list[tuple[str, float]]:
    """The fields of a row that are numbers with a unit, each with its limit."""
    return [
        (name, MOST_S if _is_time(name) else MOST_PER_S)
        for name in kind.model_fields
        if name.endswith(_ENDINGS)
    ]


def _is_time(name: str) -> bool:
    return name.endswith("_per_request") or (name.endswith("_s") and not name.endswith("_per_s"))
