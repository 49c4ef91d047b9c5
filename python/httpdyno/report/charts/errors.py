"""Which share of the requests did not come back right."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from httpdyno import units
from httpdyno.report.charts.curve import curve
from httpdyno.report.charts.dots import dots
from httpdyno.report.charts.rows import Scale
from httpdyno.statistics.result import CellRow

SCALE = Scale("error_share", 100.0, "errors", units.percent, "~r")


def errors(cells: Sequence[CellRow], arms: Sequence[str], *, by_rate: bool) -> Any:
    """An Altair chart of one load's cells."""
    draw = curve if by_rate else dots
    return draw(cells, [SCALE], arms, "requests that failed (%)")
