"""Decides if a server kept up with an offered rate: one definition for the whole project.

A *trial* kept up unless its verdict says that the server fell behind (`overload`, `backlog`), or
that calls were never sent (`unsent`), which leaves it open who was too slow. A *cell* kept up if at
least 4 of 5 of its usable trials did, and fell behind if more than half of them did. It is unknown
otherwise, and if fewer than half of its trials are usable.
"""

from __future__ import annotations

from collections.abc import Sequence

from httpdyno.result import Pace, TrialRow

ENOUGH = 0.8
"""The share of the usable trials that kept up, from which the arm did."""
_FELL_BEHIND = frozenset({"overload", "backlog"})
_NOT_SENT = frozenset({"unsent"})


def pace_of(trials: Sequence[TrialRow]) -> Pace:
    """The decision on the trials of a cell with an offered rate."""
    paces = [_trial(one) for one in trials if one.status != "invalid"]
    if not paces or 2 * len(paces) < len(trials):
        return "unknown"
    if paces.count("kept up") >= ENOUGH * len(paces):
        return "kept up"
    return "fell behind" if 2 * paces.count("fell behind") > len(paces) else "unknown"


def _trial(trial: TrialRow) -> Pace:
    codes = {reason.code for reason in trial.reasons}
    if codes & _FELL_BEHIND:
        return "fell behind"
    return "unknown" if codes & _NOT_SENT else "kept up"
