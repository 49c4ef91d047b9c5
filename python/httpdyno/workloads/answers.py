"""Right bodies that are no fixed bytes: a JSON example, or a regular expression.

`docs/guides/check-answers.md` defines the notation. The engine reads it and judges bodies, here as
under load.
"""

from __future__ import annotations

from typing import Literal

from httpdyno.compiled import call, compiled
from httpdyno.errors import UsageError

__all__ = ["Notation", "answer_fault", "body_fault"]

Notation = Literal["json", "regex"]


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
