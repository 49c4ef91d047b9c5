"""Faults of a text or a document that was read, in words for its author."""

from __future__ import annotations

import json
import sys
import tomllib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pydantic import ValidationError

__all__ = ["first_fault", "parse_fault"]

_MOST_TEXT = 200


def parse_fault(error: ValueError | RecursionError) -> str:
    """The reason why a text was refused by `json` or `tomllib`."""
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    if isinstance(error, json.JSONDecodeError | tomllib.TOMLDecodeError):
        return str(error)
    if "set_int_max_str_digits" in str(error):
        return f"it has a number of more than {sys.get_int_max_str_digits():,} digits"
    return str(error)


def first_fault(error: ValidationError) -> str:
    """The key and the reason of a document's first fault, or the reason alone if it is about the
    whole document."""
    fault = error.errors(include_url=False, include_input=False)[0]
    key = ".".join(map(str, fault["loc"]))[:_MOST_TEXT]
    reason = fault["msg"][:_MOST_TEXT].lower()
    return f"{key}: {reason}" if key else reason
