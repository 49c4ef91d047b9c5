"""The endpoints of a load in each step of its rate."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence, Set

from httpdyno import units
from httpdyno.cli.load.output.endpoints import most_called, name_of
from httpdyno.cli.load.output.times import LABEL
from httpdyno.cli.text_table import TextTable
from httpdyno.doubts import MARKS
from httpdyno.measurement import Endpoint, EndpointStep, Measurement
from httpdyno.output.table import Column, TextColumn
from httpdyno.statistics.first_rise import AtRate, first_rise, is_known
from httpdyno.verdict import Verdict

__all__ = ["first_to_rise", "step_tables", "tables"]

_P99 = 0.99
_DASH = "–"
_Field = Callable[[EndpointStep], str]


def tables(
    m: Measurement, width: int, doubted: Set[str] = frozenset()
) -> list[TextTable[Endpoint]]:
    """A table of p99: a row for each endpoint, a column for each step; one of failures, if any call
    failed. Where there is no room, without the steps in the middle."""
    each = step_tables(m, doubted)
    return [TextTable(columns, most_called(m), width, first=LABEL - 2) for columns in each]


def step_tables(
    m: Measurement, doubted: Set[str] = frozenset()
) -> Iterator[Sequence[Column[Endpoint]]]:
    """The columns of each table; none if the rate does not change, or has no step with a second.

    `doubted`: the headings of columns of endpoints whose numbers are suspect.
    """
    steps = m.endpoints[0].steps if m.endpoints else ()
    if not any(one.seconds for one in steps):
        return
    yield _columns("p99", steps, _p99, doubted)
    if any(step.failed for one in m.endpoints for step in one.steps):
        yield _columns("failed", steps, _failed_share, doubted)


def first_to_rise(m: Measurement, verdict: Verdict) -> str:
    """The sentence about the endpoint whose p99 doubles first, from the steady steps; empty if p99
    is suspect, or if the intervals do not show it."""
    if not is_known(verdict.status, verdict.reasons):
        return ""
    rise = first_rise(
        {
            one.name: [
                AtRate(step.to_per_s, step.percentile(_P99), step.failed)
                for step in one.steps
                if step.from_per_s == step.to_per_s
            ]
            for one in m.endpoints
        }
    )
    return "" if rise is None else rise.in_words


def _columns(
    name: str, steps: Sequence[EndpointStep], field: _Field, doubted: Set[str]
) -> Sequence[Column[Endpoint]]:
    marked = name + (MARKS["suspect"] if name in doubted else "")
    return [
        TextColumn(f"{marked} by step", name_of),
        *(
            Column(_heading(step), _of_step(at, field), drop=_drop(at, len(steps)))
            for at, step in enumerate(steps)
        ),
    ]


def _of_step(at: int, field: _Field) -> Callable[[Endpoint], str]:
    return lambda one: field(one.steps[at])


def _drop(at: int, count: int) -> int:
    """The first and the last step stay; of the others, those in the middle go first."""
    return min(at, count - 1 - at)


def _heading(step: EndpointStep) -> str:
    if step.from_per_s == step.to_per_s:
        return units.rate(step.to_per_s)
    return f"{units.significant(step.from_per_s)} to {units.rate(step.to_per_s)}"


def _p99(step: EndpointStep) -> str:
    found = step.percentile(_P99)
    return _DASH if found is None else units.duration(found.value_ns * 1e-9)


def _failed_share(step: EndpointStep) -> str:
    if not step.failed:
        return "none" if step.ok else _DASH
    return units.percent(step.error_share)
