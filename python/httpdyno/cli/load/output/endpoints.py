"""The endpoints of a load, each with numbers of its own."""

from __future__ import annotations

from collections.abc import Sequence, Set

from httpdyno import units
from httpdyno.cli.load.output.times import LABEL, bound
from httpdyno.cli.text_table import TextTable
from httpdyno.measurement import Endpoint, Measurement
from httpdyno.output.printable import printable
from httpdyno.output.table import Column, TextColumn

__all__ = ["COLUMNS", "endpoints_note", "most_called", "name_of", "table"]

_MOST_ROWS = 20
_LONGEST_NAME = 40
_DASH = "–"


def table(m: Measurement, width: int, doubted: Set[str] = frozenset()) -> list[str]:
    """A row for each endpoint, in the order of the plan; of very many, for those with most calls.

    The headings of `doubted` columns are marked.
    """
    return TextTable(COLUMNS, most_called(m), width, first=LABEL - 2, doubted=doubted).lines()


def endpoints_note(m: Measurement) -> str:
    """The sentence about endpoints that have no row; empty if all have one."""
    others = len(m.endpoints) - _MOST_ROWS
    if others <= 0:
        return ""
    return f"Not shown: {units.counted(others, 'endpoint')} with fewer calls; `--json` has them."


def most_called(m: Measurement) -> Sequence[Endpoint]:
    """The endpoints that are shown: of very many, those with most calls."""
    if len(m.endpoints) <= _MOST_ROWS:
        return m.endpoints
    by_calls = sorted(m.endpoints, key=lambda one: one.calls.ended, reverse=True)
    chosen = {one.name for one in by_calls[:_MOST_ROWS]}
    return [one for one in m.endpoints if one.name in chosen]


def name_of(one: Endpoint) -> str:
    """The name of an endpoint, shortened in the middle if it is long."""
    name = printable(one.name)
    if len(name) <= _LONGEST_NAME:
        return name
    kept = _LONGEST_NAME - 1
    return f"{name[: kept - kept // 2]}…{name[len(name) - kept // 2 :]}"


def _failed_share(one: Endpoint) -> str:
    lost = one.calls.failed + one.calls.in_flight
    if not lost:
        return "none" if one.calls.ok else _DASH
    return units.percent(one.error_share)


def _time(one: Endpoint, quantile: float) -> str:
    time = one.response
    if not time.count:
        return _DASH
    value_ns = {0.5: time.p50_ns, 0.9: time.p90_ns, 0.99: time.p99_ns}[quantile]
    return bound(time, quantile, value_ns) + units.duration(value_ns * 1e-9)


def _interval(one: Endpoint) -> str:
    """The 95 % interval of p99: `9.10 ms to 11.2 ms`."""
    found = one.percentile(0.99)
    if found is None:
        return _DASH
    low = "0 s" if found.low_ns is None else units.duration(found.low_ns * 1e-9)
    if found.high_ns is None:
        return f"{low} or more"
    return f"{low} to {units.duration(found.high_ns * 1e-9)}"


COLUMNS: Sequence[Column[Endpoint]] = (
    TextColumn("by endpoint", name_of),
    Column("calls", lambda one: f"{one.calls.ended + one.calls.in_flight:,}", drop=3),
    Column("answered", lambda one: units.rate(one.throughput_per_s), drop=2),
    Column("p50", lambda one: _time(one, 0.5), drop=1),
    Column("p90", lambda one: _time(one, 0.9), drop=4),
    Column("p99", lambda one: _time(one, 0.99)),
    Column("95 % CI of p99", _interval, drop=5),
    Column("failed", _failed_share),
)
