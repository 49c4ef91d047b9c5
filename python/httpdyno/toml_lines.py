"""Where in a TOML file each key stands: tomllib reads the values and forgets the lines."""

from __future__ import annotations

import re
from collections import Counter

Key = tuple[str | int, ...]

_NAME = r"""[\w-]+|"[^"]*"|'[^']*'"""
_HEADER = re.compile(r"\s*(\[\[?)([^\[\]]+)\]\]?\s*(?:#.*)?$")
_KEY = re.compile(rf"\s*((?:{_NAME})(?:\s*\.\s*(?:{_NAME}))*)\s*=(.*)$")
_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"|' + r"'[^']*'|#.*$")


def key_lines(text: str) -> dict[Key, int]:
    """The line (from 1) of each table, its parents and its keys: `("arms", 1, "server")`.

    Keys of inline tables are not looked into; `line_of` then gives the line that they begin on.
    """
    lines: dict[Key, int] = {}
    seen: Counter[Key] = Counter()
    table: Key = ()
    depth, closing = 0, ""
    for number, line in enumerate(text.split("\n"), start=1):
        if closing:
            closing = "" if closing in line else closing
        elif depth == 0 and (header := _HEADER.match(line)):
            table = _path(header[2])
            if header[1] == "[[":
                seen[table] += 1
                table += (seen[table] - 1,)
            for parents in range(1, len(table) + 1):
                lines.setdefault(table[:parents], number)
        elif depth > 0:
            depth += _count_open(line)
        elif key := _KEY.match(line):
            lines.setdefault(table + _path(key[1]), number)
            closing = _left_open(key[2])
            depth += 0 if closing else _count_open(key[2])
    return lines


def line_of(lines: dict[Key, int], path: Key) -> int:
    """The line of `path`, or of the nearest key around it; 1 when nothing of it is in the file."""
    while path and path not in lines:
        path = path[:-1]
    return lines.get(path, 1)


def _path(dotted: str) -> Key:
    return tuple(part.strip("\"'") for part in re.findall(_NAME, dotted))


def _count_open(text: str) -> int:
    """The number of brackets and braces that stay open after `text`."""
    bare = _QUOTED.sub("", text)
    return sum(bare.count(one) for one in "[{") - sum(bare.count(one) for one in "]}")


def _left_open(value: str) -> str:
    """The quotes that will end a multi-line string begun in `value`, or nothing."""
    for quotes in ('"""', "'''"):
        if value.strip().startswith(quotes) and value.count(quotes) == 1:
            return quotes
    return ""
