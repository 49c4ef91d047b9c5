"""Tables as lines of text: names at the left, numbers at the right. A narrow terminal has fewer
columns, and all digits of those that it has."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence, Set
from typing import Any, Generic, TypeVar

from httpdyno.doubts import MARKS
from httpdyno.output.table import Column, Field, fields

__all__ = ["TextTable", "places_that_fit"]

RowT = TypeVar("RowT")


class TextTable(Generic[RowT]):
    """A table whose lines are at most `width` characters wide, if its columns allow that."""

    def __init__(
        self,
        columns: Sequence[Column[RowT]],
        rows: Iterable[RowT],
        width: int,
        *,
        first: int = 0,
        others: int = 0,
        gap: int = 2,
        doubted: Set[str] = frozenset(),
    ) -> None:
        """`first` and `others`: the least widths of the columns, with the gap before them.
        `doubted`: the headings above suspect numbers, which are marked."""
        self._columns = columns
        heads = [one.heading for one in columns]
        marked = [name + MARKS["suspect"] if name in doubted else name for name in heads]
        self._rows = [marked, *(_texts(columns, row) for row in rows)]
        longest = [max(map(len, texts)) for texts in zip(*self._rows, strict=True)]
        self._widths = [max(first, longest[0]), *(max(others, gap + one) for one in longest[1:])]
        self._gap = gap
        self._places = places_that_fit(columns, lambda kept: self._width(kept) <= width)

    @property
    def not_shown(self) -> str:
        """The sentence about the columns that do not fit; empty if all of them do."""
        heads = [one.heading for at, one in enumerate(self._columns) if at not in self._places]
        names = ", ".join(filter(None, heads))
        return f"Not shown: {names}; a wider terminal has them." if names else ""

    def lines(self) -> list[str]:
        """The headings, and a line for each row; none without rows."""
        return [self._line(row) for row in self._rows] if len(self._rows) > 1 else []

    def _line(self, row: Sequence[str]) -> str:
        return "".join(self._cell(row[at], at) for at in self._places).rstrip()

    def _cell(self, text: str, at: int) -> str:
        width = self._widths[at]
        if self._columns[at].right:
            return text.rjust(width)
        gap = " " * (self._gap if at else 0)
        return (gap + text).ljust(width)

    def _width(self, places: Sequence[int]) -> int:
        return sum(self._widths[at] for at in places)


def places_that_fit(
    columns: Sequence[Column[Any]], fits: Callable[[Sequence[int]], bool]
) -> list[int]:
    """The places of the columns that fit: those with the greatest `drop` go first, together."""
    kept = list(range(len(columns)))
    while not fits(kept):
        first = max((columns[at].drop for at in kept), default=0)
        if first == 0:
            break
        kept = [at for at in kept if columns[at].drop != first]
    return kept


def _texts(columns: Sequence[Column[RowT]], row: RowT) -> list[str]:
    return [_text(one) for one in fields(columns, row)]


def _text(field: Field) -> str:
    return field if isinstance(field, str) else field.value
