"""A measurement of one rate as a step: did the limits hold, and if not, whose fault was it?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from httpdyno.capacity.limits import use_of
from httpdyno.doubts.pace import FELL_BEHIND
from httpdyno.limits.thresholds import Threshold
from httpdyno.limits.walk import StepOutcome
from httpdyno.measurement import Measurement, Quantiles
from httpdyno.result import Reason
from httpdyno.units import duration

GENERATOR_LIMITS = ("ceiling", "generator_busy")
"""Reasons that a generator gives which cannot send more."""
STOPPED = "generator_stopped"
"""The reason of a generator that other programs kept from a processor."""
SHARED = "shared_cores"
"""On shared cores, a late generator waits for the server, which is the server's doing."""
LEAST_LAG = 0.05
"""A lag below this share of the limit explains no failure: the chance of a step is larger."""


class StepJudgement(NamedTuple):
    """The outcome of a step, its use of the limits, and why it did not hold."""

    outcome: StepOutcome
    use: float | None
    why: str = ""


def judge_step(
    measurement: Measurement,
    reasons: Sequence[Reason],
    limits: Sequence[Threshold],
    quantiles: Quantiles,
    disturbed: str = "",
) -> StepJudgement:
    """A step fails if a limit does not hold, if the verdict is invalid (wrong replies, or over 1 %
    of errors), or if the server falls behind: its queue would break any limit in time.

    The failure of a limit is the generator's only if its own counters show that it could send no
    more. It is a disturbance if the generator was kept from its processor, or sent so late that the
    limit would have held without it; or if others took the server's processors, as `disturbed` says
    in words. A step that held in spite of it held: noise can only lower a capacity.
    """
    found = use_of(limits, measurement, quantiles)
    invalid = next((one for one in reasons if one.status == "invalid"), None)
    if found is None or invalid is not None:
        why = invalid.text if invalid else "nothing was measured"
        return StepJudgement("failed", found and found[0], why)
    use: float | None = found[0]
    words = found[1]
    by_code = {reason.code: reason.text for reason in reasons}
    if found[0] <= 1 and FELL_BEHIND not in by_code:
        return StepJudgement("held", use)
    if FELL_BEHIND in by_code:
        # Its latency grows with the length of the step, so it has no use of its own.
        use, words = None, by_code[FELL_BEHIND]
    limit = next((by_code[code] for code in GENERATOR_LIMITS if code in by_code), None)
    if limit is not None:
        return StepJudgement("generator", use, f"{words}; {limit}")
    cause = disturbed or by_code.get(STOPPED) or _late(measurement, limits, quantiles, by_code)
    if cause:
        return StepJudgement("disturbed", use, f"{words}; {cause}")
    return StepJudgement("failed", use, words)


def _late(
    measurement: Measurement,
    limits: Sequence[Threshold],
    quantiles: Quantiles,
    codes: dict[str, str],
) -> str:
    """The lag in words, if every limit that failed would have held without it; else empty.

    Lag counts only calls that found a connection free. Waiting for a connection is the server's
    doing.
    """
    lag_s = measurement.times.lag.p99_ns * 1e-9
    values = ((limit, limit.value(measurement, quantiles)) for limit in limits)
    failed = [(limit, value) for limit, value in values if value and value > limit.limit]
    explained = bool(failed) and all(
        limit.unit == "time" and value - lag_s <= limit.limit and lag_s >= LEAST_LAG * limit.limit
        for limit, value in failed
    )
    if not explained or SHARED in codes:
        return ""
    return f"the load generator sent calls late by {duration(lag_s)} at the 99th percentile"
