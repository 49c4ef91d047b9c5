"""Widths of words, without the font: those of DejaVu Sans, wider than most fonts of a page."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache

SIZE, SMALL = 13.0, 12.0
"""Sizes of text, CSS pixels; nothing is smaller."""
_BOLD = 1.12
_OTHER, _WIDE = 0.64, 1.0
_EM = {
    letter: width
    for width, letters in (
        (0.28, "ijl'I"),
        (0.32, " .,·"),
        (0.35, "f:;/\\|-"),
        (0.40, "rt()[]!J"),
        (0.47, '"'),
        (0.53, "sz?*`_–"),
        (0.56, "ckFLy"),
        (0.62, "aeghnouvxbdpqEPTYS"),
        (0.64, "0123456789$"),
        (0.70, "ABCKRVXZU"),
        (0.79, "DGHNOQ&"),
        (0.84, "w+<>=×~^#≤≥"),
        (0.88, "M"),
        (0.99, "mW@%…✕"),
    )
    for letter in letters
}

_MARK = re.compile(r" \([AB]\)")


@lru_cache(maxsize=8192)
def width(text: str, size: float = SIZE, *, bold: bool = False) -> float:
    """The room that a line of text takes, CSS pixels."""
    em = sum(_EM.get(letter) or _em(letter) for letter in text)
    return em * size * (_BOLD if bold else 1.0)


def widest(texts: Iterable[str], size: float = SIZE, *, bold: bool = False) -> float:
    """The width of the widest of several lines; 0 without any."""
    return max((width(text, size, bold=bold) for text in texts), default=0.0)


def cut(text: str, room: float, size: float = SIZE, *, bold: bool = False) -> str:
    """The text, or so much of its beginning as fits, with an ellipsis. The ` (A)` or ` (B)` that
    tells two arms of one name apart is kept."""
    if width(text, size, bold=bold) <= room:
        return text
    shown = _beginning(text, room, size, bold=bold)
    mark = _MARK.search(text)
    left = 0.0 if mark is None else room - width(mark.group(), size, bold=bold)
    if mark is None or mark.group() in shown or left < width("m…", size, bold=bold):
        return shown
    return f"{_beginning(text[: mark.start()], left, size, bold=bold)}{mark.group()}"


def _beginning(text: str, room: float, size: float, *, bold: bool) -> str:
    kept = len(text)
    while kept > 1 and width(f"{text[:kept]}…", size, bold=bold) > room:
        kept -= 1
    return f"{text[:kept].rstrip()}…"


def wrap_text(text: str, room: float, size: float = SIZE, *, bold: bool = False) -> list[str]:
    """The text in lines that fit, broken between words; a longer word is cut."""
    lines: list[str] = []
    for word in text.split():
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and width(longer, size, bold=bold) <= room:
            lines[-1] = longer
        else:
            lines.append(cut(word, room, size, bold=bold))
    return lines


def fold(name: str, room: float, size: float = SIZE, *, bold: bool = False) -> list[str]:
    """A name in one line, or broken in two behind a slash, dash or space; the second may be cut."""
    if width(name, size, bold=bold) <= room:
        return [name]
    ends = [at + 1 for at, letter in enumerate(name[:-1]) if letter in "/- ·_.:"]
    fitting = [at for at in ends if width(name[:at].rstrip(), size, bold=bold) <= room]
    if not fitting:
        return [cut(name, room, size, bold=bold)]
    first, second = name[: fitting[-1]].rstrip(), name[fitting[-1] :].strip()
    return [first, cut(second, room, size, bold=bold)]


def _em(letter: str) -> float:
    return _WIDE if unicodedata.east_asian_width(letter) in "WF" else _OTHER
