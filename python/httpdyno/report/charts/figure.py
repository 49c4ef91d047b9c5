"""One chart, ready for a page or a file."""

from __future__ import annotations

from dataclasses import dataclass
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


@dataclass(frozen=True)
class Table:
    """The numbers of a chart as text, for readers who do not see it."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


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
    svg: str
    """Markup for a wide page. Its colours are classes: `drawing.style.css` defines them."""
    narrow: str | None
    """The same for a phone; None: the result is too large for a second drawing."""
    load: LoadInfo | None
    """None: the chart shows several loads."""
    table: Table
    is_log: bool
    """True if an axis is logarithmic."""
    other: str | None = None
    """The same on the other kind of axis: logarithmic for linear, linear for logarithmic."""
