"""The numbers of this second, which change while the rest of the page stays as it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from httpdyno.output.printable import printable_lines
from httpdyno.running.live.journal import PAUSE, folder_of
from httpdyno.running.live.state import RunState
from httpdyno.web.launcher import LOG
from httpdyno.web.live.timelines import Extents, Row, are_shown, columns_with_values, labels, rows
from httpdyno.web.live.view import figure_groups, left_words, phase, shown_condition


@dataclass(frozen=True)
class Moment:
    """One second of a run."""

    shape: tuple[object, ...]
    """All that the parts of the page show besides these numbers. With the same shape, they need not
    be drawn again."""
    numbers: dict[str, Any]
    """The time left, the figures in the order of the page, the axes of its charts; empty: none."""


@dataclass
class Moments:
    """The numbers of one run, second by second."""

    _extents: Extents = field(default_factory=Extents)

    def of(self, state: RunState, now: float, *, alive: bool) -> Moment:
        """The numbers of now."""
        condition = shown_condition(state, alive=alive)
        figures = [figure for _, group in figure_groups(state) for figure in group]
        charted = are_shown(state)
        self._extents.take(state)
        lines = columns_with_values(state, self._extents) if charted else []
        folder = folder_of(state.key)
        shape = (
            state.seen.total() - state.seen["sample"],
            condition,
            (folder / PAUSE).exists(),
            _size(folder / LOG),
            phase(state),
            [figure.label for figure in figures],
            lines,
        )
        left = left_words(state, now, condition)
        if not left and not figures:
            return Moment(shape, {})
        shown = [[one.value, _safe(one.about), one.doubtful] for one in figures]
        charts = labels(state, self._extents) if charted else {}
        return Moment(shape, {"left": left, "figures": shown, "charts": charts})


def points(state: RunState, since: tuple[int, int] | None) -> tuple[bool, Sequence[Row]]:
    """True and all points, or False and those since a number of samples of the same measurement."""
    if since is None or since[0] != state.course:
        return True, rows(state.samples)
    fresh = state.taken - since[1]
    return False, rows(state.samples[-fresh:] if fresh else (), most=fresh or 1)


def _safe(text: str) -> str:
    return text if text.isascii() else printable_lines(text)


def _size(file: Any) -> int:
    try:
        return int(file.stat().st_size)
    except OSError:
        return 0
