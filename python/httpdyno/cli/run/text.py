"""Paragraphs and tables on stdout, as wide as the terminal, or as a file may be."""

from __future__ import annotations

import shutil
import textwrap

from rich.console import Console

from httpdyno.output.printable import printable

__all__ = ["paragraph", "stdout_console"]

NARROWEST_FILE = 110
"""Columns when stdout is a file or a pipe."""
WIDEST_TEXT = 100
"""Longer lines of text are hard to read."""


def stdout_console() -> Console:
    """The console of stdout, without any markup."""
    console = Console(highlight=False, markup=False, emoji=False)
    if console.is_terminal:
        return console
    columns = max(shutil.get_terminal_size().columns, NARROWEST_FILE)
    return Console(highlight=False, markup=False, emoji=False, width=columns)


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
