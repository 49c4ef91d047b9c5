"""The key above plots: marks and their words, in as many lines as they need."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from httpdyno.report.charts.drawing import style
from httpdyno.report.charts.drawing.letters import SMALL, cut, width
from httpdyno.report.charts.drawing.svg import group, path, px, words

_LINE, _BETWEEN = 20.0, 18.0


class Entry(NamedTuple):
    """A mark with its words."""

    mark: str
    """Drawn around (5, -4)."""
    words: str
    arm: int | None = None
    """None: it explains marks of all arms."""
    indent: float = 16.0
    """The words begin here, if there is a mark."""


def drawn_key(entries: Iterable[Entry], total: float) -> tuple[str, float]:
    """The entries from left to right, `total` pixels wide; their height."""
    x, y, parts = 0.0, 15.0, []
    for entry in entries:
        indent = entry.indent if entry.mark else 0.0
        text = cut(entry.words, total - indent, SMALL)
        taken = indent + width(text, SMALL)
        if x and x + taken > total:
            x, y = 0.0, y + _LINE
        inner = entry.mark + words(indent, 0, text, "sm" if entry.arm is not None else "sm mu")
        at = f'<g transform="translate({px(x)} {px(y)})">{inner}</g>'
        parts.append(group(at, arm=entry.arm))
        x += taken + _BETWEEN
    return "".join(parts), y + 9 if parts else 0.0


def starts(places: Iterable[int | None]) -> Iterator[Entry]:
    """The dashes of each start of an arm; none where there is only one start."""
    dashes: dict[str, list[str]] = {}
    for place in sorted({one for one in places if one is not None}):
        dashes.setdefault(style.start(place), []).append(f"{place + 1}")
    if len(dashes) < 2:
        return
    for classes, numbers in dashes.items():
        noun = "start" if len(numbers) == 1 else "starts"
        mark = path("M0 -4h32", f"ax thin {classes}".rstrip())
        yield Entry(mark, f"{noun} {', '.join(numbers)}", indent=38.0)
