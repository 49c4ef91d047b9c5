"""Styled text of one line: its width in cells, and the part that fits."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache

__all__ = ["beside", "cells", "crop", "pad", "plain", "shorten", "with_style"]

_SGR = re.compile(r"(\x1b\[[0-9;]*m)")
_UNLIKE_LATIN = re.compile("[^\u0020-\u02ff\u2010-\u2bff]")
"""Characters that may not be one cell wide: not those of western languages, lines and blocks."""
_CODES = {
    "bold": "1",
    "dim": "2",
    "red": "31",
    "green": "32",
    "yellow": "33",
    "magenta": "35",
    "cyan": "36",
}
_RESET = "\x1b[0m"
_BETWEEN = " · "


def with_style(text: str, style: str) -> str:
    """The text in a style, such as `bold` or `red`."""
    return f"\x1b[{_CODES[style]}m{text}{_RESET}" if text else ""


def plain(text: str) -> str:
    """The text without styles."""
    return _SGR.sub("", text)


def cells(text: str) -> int:
    """The width of a text on a terminal."""
    bare = plain(text)
    return sum(map(_cells, bare)) if _UNLIKE_LATIN.search(bare) else len(bare)


def crop(text: str, width: int) -> str:
    """The text if it is at most `width` cells wide, else its beginning with an ellipsis."""
    if cells(text) <= width:
        return text
    room, kept = width - 1, []
    for part in _SGR.split(text):
        if part.startswith("\x1b"):
            kept.append(part)
            continue
        for character in part:
            room -= _cells(character)
            if room < 0:
                end = "…" * min(1, width) + (_RESET if "\x1b" in text else "")
                return "".join(kept) + end
            kept.append(character)
    return "".join(kept)


def shorten(names: Sequence[Sequence[str]], width: int) -> str:
    """Names such as `server · load`, in at most `width` cells.

    `names`: the same, from the longest way to say them to the shortest. If that does not fit, the
    longest of its names are cut in the middle.
    """
    for one in names:
        if cells(joined := _BETWEEN.join(one)) <= width:
            return joined
    shortest = names[-1]
    most = max(map(cells, shortest))
    while most > 1 and cells(joined) > width:
        most -= 1
        joined = _BETWEEN.join(_cut(name, most) for name in shortest)
    return joined


def _cut(name: str, width: int) -> str:
    """The beginning and the end of a name."""
    kept, cut = len(name), name
    while kept > 0 and cells(cut) > width:
        kept -= 1
        cut = f"{name[: kept - kept // 2]}…{name[len(name) - kept // 2 :]}"
    return cut


def pad(text: str, width: int) -> str:
    """The text, cropped or filled with spaces to `width` cells."""
    fitting = crop(text, width)
    return fitting + " " * (width - cells(fitting))


def beside(left: Sequence[str], right: Sequence[str], width: int) -> list[str]:
    """Two blocks of lines, the right one from column `width` on."""
    rows = max(len(left), len(right))
    filled = [*left, *[""] * (rows - len(left))]
    return [
        pad(one, width) + (right[row] if row < len(right) else "") for row, one in enumerate(filled)
    ]


@lru_cache(maxsize=4096)
def _cells(character: str) -> int:
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
