"""Limits that a capacity has to hold, and how long a step has to be to judge them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from httpdyno.limits.thresholds import Threshold, parse_limit
from httpdyno.measurement import Measurement, Quantiles

BEYOND = 10
"""Calls that a step needs beyond its percentile: 1,000 calls for p99."""
FINE, EXCESSES = 1.02, (-350, 350)
"""Shares of late calls are read from a histogram in steps of 2 %, from 0.1 % of the allowed one."""
RULE_OF_THREE = 3.0
"""No error in 3 ÷ e calls shows at the 95 % level that fewer than a share e fail (Hanley and
Lippman-Hand, "If Nothing Goes Wrong, Is Everything All Right?", JAMA 249, 1983)."""
LIMITS_LONG = 50
"""Steps last so many times the limit of a time: a rate 2 % above the capacity of a steady server
then shows, because its queue grows by 2 % of the step."""
LONGEST_FOR_QUEUE_S = 5.0
LONGEST_STEP_S = 60.0
LEAST_CONFIRM_S = 3.0
LEAST_BRACKET_S, MOST_BRACKET_S = 0.4, 5.0
SETTLE_S, MOST_SETTLE_S = 0.2, 2.0
SETTLE_LIMITS = 4
"""The queue of M/M/1 forgets its start in about so many times a limit of 20 service times of its
p99: Cohen, "The Single Server Queue", 1982, section II.2."""
COUNT_VARIANCE = {"constant": 0.0, "uniform": 1 / 3, "exponential": 1.0}
"""Variance of the number of calls of a step ÷ its mean, by the spacing of the arrivals: that of the
gaps, in squared means (Cox, "Renewal Theory", 1962, section 4.5)."""
SURE_OF_COUNT = 3.1
"""A step has fewer calls than it needs once in 1,000 times: standard deviations of a normal."""
FEWEST_CONNECTIONS = 64
MOST_CONNECTIONS = 10_000


def parse_limits(texts: Sequence[str]) -> tuple[Threshold, ...]:
    """Parse all limits. Raises ValueError with what was expected."""
    return tuple(parse_limit(text) for text in texts)


def in_words(limits: Sequence[Threshold]) -> str:
    """`p99 ≤ 20 ms, errors ≤ 0.1 %`; a limit is written with the sign of people."""
    return ", ".join(f"{one.name} ≤ {one.limit_text}" for one in limits)


def use_of(
    limits: Sequence[Threshold], measurement: Measurement, quantiles: Quantiles
) -> tuple[float, str] | None:
    """The largest of value ÷ limit, and that limit in words; None when nothing was measured."""
    found = [_use(one, measurement, quantiles) for one in limits]
    uses = [one for one in found if one is not None]
    return max(uses) if len(uses) == len(limits) else None


def _use(
    limit: Threshold, measurement: Measurement, quantiles: Quantiles
) -> tuple[float, str] | None:
    value = limit.value(measurement, quantiles)
    if value is None:
        return None
    return value / limit.limit, _beside_limit(limit, value, measurement, quantiles)


def _beside_limit(
    limit: Threshold, value: float, measurement: Measurement, quantiles: Quantiles
) -> str:
    """The value beside its limit, which holds up to its end: `p99 20.1 ms > 20 ms`."""
    measured = limit.check(measurement, quantiles).measured
    return f"{limit.name} {measured} {'>' if value > limit.limit else '≤'} {limit.limit_text}"


def excess_of(
    limits: Sequence[Threshold], measurement: Measurement, quantiles: Quantiles
) -> float | None:
    """The largest share of late calls ÷ the share that its limit allows; None: there is none.

    Unlike a percentile, it is on average that of a long measurement, however short the step is.
    """
    found = [_excess(one, measurement, quantiles) for one in limits]
    known = [one for one in found if one is not None]
    return max(known) if known and len(known) == len(found) else None


def _excess(limit: Threshold, measurement: Measurement, quantiles: Quantiles) -> float | None:
    name = limit.metric.rpartition("_")[2]
    if limit.metric == "error_rate" or name == "mean":
        value = limit.value(measurement, quantiles)
        return None if value is None else value / limit.limit
    kind, time_name = limit.metric.rpartition("_")[0] or "response", _percentile(limit)
    part = measurement.part(limit.endpoint)
    time = None if part is None else part.time(kind)
    if time_name is None or time is None or not time.count:
        return None
    allowed = 1 - time_name
    shares = [share for share in (allowed * FINE**n for n in range(*EXCESSES)) if share < 1]
    values = quantiles(time.hdr, [1 - share for share in shares])
    late = (s for s, ns in zip(shares, values, strict=True) if ns * 1e-9 > limit.limit)
    return max(late, default=0.0) / allowed


def _percentile(limit: Threshold) -> float | None:
    """0.99 for a limit of p99; None for other limits."""
    name = limit.metric.rpartition("_")[2]
    if name.startswith("p") and name[1:].replace(".", "").isdecimal():
        return float(name[1:]) / 100
    return None


def why_never(
    limits: Sequence[Threshold],
    measurement: Measurement,
    quantiles: Quantiles,
    *,
    noisy: bool = False,
) -> str:
    """Why no rate can hold the limits, in words: they are broken by calls that come one at a time,
    and more load makes no call faster. Empty: they may hold.

    `noisy`: something else may have made calls slow. It does not slow down every one, so that a
    limit below the fastest call is broken even then.
    """

    def is_below_all(limit: Threshold) -> bool:
        part = measurement.part(limit.endpoint)
        times = None if part is None else part.time("response")
        return times is not None and times.min_ns * 1e-9 > limit.limit

    broken = [one for one in limits if one.is_surely_broken(measurement, quantiles)]
    if noisy:
        broken = [one for one in broken if one.unit == "time" and is_below_all(one)]
    uses = [use for one in broken if (use := _use(one, measurement, quantiles)) is not None]
    return ", ".join(words for _, words in uses)


def step_s(
    limits: Sequence[Threshold],
    rate_per_s: float,
    least_s: float,
    spacing: str = "constant",
    shares: Mapping[str, float] | None = None,
) -> float:
    """The length of a step: enough calls for each limit, and long enough to show a queue.

    `shares`: of the calls, by their endpoint; those of a limit of an endpoint are fewer than all.
    """
    known = shares or {}
    needed = (_calls(one) / known.get(one.endpoint or "", 1.0) for one in limits)
    calls = _surely(max(needed, default=1.0), COUNT_VARIANCE[spacing])
    times = [one.limit for one in limits if one.unit == "time"]
    queue_s = min(LONGEST_FOR_QUEUE_S, LIMITS_LONG * min(times)) if times else 0.0
    return min(LONGEST_STEP_S, max(least_s, queue_s, calls / rate_per_s))


def settle_s(limits: Sequence[Threshold]) -> float:
    """The time at the begin of a step that is not judged: its connections open, and its queue,
    which is empty at first, becomes as long as it will be."""
    longest = max((one.limit for one in limits if one.unit == "time"), default=0.0)
    return min(MOST_SETTLE_S, max(SETTLE_S, SETTLE_LIMITS * longest))


def connections_for(limits: Sequence[Threshold], rate_per_s: float, pause_s: float = 0.0) -> int:
    """The connections that are busy at a rate while each reply takes as long as the loosest limit
    of a time allows (Little's law), and 64 at least. More cannot be needed within the limits.

    `pause_s`: of a session behind each call, on average; it keeps its connection."""
    loosest = max((one.limit for one in limits if one.unit == "time"), default=0.0)
    busy = math.ceil(rate_per_s * (loosest + pause_s))
    return min(MOST_CONNECTIONS, max(FEWEST_CONNECTIONS, busy))


def bracket_step_s(step_s: float) -> float:
    """The length of a step of the bracket, which says where climbs begin: a third of theirs."""
    return min(MOST_BRACKET_S, max(LEAST_BRACKET_S, step_s / 3))


def confirm_s(step_s: float) -> float:
    """The length of a confirmation: three steps, and 3 s at least."""
    return max(LEAST_CONFIRM_S, 3 * step_s)


def _surely(calls: float, variance: float) -> float:
    """The mean of a random count that is almost never below `calls`."""
    spread = SURE_OF_COUNT * math.sqrt(variance) / 2
    return (spread + math.sqrt(spread**2 + calls)) ** 2


def _calls(limit: Threshold) -> float:
    if limit.is_of_errors:
        return RULE_OF_THREE / limit.limit
    within = _percentile(limit)
    if within is None:
        return 100.0
    return round(BEYOND / (1 - within)) if within < 1 else BEYOND
