"""Elements of a drawing as SVG text.

Colours and fonts are classes (`style.py`): no element has a `style` attribute, so a strict
Content-Security-Policy holds.
"""

from __future__ import annotations

from collections.abc import Sequence

from httpdyno.output.printable import printable_lines

_MANY_DOTS = 12
_SPECIAL = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\n": "&#10;"})


def escaped(text: str) -> str:
    """A text for an attribute, or between tags; a control character is shown as its escape."""
    return (text if text.isprintable() else printable_lines(text)).translate(_SPECIAL)


def px(value: float) -> str:
    """A length, to a tenth of a pixel."""
    text = f"{value:.1f}"
    return text[:-2] if text.endswith(".0") else text


def words(x: float, y: float, text: str, classes: str = "") -> str:
    """A line of text; `y` is its baseline."""
    kind = f' class="{classes}"' if classes else ""
    return f'<text x="{px(x)}" y="{px(y)}"{kind}>{escaped(text)}</text>'


def path(data: str, classes: str) -> str:
    """Lines, areas, shapes."""
    return f'<path class="{classes}" d="{data}"/>'


def segment(start: tuple[float, float], end: tuple[float, float], classes: str) -> str:
    """A straight line."""
    return path(f"M{px(start[0])} {px(start[1])}L{px(end[0])} {px(end[1])}", classes)


def dots(places: Sequence[tuple[float, float]], classes: str) -> str:
    """Small round dots: lines of no length with round ends, which need a fifth of the bytes.

    Of many dots, those that cover one another to the pixel are drawn once.
    """
    if len(places) > _MANY_DOTS:
        places = list(dict.fromkeys((float(round(x)), y) for x, y in places))
    data, at = [], (0.0, 0.0)
    for x, y in places:
        # From the place before, as it was rounded.
        step = px(x - at[0]), px(y - at[1])
        data.append(f"m{step[0]} {step[1]}h0")
        at = at[0] + float(step[0]), at[1] + float(step[1])
    return path("".join(data), classes)


def group(inner: str, *, tip: str = "", arm: int | None = None, classes: str = "") -> str:
    """Elements together. `tip`: the words that the page shows beside the pointer."""
    about = f' class="{classes}"' if classes else ""
    about += "" if arm is None else f' data-arm="{arm}"'
    about += f' data-tip="{escaped(tip)}"' if tip else ""
    return f"<g{about}>{inner}</g>"


def moved(inner: str, x: float, y: float) -> str:
    """Elements at another place."""
    return f'<g transform="translate({px(x)} {px(y)})">{inner}</g>'
