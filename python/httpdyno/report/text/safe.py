"""A result whose texts are safe to show."""

from __future__ import annotations

from typing import TypeVar, cast

from pydantic import BaseModel

from httpdyno.output.printable import printable_lines

ValueT = TypeVar("ValueT")


def safe(value: ValueT) -> ValueT:
    """The same result, or part of one, without control characters in its texts."""
    return cast("ValueT", _safe(value))


def _safe(value: object) -> object:
    if isinstance(value, str):
        return printable_lines(value)
    if isinstance(value, list):
        return [_safe(each) for each in value]
    if isinstance(value, dict):
        return {name: _safe(each) for name, each in value.items()}
    if isinstance(value, BaseModel):
        fields = {name: _safe(getattr(value, name)) for name in type(value).model_fields}
        return value.model_copy(update=fields)
    return value
