"""The preview picture that other sites show beside a link: title and answer, 1200 × 630."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from markupsafe import escape

from httpdyno.report.charts.picture import png_of_svg

WIDTH, HEIGHT = 1200, 630
_LEFT = 80
_DOUBT = "This result is suspect"
_FONT = "DejaVu Sans, Liberation Sans, Arial, sans-serif"


def preview(title: str, lead: str) -> bytes:
    """The picture as PNG."""
    return png_of_svg(drawing(title, lead), width=WIDTH)


def drawing(title: str, lead: str) -> str:
    """The picture as SVG."""
    heading = _lines(title, 36, 2)
    texts = [
        *_text(heading, 64, 62, "bold", "#1c2430", 120),
        *_text(_answer(lead), 48, 34, "normal", "#1c2430", 150 + 64 * len(heading)),
        *_text(["httpdyno"], 0, 28, "bold", "#0067a3", HEIGHT - 50),
    ]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}">'
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>'
        f'<rect width="24" height="{HEIGHT}" fill="#0067a3"/>{"".join(texts)}</svg>'
    )


def _answer(lead: str) -> list[str]:
    """The answer as far as there is room; a doubt without room comes first."""
    lines = _lines(lead, 58, 6)
    is_cut = _DOUBT in lead and _DOUBT not in " ".join(lines)
    return _lines(f"{_DOUBT}. {lead}", 58, 6) if is_cut else lines


def _lines(text: str, width: int, most: int) -> list[str]:
    return textwrap.wrap(
        text.replace("`", ""), width, max_lines=most, placeholder=" …", break_long_words=True
    )


def _text(
    lines: list[str], step: int, size: int, weight: str, colour: str, top: int
) -> Iterator[str]:
    for number, line in enumerate(lines):
        yield (
            f'<text x="{_LEFT}" y="{top + number * step}" font-family="{_FONT}" font-size="{size}"'
            f' font-weight="{weight}" fill="{colour}">{escape(line)}</text>'
        )
