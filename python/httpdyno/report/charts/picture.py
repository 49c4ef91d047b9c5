"""Charts as files: an SVG with its styles and its title inside, and a PNG of it.

The only module that imports resvg.
"""

from __future__ import annotations

import re

from httpdyno.report.charts.drawing import style
from httpdyno.report.charts.drawing.letters import wrap_text
from httpdyno.report.charts.drawing.svg import escape_text, px
from httpdyno.report.charts.figure import Figure

_MARGIN, _LINE, _SMALL_LINE = 20.0, 22.0, 18.0
_TITLE_SIZE, _SUBTITLE_SIZE = 17.0, 13.0
_SHARPNESS = 2
"""Pixels of a picture per CSS pixel."""
_BOX = re.compile(r'viewBox="0 0 ([0-9.]+) ([0-9.]+)"')


def file_svg(figure: Figure) -> str:
    """The chart as an SVG file: light colours, its title and subtitle on top."""
    size = _BOX.search(figure.svg)
    wide, high = (float(size[1]), float(size[2])) if size else (style.WIDE, 0.0)
    titles = wrap_text(figure.title, wide, _TITLE_SIZE, bold=True)
    subtitles = wrap_text(figure.subtitle, wide, _SUBTITLE_SIZE)
    lines, y = [], _MARGIN
    for text in titles:
        y += _LINE
        lines.append(_text(text, y, _TITLE_SIZE, style.light("ink"), 'font-weight="600"'))
    y += 4
    for text in subtitles:
        y += _SMALL_LINE
        lines.append(_text(text, y, _SUBTITLE_SIZE, style.light("muted")))
    top, whole = y + 16, wide + 2 * _MARGIN
    height = top + high + _MARGIN
    placed = f'x="{px(_MARGIN)}" y="{px(top)}" width="{px(wide)}" height="{px(high)}"'
    inner = figure.svg.replace("<svg ", f"<svg {placed} ", 1)
    box = f'width="{px(whole)}" height="{px(height)}" viewBox="0 0 {px(whole)} {px(height)}"'
    paper = f'<rect width="100%" height="100%" fill="{style.light("card")}"/>'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {box}><style>{style.file_css()}</style>'
        f"{paper}{''.join(lines)}{inner}</svg>\n"
    )


def file_png(figure: Figure) -> bytes:
    """The chart as a PNG file, twice as sharp as an ordinary screen."""
    return png_of_svg(file_svg(figure))


def png_of_svg(svg: str, *, width: int | None = None) -> bytes:
    """A whole SVG as a PNG, so many pixels wide; by default twice as wide as the SVG says."""
    import resvg_py  # noqa: PLC0415, only for pictures

    if width is None:
        return bytes(resvg_py.svg_to_bytes(svg_string=svg, zoom=_SHARPNESS))
    return bytes(resvg_py.svg_to_bytes(svg_string=svg, width=width))


def _text(text: str, y: float, size: float, colour: str, more: str = "") -> str:
    about = f'x="{px(_MARGIN)}" y="{px(y)}" font-size="{px(size)}" fill="{colour}"'
    font = escape_text(style.FONT)
    return f'<text {about} font-family="{font}" {more}>{escape_text(text)}</text>'
