"""Rows grouped by a key, in one pass."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import TypeVar

KeyT = TypeVar("KeyT", bound=Hashable)
RowT = TypeVar("RowT")


def group_by(rows: Iterable[RowT], key: Callable[[RowT], KeyT]) -> dict[KeyT, list[RowT]]:
    """The rows of each key, in their order."""
    found: dict[KeyT, list[RowT]] = {}
    for row in rows:
        found.setdefault(key(row), []).append(row)
    return found
