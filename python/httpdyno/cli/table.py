"""Tables on a terminal: of numbers, which lose columns where there is no room but no digit; and of
texts, which are wrapped."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

from rich import box
from rich.cells import cell_len
from rich.console import Console, JustifyMethod
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from httpdyno.cli.text import ANY_WIDTH, paragraph, room_for_tables
from httpdyno.cli.text_table import places_that_fit
from httpdyno.doubts import COLOURS, MARKS
from httpdyno.listing import both
from httpdyno.output.printable import printable, printable_lines
from httpdyno.output.table import Column, Field, fields

__all__ = ["FittedTable", "borderless_table", "facts"]

LONGEST_NAME = 32
"""Columns are dropped before a name is cut to this width."""
SHORTEST_NAME = 12
IN_THE_REPORT = "the report and a wider terminal have them"
RowT = TypeVar("RowT")


class FittedTable:
    """A table with a name and then numbers in each row. Names can be cut, to `SHORTEST_NAME`."""

    def __init__(
        self,
        columns: Sequence[Column[RowT]],
        rows: Iterable[RowT],
        under: Callable[[RowT], str] | None = None,
    ) -> None:
        """The first column names the rows. `under`: the line above those that belong together."""
        self._name: Column[Any] = columns[0]
        self._columns: Sequence[Column[Any]] = columns[1:]
        self._rows: list[tuple[Text, list[Text]]] = []
        before = ""
        for row in rows:
            name, *numbers = (_text(printable, field) for field in fields(columns, row))
            if under is not None:
                heading = printable(under(row))
                if heading != before:
                    self._rows.append((Text(heading, "bold", no_wrap=False, overflow="fold"), []))
                before = heading
                name = Text("  ") + name
            self._rows.append((name, numbers))

    def show(self, console: Console, elsewhere: str = IN_THE_REPORT) -> None:
        """Print the columns that fit, and then which do not, and where they are."""
        self.draw(console)
        places, room = self._places(console), room_for_tables(console)
        dropped = [one.heading for at, one in enumerate(self._columns) if at not in places]
        if dropped:
            text = f"Not shown in {room} columns: {both(dropped)}; {elsewhere}."
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

    def headings_that_fit(self, console: Console) -> list[str]:
        """The headings of the columns that fit."""
        return [self._columns[place].heading for place in self._places(console)]

    @property
    def _longest_name(self) -> int:
        names = [name.plain for name, _ in self._rows]
        return max(map(cell_len, [self._name.heading, *names]))

    def _places(self, console: Console) -> list[int]:
        """The places of the columns that fit."""
        room = room_for_tables(console) + max(0, self._longest_name - LONGEST_NAME)
        return places_that_fit(
            self._columns, lambda kept: _width(console, self._table(kept)) <= room
        )

    def _table(self, places: Sequence[int], gap: int = 2) -> Table:
        table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, gap, 0, 0))
        for column in (self._name, *(self._columns[place] for place in places)):
            side: JustifyMethod = "right" if column.right else "left"
            table.add_column(column.heading, justify=side, no_wrap=True, overflow="ellipsis")
        for name, numbers in self._rows:
            table.add_row(name, *(numbers[place] for place in places if numbers))
        return table


def borderless_table(headings: Iterable[str], rows: Iterable[Sequence[Field]]) -> Table:
    """A table of texts, without lines."""
    made = Table(box=None, pad_edge=False, header_style="dim")
    for heading in headings:
        made.add_column(heading, overflow="fold")
    for row in rows:
        made.add_row(*(Text.assemble(_text(printable_lines, field)) for field in row))
    return made


def facts(rows: Iterable[tuple[str, str]]) -> Table:
    """A table of labels and values, without headings."""
    made = borderless_table(("", ""), rows)
    made.show_header = False
    made.columns[0].no_wrap = True
    made.columns[0].style = "dim"
    return made


def _text(safe: Callable[[str], str], field: Field) -> Text:
    if isinstance(field, str):
        return Text(safe(field))
    if field.doubt:
        return Text(safe(field.value) + MARKS["suspect"], COLOURS["suspect"])
    return Text(safe(field.value), COLOURS.get(field.tone, field.tone))


def _print(console: Console, table: Table) -> None:
    """Print all of a table: a terminal that is too narrow wraps its lines, and no digit is lost."""
    before = console.width
    console.width = max(before, _width(console, table))
    console.print(table)
    console.width = before


def _width(console: Console, table: Table) -> int:
    wide = console.options.update(max_width=ANY_WIDTH)
    return Measurement.get(console, wide, table).maximum
