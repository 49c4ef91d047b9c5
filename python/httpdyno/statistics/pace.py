"""The pace of a cell: did the arm keep up with the offered rate in most of its trials?

The pace of one trial is that of its measurement (`doubts/pace.py`). A cell kept up if at least 4 of
5 of its usable trials did, and fell behind if more than half of them did. It is unknown otherwise,
and if fewer than half of its trials are usable.
"""

from __future__ import annotations

from collections.abc import Sequence

from httpdyno.doubts.pace import Pace
from httpdyno.result import TrialRow

ENOUGH = 0.8
"""The share of the usable trials that kept up, from which the arm did."""


def pace_of_trials(trials: Sequence[TrialRow]) -> Pace:
    """The decision on the trials of a cell with an offered rate."""
    paces = _known_paces(trials)
    if not paces or 2 * len(paces) < len(trials):
        return "unknown"
    if paces.count("kept up") >= ENOUGH * len(paces):
        return "kept up"
    return "fell behind" if 2 * paces.count("fell behind") > len(paces) else "unknown"


def trials_kept(trials: Sequence[TrialRow]) -> tuple[int, int]:
    """The trials of a cell that kept up, and those that decide about it."""
    paces = _known_paces(trials)
    return paces.count("kept up"), len(paces)


def _known_paces(trials: Sequence[TrialRow]) -> list[Pace | None]:
    # An invalid trial has no result, but its counts may show that the server fell behind.
    return [one.pace for one in trials if one.status != "invalid" or one.pace == "fell behind"]
