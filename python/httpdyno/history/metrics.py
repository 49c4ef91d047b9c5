"""The metrics of a cell that are exported and followed over time, and their numbers."""

from __future__ import annotations

from httpdyno.metrics import EXPORTED, Metric, Purpose
from httpdyno.result import CellRow, Estimate


def metrics_of(cell: CellRow) -> tuple[Metric, ...]:
    """The metrics of a cell, by its load.

    A closed load shows throughput: its connections wait for the server, so its latency says
    little. An open load shows latency: its throughput is what was offered. A search shows capacity.
    """
    purpose: Purpose = "closed" if cell.rate_per_s is None else "open"
    if cell.capacity is not None:
        purpose = "capacity"
    return tuple(metric for metric in EXPORTED if purpose in metric.loads)


def estimate_of(cell: CellRow, metric: Metric) -> Estimate | None:
    """The number of a cell; None: no result."""
    found: Estimate | None = getattr(cell, metric.column)
    return found


def high_is_bound(cell: CellRow, metric: Metric) -> bool:
    """True if the upper end of the interval of a capacity is at least so high."""
    found = cell.capacity
    return metric.name == "capacity" and found is not None and found.high_is_bound
