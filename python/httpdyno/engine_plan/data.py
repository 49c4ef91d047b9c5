"""Data files: `{users.email}` is the column `email` of the file `users`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Literal

from httpdyno.compiled import compiled
from httpdyno.engine_plan.part import Part

__all__ = ["DataFile", "RowOrder", "names_of", "parse_data", "written_data"]

RowOrder = Literal["in_order", "random", "once"]

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_ORDERS: dict[str, RowOrder] = {":random": "random", ":once": "once"}
_EXPECTED = "expected `FILE`, `FILE:random` or `FILE:once`, with `NAME=` before it or without"


class DataFile(Part):
    """A file whose rows have values for placeholders: CSV with a header, or lines of JSON."""

    name: str
    """The first part of the names of its placeholders."""
    file: str
    """It is read when the run begins; lines of JSON if it ends in `.jsonl` or `.ndjson`."""
    order: RowOrder = "in_order"
    """The row of each call, or of each session: the next one, again from the first after the last;
    any, drawn by the seed; or the next one, until there is none, which ends the run."""


def parse_data(text: str) -> DataFile:
    """A data file from `[NAME=]FILE[:once|:random]`. Raises ValueError."""
    word = next((word for word in _ORDERS if text.endswith(word)), "")
    file = text.removesuffix(word)
    name, equals, rest = file.partition("=")
    if equals and _NAME.fullmatch(name):
        file = rest
    else:
        name = Path(file).stem
    if not file:
        raise ValueError(_EXPECTED)
    if _NAME.fullmatch(name) is None:
        raise ValueError(
            "placeholders cannot have the name of this file: expected a name before it, such as"
            f" `users={file}`"
        )
    return DataFile(name=name, file=file, order=_ORDERS.get(word, "in_order"))


def written_data(data: DataFile) -> str:
    """The text that `parse_data` reads as this."""
    word = "" if data.order == "in_order" else f":{data.order}"
    return f"{data.name}={data.file}{word}"


def names_of(data: Iterable[DataFile]) -> list[str]:
    """The names of the placeholders for the columns of data files.

    Raises ValueError for a file that cannot be read, and for two of the same name.
    """
    files = list(data)
    for name, times in Counter(one.name for one in files).items():
        if times > 1:
            raise ValueError(f"{times} data files are called `{name}`: expected another `NAME=`")
    return [f"{one.name}.{column}" for one in files for column in compiled().data_columns(one.file)]
