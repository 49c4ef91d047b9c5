"""Elements of a drawing as SVG text.

Colours and fonts are classes (`style.py`): no element has a `style` attribute, so a strict
Content-Security-Policy holds.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from httpdyno.output.printable import printable_lines

_MANY_DOTS = 12
_PIXELS: dict[int, str] = {}
"""Lengths as texts, which are the same again and again, by their tenths of a pixel."""
_MOST_PIXELS = 20_000
_SPECIAL = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\n": "&#10;"})


def escape_text(text: str) -> str:
    """A text for an attribute, or between tags; a control character is shown as its escape."""
    is_plain = text.replace("\n", "").isprintable()
    return (text if is_plain else printable_lines(text)).translate(_SPECIAL)


def px(value: float) -> str:
    """A length, to a tenth of a pixel."""
    tenths = round(value * 10)
    known = _PIXELS.get(tenths)
    if known is None:
        known = f"{tenths / 10:.1f}".removesuffix(".0")
        if len(_PIXELS) < _MOST_PIXELS:
            _PIXELS[tenths] = known
    return known


def words(x: float, y: float, text: str, classes: str = "") -> str:
    """A line of text; `y` is its baseline."""
    kind = f' class="{classes}"' if classes else ""
    return f'<text x="{px(x)}" y="{px(y)}"{kind}>{escape_text(text)}</text>'


def path(data: str, classes: str) -> str:
    """Lines, areas, shapes."""
    return f'<path class="{classes}" d="{data}"/>'


def segment(start: tuple[float, float], end: tuple[float, float], classes: str) -> str:
    """A straight line."""
    (x, y), (to_x, to_y) = start, end
    rest = f"H{px(to_x)}" if y == to_y else f"V{px(to_y)}" if x == to_x else None
    return path(f"M{px(x)} {px(y)}{rest or f'L{px(to_x)} {px(to_y)}'}", classes)


def dots(across: Sequence[float], y: float, classes: str) -> str:
    """Small round dots on one level: lines of no length with round ends, which need a fifth of the
    bytes. Of many dots, those that cover one another to the pixel are drawn once.
    """
    many = len(across) > _MANY_DOTS
    places = sorted({round(x) for x in across} if many else [round(x, 1) for x in across])
    steps = "".join(f"m{px(to - x)} 0h0" for x, to in pairwise(places))
    return path(f"M{px(places[0])} {px(y)}h0{steps}", classes) if places else ""


def group(inner: str, *, tip: str = "", arm: int | None = None, part: str = "") -> str:
    """Elements together. `tip`: the words that the page shows beside the pointer."""
    about = f' data-part="{part}"' if part else ""
    about += "" if arm is None else f' data-arm="{arm}"'
    about += f' data-tip="{escape_text(tip)}"' if tip else ""
    return f"<g{about}>{inner}</g>"


def stack_rows(step: float, head: str, grid: str, rows: str, foot: str) -> str:
    """Rows (`group(part="row")`), `step` pixels high: the page closes the gaps of hidden ones.

    `grid` ends where the rows end, and `foot` is below.
    """
    parts = f'{head}<g data-part="grid">{grid}</g>{rows}<g data-part="foot">{foot}</g>'
    return f'<g data-step="{px(step)}">{parts}</g>'


def translate(inner: str, x: float, y: float) -> str:
    """Elements at another place."""
    return f'<g transform="translate({px(x)} {px(y)})">{inner}</g>'
