"""Share of the requests that failed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from httpdyno import units
from httpdyno.report.charts.drawing.curve import curve
from httpdyno.report.charts.drawing.dots import dots
from httpdyno.report.charts.drawing.panels import Panel
from httpdyno.report.charts.drawing.rows import Scale

SCALE = Scale("error_share", 100.0, "errors", units.percent)
_AXIS = "requests that failed (%)"


def errors(panel: Panel, arms: Sequence[str]) -> Any:
    """An Altair chart of one panel's cells."""
    if panel.by_rate:
        return curve(panel, SCALE, arms, _AXIS)
    return dots(panel.cells, [SCALE], arms, _AXIS)
