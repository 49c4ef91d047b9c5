"""The screen of a terminal as HTML, below the command line that was typed."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from html import escape
from itertools import groupby
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyte

_COLOURS = {
    "black": "#484f58",
    "red": "#ff7b72",
    "green": "#3fb950",
    "brown": "#d29922",
    "blue": "#58a6ff",
    "magenta": "#bc8cff",
    "cyan": "#39c5cf",
    "white": "#b1bac4",
}
_INK, _PAPER = "#e6edf3", "#0d1117"
_PAGE = """<!doctype html><meta charset="utf-8"><style>
body {{ margin: 0; background: {paper}; width: max-content }}
pre {{ margin: 0; padding: 14px 18px; color: {ink}; min-width: {columns}ch;
  font: 15px/17px "DejaVu Sans Mono", monospace }}
</style><pre>{lines}</pre>"""


def html(screen: pyte.Screen, words: Sequence[str], most: int = 1000) -> str:
    """A page with the first lines of a screen, so many at most."""
    texts = [line.rstrip() for line in screen.display]
    every = max((number + 1 for number, text in enumerate(texts) if text), default=0)
    count = every if every <= most else most - 1
    typed = escape(_wrapped(words, screen.columns - 4), quote=False)
    lines = [f'<b style="color:{_COLOURS["green"]}">$</b> {typed}', ""]
    lines += [_line(screen.buffer[number], len(texts[number])) for number in range(count)]
    lines += ["…"] if count < every else []
    return _PAGE.format(columns=screen.columns, lines="\n".join(lines), ink=_INK, paper=_PAPER)


def _line(row: Any, end: int) -> str:
    runs = groupby((row[column] for column in range(end)), key=_style)
    return "".join(_span(style, "".join(one.data for one in run)) for style, run in runs)


def _wrapped(words: Sequence[str], width: int) -> str:
    """A command line that can be pasted, on several lines if it is long."""
    lines = [""]
    for part in _parts(words):
        longer = f"{lines[-1]} {part}"
        if len(longer) > width and lines[-1]:
            lines.append(f"  {part}")
        else:
            lines[-1] = longer if lines[-1] else part
    return " \\\n".join(lines)


def _parts(words: Sequence[str]) -> list[str]:
    """The words; an option and its value are one part."""
    parts: list[str] = []
    for word, before in zip(words, ["", *words], strict=False):
        if before.startswith("-") and not word.startswith("-"):
            parts[-1] += f" {shlex.quote(word)}"
        else:
            parts.append(shlex.quote(word))
    return parts


def _span(style: str, text: str) -> str:
    shown = escape(text, quote=False)
    return f'<span style="{style}">{shown}</span>' if style else shown


def _style(char: Any) -> str:
    """The style of a character in CSS; empty: the default."""
    colour, paper = _colour(char.fg), _colour(char.bg)
    if char.reverse:
        colour, paper = paper or _PAPER, colour or _INK
    style = f"color:{colour};" if colour else ""
    style += f"background:{paper};" if paper else ""
    return style + ("font-weight:bold;" if char.bold else "")


def _colour(name: str) -> str:
    """A colour of CSS; empty: the default."""
    if name == "default":
        return ""
    return _COLOURS.get(name.removeprefix("bright")) or f"#{name}"
