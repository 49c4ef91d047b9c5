"""The numbers of a result that may leave it: estimates of cells that are not invalid."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from httpdyno.history.metrics import estimate_of, high_is_bound, metrics_of
from httpdyno.metrics import Metric
from httpdyno.output.printable import printable
from httpdyno.result import CellRow, EndpointRow, Estimate, Status, StudyResult


@dataclass(frozen=True)
class Number:
    """An estimate of one metric of a cell, valid or suspect."""

    study: str
    cell: CellRow
    metric: Metric
    estimate: Estimate
    status: Status

    @property
    def place(self) -> str:
        """Study, arm, load and point, in one line: the name of a benchmark elsewhere."""
        parts = (self.study, self.cell.arm, self.cell.load, self.cell.point)
        return " · ".join(printable(part) for part in parts)

    @property
    def value(self) -> float:
        """In the unit of its metric."""
        return self.estimate.value * self.metric.factor

    @property
    def interval(self) -> tuple[float, float] | None:
        """The 95 % interval in the unit of its metric; None with too few trials."""
        low, high = self.estimate.low, self.estimate.high
        if low is None or high is None or not math.isfinite(low + high):
            return None
        return low * self.metric.factor, high * self.metric.factor

    @property
    def high_is_bound(self) -> bool:
        """True if the upper end of the interval is at least so high."""
        return high_is_bound(self.cell, self.metric)

    @property
    def doubts(self) -> list[str]:
        """Why it is suspect; empty if it is valid."""
        return [printable(reason.text) for reason in self.cell.reasons_of(self.metric.number)]


def value_of(endpoint: EndpointRow, metric: Metric) -> float | None:
    """The number of an endpoint; None: it has none of this metric, or no result."""
    estimate: Estimate | None = getattr(endpoint, metric.column, None)
    if estimate is None or not math.isfinite(estimate.value):
        return None
    return estimate.value


def numbers(result: StudyResult) -> Iterator[Number]:
    """Every number with a result, cell by cell, in the order of the study."""
    for cell in result.cells:
        for metric in metrics_of(cell):
            estimate = estimate_of(cell, metric)
            status = cell.status_of(metric.number)
            if status == "invalid" or estimate is None or not math.isfinite(estimate.value):
                continue
            yield Number(result.name, cell, metric, estimate, status)
