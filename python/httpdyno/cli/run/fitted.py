"""Tables of numbers that fit the terminal: columns are dropped in a stated order, digits never."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich import box
from rich.cells import cell_len
from rich.console import Console, JustifyMethod
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from httpdyno.cli.run.text import ANY_WIDTH, paragraph, room_for_tables

__all__ = ["Column", "FittedTable"]

LONGEST_NAME = 32
"""Columns are dropped before a name is cut to this width."""
SHORTEST_NAME = 12
IN_THE_REPORT = "the report and a wider terminal have them"


@dataclass(frozen=True)
class Column:
    """A column of numbers. On a narrow terminal, those with the greatest `drop` go first, and those
    of an equal one together; 0: it stays."""

    heading: str
    drop: int = 0
    right: bool = True


UNNAMED = Column("", right=False)


class FittedTable:
    """A table with a name and then numbers in each row. Names can be cut, to `SHORTEST_NAME`."""

    def __init__(self, *columns: Column, name: Column = UNNAMED) -> None:
        self._name = name
        self._columns = columns
        self._rows: list[tuple[Text, Sequence[str | Text] | None]] = []

    def add_heading(self, text: str) -> None:
        """Add a line above the rows that belong together."""
        self._rows.append((Text(text, "bold", no_wrap=False, overflow="fold"), None))

    def add_row(self, name: Text, *cells: str | Text) -> None:
        """Add a row with a cell for every column."""
        if len(cells) != len(self._columns):
            raise ValueError(f"{len(cells)} cells: expected {len(self._columns)}")
        self._rows.append((name, cells))

    def show(self, console: Console, elsewhere: str = IN_THE_REPORT) -> None:
        """Print the columns that fit, and then which do not, and where they are."""
        self.draw(console)
        places, room = self._places(console), room_for_tables(console)
        dropped = [one.heading for at, one in enumerate(self._columns) if at not in places]
        if dropped:
            text = f"Not shown in {room} columns: {_in_words(dropped)}; {elsewhere}."
            paragraph(console, text, style="dim")

    def draw(self, console: Console) -> None:
        """Print the columns that fit, beside names that are cut where they have to be."""
        places, room = self._places(console), room_for_tables(console)
        table = self._table(places)
        others = _width(console, table) - self._longest_name
        if others + SHORTEST_NAME > room:
            table = self._table(places, gap=1)
            others = _width(console, table) - self._longest_name
        if others + self._longest_name > room:
            table.columns[0].max_width = max(room - others, SHORTEST_NAME)
        _print(console, table)

    def shown(self, console: Console) -> list[str]:
        """The headings of the columns that fit."""
        return [self._columns[place].heading for place in self._places(console)]

    @property
    def _longest_name(self) -> int:
        names = [name.plain for name, _ in self._rows]
        return max(map(cell_len, [self._name.heading, *names]))

    def _places(self, console: Console) -> list[int]:
        """The places of the columns that fit."""
        kept = list(range(len(self._columns)))
        room = room_for_tables(console) + max(0, self._longest_name - LONGEST_NAME)
        while _width(console, self._table(kept)) > room:
            first = max((self._columns[place].drop for place in kept), default=0)
            if first == 0:
                break
            kept = [place for place in kept if self._columns[place].drop != first]
        return kept

    def _table(self, places: Sequence[int], gap: int = 2) -> Table:
        table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, gap, 0, 0))
        for column in (self._name, *(self._columns[place] for place in places)):
            side: JustifyMethod = "right" if column.right else "left"
            table.add_column(column.heading, justify=side, no_wrap=True, overflow="ellipsis")
        for name, cells in self._rows:
            table.add_row(name, *(() if cells is None else (cells[place] for place in places)))
        return table


def _print(console: Console, table: Table) -> None:
    """Print all of a table: a terminal that is too narrow wraps its lines, and no digit is lost."""
    before = console.width
    console.width = max(before, _width(console, table))
    console.print(table)
    console.width = before


def _width(console: Console, table: Table) -> int:
    wide = console.options.update(max_width=ANY_WIDTH)
    return Measurement.get(console, wide, table).maximum


def _in_words(headings: Sequence[str]) -> str:
    *first, last = headings
    return f"{', '.join(first)} and {last}" if first else last
