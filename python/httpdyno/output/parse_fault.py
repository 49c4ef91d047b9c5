"""Why Python could not read a JSON or TOML text, in words for its author."""

from __future__ import annotations

import json
import sys
import tomllib

__all__ = ["parse_fault"]


def parse_fault(error: ValueError | RecursionError) -> str:
    """The reason why a text was refused by `json` or `tomllib`."""
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    if isinstance(error, json.JSONDecodeError | tomllib.TOMLDecodeError):
        return str(error)
    if "set_int_max_str_digits" in str(error):
        return f"it has a number of more than {sys.get_int_max_str_digits():,} digits"
    return str(error)
