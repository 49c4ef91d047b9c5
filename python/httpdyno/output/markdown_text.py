"""Text from outside as GitHub-flavoured Markdown: shown as it is, and obeyed by nothing.

A server's version or error may contain markup, an image that reports its readers, `@team` or
`#12`. Renovate, too, puts a zero-width space behind `@` and `#` to keep a page from mentioning
people.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from httpdyno.output.printable import printable_lines

LONGEST = 600
_MARKUP = {character: f"&#{ord(character)};" for character in "\\`*[]~|$"}
_MARKUP |= {"&": "&amp;", "<": "&lt;", ">": "&gt;", "@": "&#64;&#8203;", "#": "&#35;&#8203;"}
_TABLE = str.maketrans(_MARKUP)
_IN_PLACES = re.compile(r":(?=//)|(?<=\bwww)\.|(?<![^\W_])_|_(?![^\W_])", re.IGNORECASE)
"""A `:` or a `.` that makes a link, and a `_` that is not inside a word."""


def text(raw: str, most: int | None = LONGEST) -> str:
    """A text on one line; words in backticks become code, everything else is plain. `most`:
    characters that are kept, None: all."""
    parts = re.split(r"(`[^`]+`)", clip(raw, most))
    return "".join(part if at % 2 else plain(part) for at, part in enumerate(parts))


def plain(raw: str) -> str:
    """A text in which nothing is code either, for Markdown and for HTML."""
    escaped = raw.translate(_TABLE)
    return _IN_PLACES.sub(lambda found: f"&#{ord(found.group())};", escaped)


def code(raw: str, most: int | None = LONGEST) -> str:
    """A text as code, also one with backticks (CommonMark, section 6.1)."""
    line = clip(raw, most) or " "
    fence = "`" * (max((len(run) for run in re.findall("`+", line)), default=0) + 1)
    space = " " if line.startswith("`") or line.endswith("`") else ""
    return f"{fence}{space}{line}{space}{fence}"


def row(fields: Sequence[str]) -> str:
    """A row of a table, from fields that are Markdown already."""
    return "| " + " | ".join(field.replace("|", "\\|") for field in fields) + " |"


def table(head: Sequence[str], rows: Iterable[Sequence[str]], *, numbers: int = 0) -> str:
    """A table, from fields that are Markdown already. Its last columns, so many, are numbers."""
    rule = ["---"] * (len(head) - numbers) + ["---:"] * numbers
    return "\n".join(map(row, (head, rule, *rows)))


def clip(raw: str, most: int | None) -> str:
    """The text on one line, without its end if it is too long."""
    line = " ".join(printable_lines(raw).split())
    return line if most is None or len(line) <= most else f"{line[: most - 1]}…"
