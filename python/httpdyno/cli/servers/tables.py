"""Tables for people, as wide as their terminal."""

from __future__ import annotations

import json
import sys

from rich.console import Console
from rich.table import Table

__all__ = ["console", "print_json", "table"]

_PIPE_WIDTH = 100


def table(*headings: str) -> Table:
    """An empty table in the house style."""
    made = Table(box=None, pad_edge=False, header_style="dim")
    for heading in headings:
        made.add_column(heading, overflow="fold")
    return made


def console() -> Console:
    """A console as wide as the terminal; a pipe gets 100 columns."""
    return Console(width=None if sys.stdout.isatty() else _PIPE_WIDTH, highlight=False)


def print_json(value: object) -> None:
    """One JSON value on stdout."""
    sys.stdout.write(json.dumps(value, indent=2, ensure_ascii=False) + "\n")
