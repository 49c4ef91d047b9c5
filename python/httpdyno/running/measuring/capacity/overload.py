"""More than the capacity for three seconds, then less again: what is lost, and for how long?"""

from __future__ import annotations

from httpdyno.engine_plan import Segment
from httpdyno.limits.walk import OverloadSecond
from httpdyno.running.measuring.capacity.measured_start import MeasuredStart

SHARES = (0.7, 1.5, 2.0, 2.0, 0.7)
"""Offered ÷ capacity in each second of the window; the last continues to its end."""
WARM_UP_S = 1.0
AFTER_S = 14
"""The seconds after the overload. A server that loses nothing has a backlog of 2.5 s of its
capacity then, and works it off in 8.3 s with the 30 % that are free."""


def fits(capacity_per_s: float, ceiling_per_s: float | None) -> bool:
    """True if the generator can offer twice the capacity."""
    return ceiling_per_s is None or max(SHARES) * capacity_per_s <= ceiling_per_s


def overload(start: MeasuredStart, capacity_per_s: float) -> tuple[OverloadSecond, ...]:
    """The seconds of the schedule."""
    seconds = len(SHARES) - 1 + AFTER_S
    lengths = [WARM_UP_S + 1, *[1.0] * (len(SHARES) - 2), None]
    segments = [
        Segment(from_per_s=share * capacity_per_s, to_per_s=share * capacity_per_s, seconds=length)
        for share, length in zip(SHARES, lengths, strict=True)
    ]
    measurement = start.schedule(segments, WARM_UP_S, float(seconds))
    return tuple(
        OverloadSecond(
            second=one.second,
            share=SHARES[min(one.second, len(SHARES) - 1)],
            due=one.due,
            ok=one.ok,
            p99_s=one.p99_ns * 1e-9,
        )
        for one in measurement.seconds
        if 0 <= one.second < seconds
    )
