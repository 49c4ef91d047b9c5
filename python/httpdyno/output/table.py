"""Tables as values. A terminal, Markdown and a page have a writer each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

__all__ = ["Cell", "Column", "Field", "TextColumn", "fields"]

RowT = TypeVar("RowT")


@dataclass(frozen=True)
class Cell:
    """A number or a word: its text, its interval, and the doubt about it."""

    value: str
    interval: str = ""
    """In small print below it, or in parentheses."""
    doubt: str = ""
    """Why the value is suspect; empty: it is not."""
    number: float | None = None
    """The value, to sort by and to compare with."""
    card: str = ""
    """Id of the part of the page that explains the doubt."""
    tone: str = ""
    """The verdict whose colour it has; on a terminal also `bold` or `dim`."""
    bodies: Cell | None = None
    """Bytes of reply bodies per second, where bodies are large enough to matter."""


Field = str | Cell


@dataclass(frozen=True)
class Column(Generic[RowT]):
    """A column: its heading, and the field of each row."""

    heading: str
    field: Callable[[RowT], Field]
    right: bool = True
    """True if its fields are at the right, as numbers are."""
    drop: int = 0
    """On a narrow terminal, the columns with the greatest one go first, and those of an equal one
    together; 0: it stays."""
    at: str = ""
    """The end of its heading, in small print: `at 50 %`."""
    interval: str = ""
    """The intervals of its cells, in small print."""
    sorts: bool = False
    """True if a click on its heading sorts a page's table by it."""
    is_prose: bool = False
    """True if its texts are sentences, with code in backticks."""
    has_intervals_apart: bool = False
    """True if the next column of a page has its intervals."""
    in_markdown: bool = True

    @property
    def small(self) -> str:
        """The small print behind its heading."""
        return "; ".join(filter(None, (self.at, self.interval)))

    @property
    def label(self) -> str:
        """Its heading beside a single field."""
        return f"{self.heading} {self.at}" if self.at else self.heading

    @property
    def title(self) -> str:
        """Its whole heading as plain text."""
        return f"{self.label} ({self.interval})" if self.interval else self.label


@dataclass(frozen=True)
class TextColumn(Column[RowT]):
    """A column of texts: they are at the left."""

    right: bool = False


def fields(columns: Sequence[Column[RowT]], row: RowT) -> list[Field]:
    """The fields of a row in the order of the columns."""
    return [one.field(row) for one in columns]
