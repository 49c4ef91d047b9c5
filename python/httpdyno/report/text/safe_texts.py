"""A result whose texts are safe to show."""

from __future__ import annotations

import operator
from functools import cache
from typing import TypeVar, cast

from pydantic import BaseModel

from httpdyno.output.printable import printable_lines

ValueT = TypeVar("ValueT")
_WITHOUT_TEXT = (float, int, bool, float | None, int | None)


def make_safe(value: ValueT) -> ValueT:
    """The same result, or part of one, without control characters in its texts.

    A large result has millions of numbers: a part without such a text is not copied.
    """
    return cast("ValueT", _safe(value))


def _safe(value: object) -> object:
    if isinstance(value, str):
        return value if value.isprintable() else printable_lines(value)
    if isinstance(value, BaseModel):
        found = {name: getattr(value, name) for name in _with_text(type(value))}
        changed = {name: new for name, old in found.items() if (new := _safe(old)) is not old}
        return value.model_copy(update=changed) if changed else value
    if isinstance(value, list):
        if value and isinstance(value[0], tuple):  # pairs of numbers
            return value
        made = [_safe(each) for each in value]
        return value if all(map(operator.is_, made, value)) else made
    if isinstance(value, dict):
        found = {name: _safe(each) for name, each in value.items()}
        return value if all(found[name] is value[name] for name in value) else found
    return value


@cache
def _with_text(kind: type[BaseModel]) -> tuple[str, ...]:
    """The fields of a model that can hold text."""
    fields = kind.model_fields.items()
    return tuple(name for name, field in fields if field.annotation not in _WITHOUT_TEXT)
