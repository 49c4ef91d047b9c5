"""A chart before it has its name, and its frame: the wide and the narrow SVG."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from httpdyno.report.charts.drawing import style
from httpdyno.report.charts.drawing.rows import Drawing
from httpdyno.report.charts.drawing.svg import escape_text, px
from httpdyno.report.charts.figure import Figure, Kind, Section, Table
from httpdyno.result import LoadInfo

Draw = Callable[[float, str], Drawing]
"""Draws a chart of a width, with ids that begin with a prefix."""


@dataclass(frozen=True)
class Sheet:
    """A chart before it is drawn."""

    section: Section
    slug: str
    title: str
    subtitle: str
    load: LoadInfo | None
    draw: Draw
    table: Callable[[], Table]
    other: Draw | None = None
    """Draws it on the other kind of axis."""


def make_figure(sheet: Sheet, name: str) -> Figure:
    """The chart under a name of its own."""
    prefixes: dict[Kind, str] = {"wide": name, "narrow": f"{name}-n", "other": f"{name}-o"}

    @cache
    def drawing(kind: Kind) -> tuple[str, bool]:
        draw = sheet.other if kind == "other" else sheet.draw
        if draw is None:
            return "", False
        wide = style.NARROW if kind == "narrow" else style.WIDE
        drawn = draw(wide, prefixes[kind])
        return _svg(sheet, drawn, prefixes[kind], wide), drawn.log

    return Figure(
        section=sheet.section,
        name=name,
        title=sheet.title,
        subtitle=sheet.subtitle,
        load=sheet.load,
        drawing=drawing,
        numbers=sheet.table,
    )


def _svg(sheet: Sheet, drawn: Drawing, prefix: str, wide: float) -> str:
    """The whole SVG; a screen reader says its title and what is drawn."""
    box = f"0 0 {px(wide)} {px(drawn.height)}"
    role = f'role="img" aria-labelledby="{prefix}-t {prefix}-d"'
    about = f'<title id="{prefix}-t">{escape_text(sheet.title)}</title>'
    about += f'<desc id="{prefix}-d">{escape_text(sheet.subtitle)}</desc>'
    kind = 'xmlns="http://www.w3.org/2000/svg" class="hd"'
    return f'<svg {kind} viewBox="{box}" {role}>{about}{drawn.body}</svg>'
