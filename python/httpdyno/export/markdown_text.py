"""Text from outside as GitHub-flavoured Markdown: shown as it is, and obeyed by nothing.

A server's version or error may contain markup, an image that reports its readers, `@team` or
`#12`. Renovate, too, puts a zero-width space behind `@` and `#` to keep a page from mentioning
people.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from httpdyno.output.printable import printable_lines

LONGEST = 600
_MARKUP = {character: f"&#{ord(character)};" for character in "\\`*_[]!~|$"}
_MARKUP |= {"&": "&amp;", "<": "&lt;", ">": "&gt;", "@": "&#64;&#8203;", "#": "&#35;&#8203;"}
_TABLE = str.maketrans(_MARKUP)
_LINK = re.compile(r":(?=//)|(?<=\bwww)\.", re.IGNORECASE)


def text(raw: str, most: int = LONGEST) -> str:
    """A text on one line; words in backticks become code, everything else is plain."""
    parts = re.split(r"(`[^`]+`)", clipped(raw, most))
    return "".join(part if at % 2 else _plain(part) for at, part in enumerate(parts))


def code(raw: str, most: int = LONGEST) -> str:
    """A text as code, also one with backticks (CommonMark, section 6.1)."""
    plain = clipped(raw, most) or " "
    fence = "`" * (max((len(run) for run in re.findall("`+", plain)), default=0) + 1)
    space = " " if plain.startswith("`") or plain.endswith("`") else ""
    return f"{fence}{space}{plain}{space}{fence}"


def row(fields: Sequence[str]) -> str:
    """A row of a table, from fields that are Markdown already."""
    return "| " + " | ".join(field.replace("|", "\\|") for field in fields) + " |"


def clipped(raw: str, most: int) -> str:
    """The text on one line, without its end if it is too long."""
    plain = " ".join(printable_lines(raw).split())
    return plain if len(plain) <= most else f"{plain[: most - 1]}…"


def _plain(part: str) -> str:
    escaped = part.translate(_TABLE)
    return _LINK.sub(lambda found: f"&#{ord(found.group())};", escaped)
