"""One chart, ready for a page or a file. Its drawings are made on request."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from httpdyno.result import LoadInfo

Section = Literal[
    "replay",
    "ratio",
    "rates",
    "throughput",
    "latency",
    "spectrum",
    "errors",
    "cpu",
    "memory",
    "capacity",
    "timeline",
    "history",
    "sweep",
]
Kind = Literal["wide", "narrow", "other"]
"""Drawings of a chart: for a wide page, for a phone, on the other kind of axis."""
Form = Literal["whole", "plain", "title"]
"""Parts of a chart that a page has room for: all of it; the wide drawing without tooltips; only
its finding."""
_TIP = re.compile(r' data-tip="[^"]*"')
_HEIGHT = re.compile(r'viewBox="0 0 [0-9.]+ ([0-9.]+)"')
MOST_HALF = 440
"""Greatest height of a narrow drawing on half the width of a sheet of paper, CSS pixels."""


@dataclass(frozen=True)
class Table:
    """The numbers of a chart as text, for readers who do not see it."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


NO_TABLE = Table((), ())


@dataclass(frozen=True)
class Figure:
    """A drawing with its finding."""

    section: Section
    name: str
    """Stem of its files, and beginning of the ids in its SVG: letters, digits and dashes."""
    title: str
    """The finding, in a sentence of plain text."""
    subtitle: str
    """The things drawn, in plain text."""
    load: LoadInfo | None
    """None: the chart shows several loads."""
    drawing: Callable[[Kind], tuple[str, bool]]
    """Makes the markup of a drawing, once; True: one of its axes is logarithmic. Empty: there is no
    such drawing."""
    numbers: Callable[[], Table]
    form: Form = "whole"

    @property
    def svg(self) -> str:
        """Markup for a wide page. Its colours are classes: `drawing.style.css` defines them."""
        return self._plain if self.form == "plain" else self.drawing("wide")[0]

    @property
    def narrow(self) -> str | None:
        """The same for a phone; None: the page has no room for it."""
        return self.drawing("narrow")[0] if self.form == "whole" else None

    @property
    def half(self) -> bool:
        """True if two such charts are side by side on paper: the one for a phone is short."""
        found = _HEIGHT.search(self.narrow or "")
        return found is not None and float(found[1]) <= MOST_HALF

    @property
    def other(self) -> str | None:
        """The same on the other kind of axis: logarithmic for linear, linear for logarithmic."""
        return self.drawing("other")[0] or None if self.form == "whole" else None

    @property
    def is_log(self) -> bool:
        """True if an axis is logarithmic."""
        return self.drawing("wide")[1]

    @property
    def table(self) -> Table:
        """The numbers; empty where the page has no room, for its tables have them too."""
        return self._table if self.form == "whole" else NO_TABLE

    @cached_property
    def _table(self) -> Table:
        return self.numbers()

    @cached_property
    def _plain(self) -> str:
        return _TIP.sub("", self.drawing("wide")[0])
