"""Where in a TOML file each key stands: tomllib reads the values and forgets the lines."""

from __future__ import annotations

import re
from collections import Counter

_TABLE = re.compile(r"\s*\[{1,2}([^\]]+)\]{1,2}\s*(?:#.*)?$")
_KEY = re.compile(r"""\s*((?:[\w-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[\w-]+|"[^"]*"|'[^']*'))*)\s*=""")
_PART = re.compile(r"""[\w-]+|"[^"]*"|'[^']*'""")


def lines_of_keys(text: str) -> dict[tuple[str, ...], int]:
    """The line (from 1) of each table, its parents and its keys: `("install", "kind")`, and
    `("settings", "0", "what")` in an array of tables.

    Good for the plain files a `server.toml` is. A line inside a long string that looks like a key
    counts as one; it can only make a fault point at that line.
    """
    lines: dict[tuple[str, ...], int] = {}
    table: tuple[str, ...] = ()
    counted: Counter[tuple[str, ...]] = Counter()
    for number, line in enumerate(text.splitlines(), start=1):
        if header := _TABLE.match(line):
            table = _path(header[1])
            if line.lstrip().startswith("[["):
                counted[table] += 1
                table = (*table, str(counted[table] - 1))
            for depth in range(1, len(table) + 1):
                lines.setdefault(table[:depth], number)
        elif key := _KEY.match(line):
            lines.setdefault(table + _path(key[1]), number)
    return lines


def line_of(lines: dict[tuple[str, ...], int], path: tuple[str, ...]) -> int:
    """The line of `path`, or of the nearest key around it; 1 when nothing of it is in the file."""
    while path:
        if path in lines:
            return lines[path]
        path = path[:-1]
    return 1


def _path(dotted: str) -> tuple[str, ...]:
    return tuple(part.strip("\"'") for part in _PART.findall(dotted))
