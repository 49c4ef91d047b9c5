"""A measurement of one rate as a step: did the limits hold, and if not, whose fault was it?"""

from __future__ import annotations

from collections.abc import Sequence

from httpdyno.capacity.limits import use_of
from httpdyno.limits.thresholds import Quantiles, Threshold
from httpdyno.limits.walk import StepOutcome
from httpdyno.measurement import Measurement
from httpdyno.result import Reason

BEHIND = "overload"
"""The code of the reason for a server that answers fewer calls than fall due."""
GENERATOR_LIMITS = {"ceiling", "generator_busy", "generator_stopped"}
"""Reasons that a generator gives which cannot send more."""


def judged(
    measurement: Measurement,
    reasons: Sequence[Reason],
    limits: Sequence[Threshold],
    quantiles: Quantiles,
) -> tuple[StepOutcome, float | None, str]:
    """The outcome of a step, its use of the limits, and why it failed.

    A step fails if a limit does not hold, if the verdict is invalid (wrong replies, or over 1 % of
    errors), or if the server falls behind: its queue would break any limit in time. The failure
    of a limit is the generator's if it would have held without the generator's own lag.
    """
    found = use_of(limits, measurement, quantiles)
    invalid = next((one for one in reasons if one.status == "invalid"), None)
    if found is None or invalid is not None:
        return "failed", found and found[0], invalid.text if invalid else "nothing was measured"
    use: float | None = found[0]
    words = found[1]
    codes = {reason.code for reason in reasons}
    behind = next((reason for reason in reasons if reason.code == BEHIND), None)
    if found[0] <= 1 and behind is None:
        return "held", use, ""
    why = words
    if behind is not None:
        # Its latency grows with the length of the step, so it has no use of its own.
        use, why = None, behind.text
    if codes & GENERATOR_LIMITS or _by_lag(measurement, limits, quantiles):
        return "generator", use, why
    return "failed", use, why


def _by_lag(measurement: Measurement, limits: Sequence[Threshold], quantiles: Quantiles) -> bool:
    """True if every limit that failed would have held without the generator's lag.

    Lag counts only calls that found a connection free. Waiting for a connection is the server's
    doing.
    """
    lag_s = measurement.times.lag.p99_ns * 1e-9
    late = False
    for limit in limits:
        value = limit.value(measurement, quantiles)
        if value is None or value <= limit.limit:
            continue
        if limit.unit != "time" or value - lag_s > limit.limit:
            return False
        late = True
    return late
