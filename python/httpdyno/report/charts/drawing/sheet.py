"""A chart before it has its name, and its frame: the wide and the narrow SVG."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from httpdyno.report.charts.drawing import style
from httpdyno.report.charts.drawing.rows import Drawn
from httpdyno.report.charts.drawing.svg import escaped, px
from httpdyno.report.charts.figure import Figure, Section, Table
from httpdyno.result import LoadInfo

Draw = Callable[[float, str], Drawn]
"""Draws a chart of a width, with ids that begin with a prefix."""
_TIP = re.compile(r' data-tip="[^"]*"')


@dataclass(frozen=True)
class Sheet:
    """A chart before it is drawn."""

    section: Section
    slug: str
    title: str
    subtitle: str
    load: LoadInfo | None
    draw: Draw
    table: Table
    other: Draw | None = None
    """Draws it on the other kind of axis."""


def finished(sheet: Sheet, name: str, *, whole: bool = True) -> Figure:
    """The chart under a name of its own.

    Not `whole`: without a drawing for phones, tooltips and its table, which the page has elsewhere.
    """
    wide = sheet.draw(style.WIDE, name)
    slim = sheet.draw(style.NARROW, f"{name}-n") if whole else None
    other = sheet.other(style.WIDE, f"{name}-o") if sheet.other and whole else None
    svg = _svg(sheet, wide, name, style.WIDE)
    return Figure(
        section=sheet.section,
        name=name,
        title=sheet.title,
        subtitle=sheet.subtitle,
        svg=svg if whole else _TIP.sub("", svg),
        narrow=_svg(sheet, slim, f"{name}-n", style.NARROW) if slim else None,
        load=sheet.load,
        table=sheet.table if whole else Table((), ()),
        is_log=wide.log,
        other=_svg(sheet, other, f"{name}-o", style.WIDE) if other else None,
    )


def _svg(sheet: Sheet, drawn: Drawn, prefix: str, wide: float) -> str:
    """The whole SVG; a screen reader says its title and what is drawn."""
    box = f"0 0 {px(wide)} {px(drawn.height)}"
    told = f'role="img" aria-labelledby="{prefix}-t {prefix}-d"'
    about = f'<title id="{prefix}-t">{escaped(sheet.title)}</title>'
    about += f'<desc id="{prefix}-d">{escaped(sheet.subtitle)}</desc>'
    kind = 'xmlns="http://www.w3.org/2000/svg" class="hd"'
    return f'<svg {kind} viewBox="{box}" {told}>{about}{drawn.body}</svg>'
