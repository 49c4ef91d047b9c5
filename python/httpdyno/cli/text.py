"""Paragraphs and JSON on stdout, as wide as the terminal, or as a file may be."""

from __future__ import annotations

import json
import os
import sys

from rich.console import Console
from rich.markup import escape

from httpdyno.cli.lines import lines_of
from httpdyno.output.printable import printable, printable_lines

__all__ = [
    "ANY_WIDTH",
    "DASH",
    "WIDEST_TEXT",
    "escape_text",
    "markup_console",
    "paragraph",
    "print_json",
    "room_for_tables",
    "stdout_console",
    "text_console",
]

FILE = 110
"""Columns of text when stdout is a file or a pipe, unless COLUMNS names them."""
_PIPE = 100
ANY_WIDTH = 10_000
"""Wider than any table."""
WIDEST_TEXT = 100
"""Longer lines of text are hard to read."""
DASH = "–"
"""An empty field of a table."""


def stdout_console() -> Console:
    """The console of stdout, without any markup."""
    return text_console(stderr=False)


def text_console(*, stderr: bool) -> Console:
    """The console of stdout or stderr, without any markup."""
    console = Console(stderr=stderr, highlight=False, markup=False, emoji=False)
    if not console.is_terminal:
        console.width = _given_columns() or FILE
    return _limit_width(console)


def markup_console() -> Console:
    """A console as wide as the terminal, or as COLUMNS says; else a pipe gets 100 columns."""
    given = sys.stdout.isatty() or _given_columns()
    return _limit_width(Console(width=None if given else _PIPE, highlight=False))


def _limit_width(console: Console) -> Console:
    """The console, no wider than any table: COLUMNS may give any number."""
    console.width = min(console.width, ANY_WIDTH)
    return console


def room_for_tables(console: Console) -> int:
    """The columns that a table may have: those of the terminal; in a file, as many as it needs."""
    return console.width if console.is_terminal or _given_columns() else ANY_WIDTH


def _given_columns() -> int:
    """The width that COLUMNS gives; 0: none."""
    text = os.environ.get("COLUMNS", "")
    return min(int(text[:9]), ANY_WIDTH) if text.isdecimal() else 0


def paragraph(console: Console, text: str, style: str = "", *, hanging: str = "") -> None:
    """Text at its indent, its other lines also at `hanging`; a path or a command stays whole."""
    shown = printable(text.lstrip(" "))
    indent = " " * (len(text) - len(text.lstrip(" ")))
    width = min(console.width, WIDEST_TEXT)
    lines = lines_of(shown, width, first=indent, others=indent + hanging)
    console.print("\n".join(lines), style=style, markup=False, soft_wrap=True)


def escape_text(text: str) -> str:
    """Text from a server or a file, with nothing in it that rich or a terminal would obey."""
    return escape(printable_lines(text))


def print_json(value: object) -> None:
    """Write one JSON value to stdout."""
    sys.stdout.write(json.dumps(value, indent=2, ensure_ascii=False) + "\n")
