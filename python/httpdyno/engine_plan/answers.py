"""Right bodies that are no fixed bytes: a JSON example, HTML, or a regular expression.

`docs/guides/check-answers.md` defines the notation. The engine reads it and judges bodies, here as
under load.
"""

from __future__ import annotations

import re
from typing import Literal, get_args

from httpdyno.compiled import call, compiled
from httpdyno.errors import UsageError

__all__ = ["NOTATIONS", "Notation", "answer_fault", "body_fault", "parse_sample"]

Notation = Literal["json", "html", "regex"]
NOTATIONS: tuple[Notation, ...] = get_args(Notation)
_MOST_ONE_IN = (1 << 32) - 1


def answer_fault(notation: Notation, answer: str) -> str | None:
    """The fault of a right answer; None: it has none."""
    try:
        body_fault(notation, answer, b"")
    except UsageError as wrong:
        return wrong.message
    return None


def body_fault(notation: Notation, answer: str, body: bytes) -> str | None:
    """The fault of a body beside the right answer; None: it is right. Raises UsageError."""
    fault: str | None = call(compiled().body_fault, notation, answer, body)
    return fault


def parse_sample(text: str) -> int:
    """Of how many replies one body is checked: 50 for `1/50`, 1 for `all`. Raises ValueError."""
    part = re.fullmatch(r"1/([1-9][0-9]{0,9})", text, re.ASCII)
    if text != "all" and (part is None or int(part[1]) > _MOST_ONE_IN):
        raise ValueError("expected `all`, or a part such as `1/50`")
    return 1 if part is None else int(part[1])
