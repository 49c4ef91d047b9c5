"""Cost of an answer to the server: CPU time per request, and memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from httpdyno import units
from httpdyno.report.charts.drawing.curve import curve
from httpdyno.report.charts.drawing.dots import dots
from httpdyno.report.charts.drawing.panels import Panel
from httpdyno.report.charts.drawing.rows import Scale
from httpdyno.report.text import words

CPU = Scale("server_cpu_s_per_request", 1e6, "CPU per request", words.per_request)
MEMORY = Scale("server_rss_bytes", 2.0**-20, "memory", units.size)


def cpu(panel: Panel, arms: Sequence[str]) -> Any:
    """An Altair chart of one panel's cells: CPU time per request."""
    return _draw(panel, CPU, arms, "CPU time per request (µs)")


def memory(panel: Panel, arms: Sequence[str]) -> Any:
    """An Altair chart of one panel's cells: peak memory of all processes."""
    return _draw(panel, MEMORY, arms, "peak memory of all processes (MiB)")


def _draw(panel: Panel, scale: Scale, arms: Sequence[str], axis: str) -> Any:
    if panel.by_rate:
        return curve(panel, scale, arms, axis)
    return dots(panel.cells, [scale], arms, axis)
