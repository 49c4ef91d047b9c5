"""Tables and JSON on stdout."""

from __future__ import annotations

import json
import os
import sys

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from httpdyno.output.printable import printable_lines

__all__ = ["DASH", "cell", "console", "grid", "print_json", "table"]

DASH = "–"
"""An empty cell."""

_PIPE_WIDTH = 100


def table(*headings: str) -> Table:
    """An empty table, without lines."""
    made = Table(box=None, pad_edge=False, header_style="dim")
    for heading in headings:
        made.add_column(heading, overflow="fold")
    return made


def grid() -> Table:
    """An empty table of labels and values, without headings."""
    made = table("", "")
    made.show_header = False
    made.columns[0].no_wrap = True
    made.columns[0].style = "dim"
    return made


def cell(text: str) -> str:
    """Text from a server or a file, with nothing in it that rich or a terminal would obey."""
    return escape(printable_lines(text))


def console() -> Console:
    """A console as wide as the terminal, or as COLUMNS says; else a pipe gets 100 columns."""
    given = sys.stdout.isatty() or os.environ.get("COLUMNS", "").isdecimal()
    return Console(width=None if given else _PIPE_WIDTH, highlight=False)


def print_json(value: object) -> None:
    """Write one JSON value to stdout."""
    sys.stdout.write(json.dumps(value, indent=2, ensure_ascii=False) + "\n")
