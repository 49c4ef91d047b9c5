"""The first fault of a document that was read, in words."""

from __future__ import annotations

from pydantic import ValidationError

__all__ = ["first_fault"]

_MOST_TEXT = 200


def first_fault(error: ValidationError) -> str:
    """The key and the reason, or the reason alone if it is about the whole document."""
    fault = error.errors(include_url=False, include_input=False)[0]
    key = ".".join(map(str, fault["loc"]))[:_MOST_TEXT]
    reason = fault["msg"][:_MOST_TEXT].lower()
    return f"{key}: {reason}" if key else reason
