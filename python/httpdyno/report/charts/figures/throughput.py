"""Throughput: right replies per second."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from httpdyno import units
from httpdyno.report.charts.drawing.curve import curve
from httpdyno.report.charts.drawing.dots import dots
from httpdyno.report.charts.drawing.panels import Panel
from httpdyno.report.charts.drawing.rows import Scale
from httpdyno.report.text import words

SCALE = Scale("throughput_per_s", 1.0, "throughput", units.rate)
BODIES = Scale("body_bytes_per_s", 1e-6, "body bytes", words.bytes_per_s)
AXIS = "right replies per second"


def throughput(panel: Panel, arms: Sequence[str]) -> Any:
    """An Altair chart of one panel's cells."""
    if panel.by_rate:
        return curve(panel, SCALE, arms, AXIS, diagonal=True)
    return dots(panel.cells, [SCALE], arms, AXIS, best_first="largest")


def bodies(panel: Panel, arms: Sequence[str]) -> Any:
    """An Altair chart of the bytes of reply bodies per second."""
    axis = "reply bodies, millions of bytes per second (MB/s)"
    if panel.by_rate:
        return curve(panel, BODIES, arms, axis)
    return dots(panel.cells, [BODIES], arms, axis, best_first="largest")
