"""Keeping up with an offered rate: the one definition, for one measurement of an open load.

A server keeps up if calls end as fast as they fall due. The calls that fell due are counted, so
random arrivals are compared with themselves and not with the rate of their plan. Two things are no
queue: 1 % of the calls, and `spare`, those that any stable server has under way at the end of the
window. Calls that the load generator never sent were not offered: they may be missing, but then
nobody knows how the server would have answered them. Nor is a server known to be slow that falls
behind while the load generator is too slow, or while other programs take its processors.

`docs/concepts/verdicts.md`, “Keeping up”.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from httpdyno.doubts.reasons import Reason, Status
from httpdyno.measurement import Measurement

Pace = Literal["kept up", "fell behind", "unknown"]

LEAST_SHARE = 0.99
"""The share of the calls due that end in the window of a server that keeps up."""
FELL_BEHIND = "overload"
"""The reason of a verdict that a server fell behind."""


@dataclass(frozen=True)
class PaceCounts:
    """A server's pace, and the counts that show it."""

    pace: Pace
    due: float
    """Calls that fell due in the window."""
    ended: float
    """Calls that ended in it."""
    spare: float
    """Calls that a server that keeps up may have under way at its end."""
    not_offered: float
    """Calls that the load generator did not send, although the server would have taken them."""

    @property
    def missing(self) -> float:
        """Calls that fell due and did not end."""
        return max(0.0, self.due - self.ended)


def pace_by_counts(
    due: float, ended: float, *, spare: float = 0.0, not_offered: float = 0.0
) -> PaceCounts:
    """The pace of a server that ended so many of the calls that fell due."""
    allowed = max((1 - LEAST_SHARE) * due, spare)
    missing = due - ended
    pace: Pace = "fell behind"
    if due <= 0:
        pace = "unknown"
    elif missing <= allowed:
        pace = "kept up"
    elif missing - not_offered <= allowed:
        pace = "unknown"
    return PaceCounts(pace, due, ended, spare, not_offered)


def disturbance(reasons: Iterable[Reason]) -> Reason | None:
    """The reason why something else than the server may have been too slow; None: there is none."""
    others = (one for one in reasons if one.code.startswith(("generator_", "server_starved")))
    return next(others, None)


def pace_of(measurement: Measurement | None, status: Status, reasons: Sequence[Reason]) -> Pace:
    """The pace of a measurement that was judged.

    Without a result it is unknown, unless the counts show that the server fell behind; and so is
    that of a load of which over 1 % was never sent, by no fault of the server, and that of a server
    that fell behind while something else was too slow.
    """
    if any(reason.code == FELL_BEHIND for reason in reasons):
        return "fell behind" if disturbance(reasons) is None else "unknown"
    if measurement is None or status == "invalid" or not measurement.is_open:
        return "unknown"
    calls = measurement.calls
    unsent = calls.unsent if measurement.sessions is None else 0
    return "kept up" if unsent <= (1 - LEAST_SHARE) * calls.due else "unknown"
