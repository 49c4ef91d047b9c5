"""Ratios of two tools in the same rounds. Pure."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from peers.runs.compare import Cell
    from peers.runs.trial import Spent


@dataclass(frozen=True)
class Ratio:
    """Median, minimum and maximum over the rounds that both tools completed."""

    median: float
    low: float
    high: float
    pairs: int

    def __str__(self) -> str:
        return f"{self.median:.2f} ({self.low:.2f} to {self.high:.2f})"


def ratio(cell: Cell | None, to: Cell | None, of: Callable[[Spent], float]) -> Ratio | None:
    """`cell` relative to `to`, round by round; None without a common round."""
    if cell is None or to is None:
        return None
    both = zip(cell.trials, to.trials, strict=False)
    ratios = [of(one) / of(other) for one, other in both if one and other and of(other) > 0]
    if not ratios:
        return None
    return Ratio(statistics.median(ratios), min(ratios), max(ratios), len(ratios))


def median(cell: Cell, of: Callable[[Spent], float]) -> float:
    """The median over the successful rounds."""
    return statistics.median(of(spent) for spent in cell.done)


def cpu(spent: Spent) -> float:
    """CPU time per request, [µs]."""
    return spent.cpu_us


def user(spent: Spent) -> float:
    """CPU time in user space per request, [µs]."""
    return spent.user_us


def rate(spent: Spent) -> float:
    """Requests per second."""
    return spent.rate_per_s


def peak(spent: Spent) -> float:
    """Peak memory, [MiB]."""
    return spent.peak_bytes / 2**20
