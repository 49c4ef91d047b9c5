"""Charts as the page shows them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from httpdyno.report.charts.catalogue import Drawing
from httpdyno.report.charts.drawing.dots import MOST_UNSORTED
from httpdyno.report.charts.files.picture import page_svg


@dataclass(frozen=True)
class Figure:
    """One chart: its finding as a title, what is drawn, the drawing, and its numbers."""

    section: str
    name: str
    title: str
    subtitle: str
    kind: str
    """`closed loop` or `open loop`; empty for a chart of several loads."""
    load: str
    svg: str
    narrow: str = ""
    """The drawing for a phone; empty: the wide one scrolls."""
    other: str = ""
    """The drawing on the other scale, linear or logarithmic; empty: there is none."""
    is_log: bool = False
    is_curve: bool = False
    is_sorted: bool = False
    """Its rows are sorted by value."""
    head: Sequence[str] = ()
    rows: Sequence[Sequence[str]] = ()


def shown(drawing: Drawing) -> Figure:
    """A chart for the page."""
    load = drawing.load
    return Figure(
        section=drawing.section,
        name=drawing.name,
        title=drawing.what,
        subtitle=drawing.where,
        kind="" if load is None else "closed loop" if load.kind == "closed" else "open loop",
        load="" if load is None else load.name,
        svg=page_svg(drawing),
        is_log=drawing.is_log,
        is_curve=drawing.shape == "lines",
        is_sorted=drawing.rows > MOST_UNSORTED,
    )
