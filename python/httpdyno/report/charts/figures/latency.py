"""Response time: the median (p50) and the time that 99 % of the requests stayed under (p99)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from httpdyno import units
from httpdyno.report.charts.drawing.curve import curve
from httpdyno.report.charts.drawing.dots import dots
from httpdyno.report.charts.drawing.panels import Panel
from httpdyno.report.charts.drawing.rows import Scale

P50 = Scale("p50_s", 1e3, "p50", units.duration)
P99 = Scale("p99_s", 1e3, "p99", units.duration)


def latency(panel: Panel, arms: Sequence[str]) -> Any:
    """An Altair chart with two rows per cell."""
    return dots(panel.cells, [P50, P99], arms, "response time (ms)")


def median(panel: Panel, arms: Sequence[str]) -> Any:
    """An Altair chart of p50 against the offered rate."""
    return curve(panel, P50, arms, "response time (ms)", log=True)


def slowest(panel: Panel, arms: Sequence[str]) -> Any:
    """An Altair chart of p99 against the offered rate."""
    return curve(panel, P99, arms, "response time (ms)", log=True)
