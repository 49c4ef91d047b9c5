"""The doubts about a number: of a cell, and of a comparison of two cells."""

from __future__ import annotations

from collections.abc import Mapping

from httpdyno.doubts import NUMBERS, Number
from httpdyno.result import CellRow, Comparison, StudyResult

SUSPECT = "suspect"
Cells = Mapping[tuple[str, str, str], CellRow]
"""Cells by arm, load and point."""


def cells_of(result: StudyResult) -> Cells:
    """The cells of a result by their place."""
    return {(cell.arm, cell.load, cell.point): cell for cell in result.cells}


def doubt(cell: CellRow, number: Number | None) -> str:
    """Why a number of a cell, or its capacity, is suspect; empty: it is not."""
    if cell.status_of(number) != SUSPECT:
        return ""
    return "; ".join(reason.text for reason in cell.reasons_of(number)) or SUSPECT


def doubt_of_ratio(row: Comparison, cells: Cells) -> str:
    """Why the numbers that are compared are suspect; empty: they are not."""
    pair = [cells.get((name, row.load, row.point)) for name in (row.arm, row.baseline)]
    numbers = NUMBERS if row.number is None else (row.number,)
    found = dict.fromkeys(
        doubt(cell, number) for cell in pair if cell is not None for number in numbers
    )
    return "; ".join(filter(None, found))
