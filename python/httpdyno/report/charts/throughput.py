"""How many requests a second were answered."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from httpdyno import units
from httpdyno.report.charts.curve import curve
from httpdyno.report.charts.dots import dots
from httpdyno.report.charts.rows import Scale
from httpdyno.statistics.result import CellRow

SCALE = Scale("throughput_per_s", 1.0, "throughput", units.rate, ",~r")


def throughput(cells: Sequence[CellRow], arms: Sequence[str], *, by_rate: bool) -> Any:
    """An Altair chart of one load's cells."""
    if by_rate:
        return curve(cells, [SCALE], arms, "requests answered per second", diagonal=True)
    return dots(cells, [SCALE], arms, "requests answered per second")
