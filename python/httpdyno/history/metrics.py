"""The metrics of a cell that are exported and followed over time: names, units, direction."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from httpdyno import units
from httpdyno.doubts import NUMBER_OF
from httpdyno.result import CellRow, Estimate, Reason, Status
from httpdyno.statistics.compare import MORE_IS_BETTER

Column = Literal[
    "throughput_per_s",
    "p50_s",
    "p99_s",
    "server_cpu_s_per_request",
    "server_rss_bytes",
    "capacity_per_s",
]


@dataclass(frozen=True)
class Metric:
    """A metric with the units that other programs get it in: `exported = stored × factor`."""

    name: str
    """On the command line, and in the names of exported numbers."""
    column: Column
    """The field of a cell and of its trials."""
    title: str
    unit: str
    factor: float
    more_is_better: bool
    words: Callable[[float], str]
    """A stored value with its unit, for people."""
    loads: Literal["closed", "open", "closed and open", "capacity"]
    """The loads under which it answers a question: see `docs/concepts/loads.md`."""


METRICS = (
    Metric(
        "throughput",
        "throughput_per_s",
        "requests per second",
        "requests/s",
        1.0,
        more_is_better=MORE_IS_BETTER["throughput"],
        words=units.rate,
        loads="closed",
    ),
    Metric(
        "p50",
        "p50_s",
        "response time, median",
        "ms",
        1e3,
        more_is_better=False,
        words=units.duration,
        loads="open",
    ),
    Metric(
        "p99",
        "p99_s",
        "response time, p99",
        "ms",
        1e3,
        more_is_better=MORE_IS_BETTER["p99"],
        words=units.duration,
        loads="open",
    ),
    Metric(
        "cpu",
        "server_cpu_s_per_request",
        "server CPU time per request",
        "µs",
        1e6,
        more_is_better=MORE_IS_BETTER["server CPU per request"],
        words=units.duration,
        loads="closed and open",
    ),
    Metric(
        "memory",
        "server_rss_bytes",
        "server memory at its peak",
        "MiB",
        2.0**-20,
        more_is_better=False,
        words=units.size,
        loads="closed and open",
    ),
    Metric(
        "capacity",
        "capacity_per_s",
        "highest requests per second within the limits",
        "requests/s",
        1.0,
        more_is_better=MORE_IS_BETTER["capacity"],
        words=units.rate,
        loads="capacity",
    ),
)


def metrics_of(cell: CellRow) -> tuple[Metric, ...]:
    """The metrics of a cell, by its load.

    A closed load shows throughput: its connections wait for the server, so its latency says
    little. An open load shows latency: its throughput is what was offered. A search shows capacity.
    """
    kind = "closed" if cell.rate_per_s is None else "open"
    if cell.capacity is not None:
        kind = "capacity"
    return tuple(metric for metric in METRICS if kind in metric.loads)


def estimate_of(cell: CellRow, metric: Metric) -> Estimate | None:
    """The number of a cell; None: no result."""
    found: Estimate | None = getattr(cell, metric.column)
    return found


def high_is_bound(cell: CellRow, metric: Metric) -> bool:
    """True if the upper end of the interval of a capacity is at least so high."""
    found = cell.capacity
    return metric.name == "capacity" and found is not None and found.high_is_bound


def status_of(cell: CellRow, metric: Metric) -> Status:
    """The status of one number of a cell."""
    number = NUMBER_OF.get(metric.column)
    return cell.status if number is None else cell.status_of(number)


def reasons_of(cell: CellRow, metric: Metric) -> list[Reason]:
    """The reasons to doubt one number of a cell; empty if it is valid."""
    number = NUMBER_OF.get(metric.column)
    if number is None:
        return [] if cell.status == "valid" else cell.reasons
    return cell.reasons_of(number)
