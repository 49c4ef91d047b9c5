"""How long requests took: the median and the time that 99 % stayed under."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from httpdyno import units
from httpdyno.report.charts.curve import curve
from httpdyno.report.charts.dots import dots
from httpdyno.report.charts.rows import Scale
from httpdyno.statistics.result import CellRow

SCALES = (
    Scale("p99_s", 1e3, "p99", units.duration, ",~r"),
    Scale("p50_s", 1e3, "p50", units.duration, ",~r"),
)


def latency(cells: Sequence[CellRow], arms: Sequence[str], *, by_rate: bool) -> Any:
    """An Altair chart of one load's cells."""
    if by_rate:
        return curve(cells, SCALES, arms, "response time (ms)", log=True)
    return dots(cells, SCALES[::-1], arms, "response time (ms)")
