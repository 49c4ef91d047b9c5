"""Paragraphs and tables on stdout, as wide as the terminal, or as a file may be."""

from __future__ import annotations

import os
import textwrap

from rich.console import Console

from httpdyno.output.printable import printable

__all__ = ["ANY_WIDTH", "DOUBT", "paragraph", "room_for_tables", "stdout_console"]

FILE = 110
"""Columns of text when stdout is a file or a pipe, unless COLUMNS names them."""
ANY_WIDTH = 10_000
"""Wider than any table."""
WIDEST_TEXT = 100
"""Longer lines of text are hard to read."""
DOUBT = "?"
"""Behind a number that is suspect."""


def stdout_console() -> Console:
    """The console of stdout, without any markup."""
    console = Console(highlight=False, markup=False, emoji=False)
    if console.is_terminal:
        return console
    columns = _given_columns() or FILE
    return Console(highlight=False, markup=False, emoji=False, width=columns)


def room_for_tables(console: Console) -> int:
    """The columns that a table may have: those of the terminal; in a file, as many as it needs."""
    return console.width if console.is_terminal or _given_columns() else ANY_WIDTH


def _given_columns() -> int:
    """The width that COLUMNS asks for; 0: none."""
    text = os.environ.get("COLUMNS", "")
    return int(text) if text.isdecimal() else 0


def paragraph(console: Console, text: str, style: str = "") -> None:
    """Text at its indent; a path or a command in it stays whole."""
    shown = printable(text.lstrip(" "))
    indent = " " * (len(text) - len(text.lstrip(" ")))
    lines = textwrap.wrap(
        shown,
        min(console.width, WIDEST_TEXT),
        initial_indent=indent,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
    console.print("\n".join(lines), style=style, soft_wrap=True)
