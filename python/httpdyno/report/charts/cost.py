"""What an answer cost the server: processor time per request, and memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from httpdyno import units
from httpdyno.report import words
from httpdyno.report.charts.curve import curve
from httpdyno.report.charts.dots import dots
from httpdyno.report.charts.rows import Scale
from httpdyno.statistics.result import CellRow

CPU = Scale("server_cpu_s_per_request", 1e6, "CPU per request", words.per_request, ",~r")
MEMORY = Scale("server_rss_bytes", 2.0**-20, "memory", units.size, ",~r")


def cpu(cells: Sequence[CellRow], arms: Sequence[str], *, by_rate: bool) -> Any:
    """An Altair chart of one load's cells: processor time per request."""
    draw = curve if by_rate else dots
    return draw(cells, [CPU], arms, "processor time per request (µs)")


def memory(cells: Sequence[CellRow], arms: Sequence[str], *, by_rate: bool) -> Any:
    """An Altair chart of one load's cells: the most memory that the server held."""
    draw = curve if by_rate else dots
    return draw(cells, [MEMORY], arms, "peak memory of all its processes (MiB)")
