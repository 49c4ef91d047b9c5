"""Checks of the load generator and of this machine: did it offer what it was to offer?"""

from __future__ import annotations

from collections.abc import Sequence

from httpdyno.doubts.ceiling import in_words
from httpdyno.measurement import ArrivalFit, Measurement
from httpdyno.units import percent, rate, significant
from httpdyno.verdict.checks.words import Words, at_most, beside
from httpdyno.verdict.contention import most_contention
from httpdyno.verdict.context import Context

FEWEST_GROUPS = 50
"""Fewer gaps say too little about how arrivals are spaced."""
LEAST_MISFIT = 0.01
"""A² over the sample's size: a large sample shows less than this, but no server notices it."""


def generator_busy(m: Measurement, context: Context, limit: float) -> Words | None:
    """The generator's threads have time to spare."""
    if m.cpu.busy_share <= limit or context.spin:
        return None
    return {"share": beside(m.cpu.busy_share, limit), "limit": at_most(limit)}


def generator_stopped(m: Measurement, _: Context, limit: float) -> Words | None:
    """The generator runs when it has something to do."""
    waited, stood_still = m.cpu.waiting_share or 0.0, m.cpu.standstill_share
    if max(waited, stood_still) <= limit:
        return None
    how = "waited for a CPU" if waited > stood_still else "stood still"
    share = beside(max(waited, stood_still), limit)
    return {"how": how, "share": share, "limit": at_most(limit)}


def spacing(m: Measurement, _: Context, limit: float) -> Words | None:
    """Evenly spaced arrivals are even."""
    fit = _fit(m)
    if fit is None or fit.off_share is None or fit.off_share <= limit:
        return None
    return _sample(fit) | {"share": beside(fit.off_share, limit), "limit": at_most(limit)}


def arrivals(m: Measurement, _: Context, limit: float) -> Words | None:
    """Random arrivals have the declared distribution."""
    fit = _fit(m)
    if fit is None or fit.anderson_darling is None:
        return None
    # A² grows with the sample, so that a large one would show the least lag.
    allowed = max(limit, LEAST_MISFIT * fit.sampled)
    if fit.anderson_darling <= allowed:
        return None
    return _sample(fit) | {
        "spacing": fit.spacing,
        "statistic": beside(fit.anderson_darling, allowed, significant),
        "limit": f"{allowed:.3g}",
    }


def ceiling(m: Measurement, context: Context, limit: float) -> Words | None:
    """The server is slower than what the load generators can reach."""
    most = context.ceiling_per_s
    if most is None or m.throughput_per_s <= limit * most:
        return None
    return {
        "throughput": rate(m.throughput_per_s),
        "whose": _whose_ceiling([node.name for node in m.nodes or []]),
        "ceiling": in_words(most, is_bound=context.ceiling_is_bound),
        "share": _share(m.throughput_per_s, most, limit, is_bound=context.ceiling_is_bound),
        "limit": at_most(limit),
    }


def _share(per_s: float, ceiling: float, limit: float, *, is_bound: bool) -> str:
    share = beside(per_s / ceiling, limit) if ceiling > 0 else "more than all"
    return f"up to {share}" if is_bound else share


def _whose_ceiling(nodes: Sequence[str]) -> str:
    if len(nodes) > 1:
        return f"ceiling of all {len(nodes)} load generators together"
    where = f"`{nodes[0]}`" if nodes else "this machine"
    return f"load generator's ceiling on {where}"


def descheduling(m: Measurement, _: Context, limit: float) -> Words | None:
    """Other programs leave the generator its CPU."""
    per_second = m.cpu.involuntary_switches / m.window_s if m.window_s > 0 else 0.0
    if m.window_s < 1 or per_second <= limit:
        return None
    return {"switches": beside(per_second, limit, _whole), "limit": f"{limit:,.0f}"}


def _whole(count: float, digits: int) -> str:
    """A count without decimals, or with as many as there are digits beyond three."""
    return f"{count:,.{max(0, digits - 3)}f}"


def server_starved(m: Measurement, context: Context, limit: float) -> Words | None:
    """Other programs leave the server its CPUs."""
    if context.contention is None:
        return None
    share, cores = context.contention
    limit = round(most_contention(m.window_s, cores, limit), 3)
    if share <= limit:
        return None
    return {"share": beside(share, limit), "limit": at_most(limit)}


def shared_cores(m: Measurement, context: Context, _: float) -> Words | None:
    """Server and generator have CPUs of their own."""
    return {"share": percent(m.cpu.busy_share)} if context.shared_cores else None


def _fit(m: Measurement) -> ArrivalFit | None:
    """The arrivals, where there are enough of them to judge."""
    fit = m.validity.arrivals
    return None if fit is None or fit.sampled < FEWEST_GROUPS else fit


def _sample(fit: ArrivalFit) -> Words:
    gaps = "gaps between arrivals" if fit.group == 1 else f"stretches of {fit.group:,} arrivals"
    return {"sampled": f"{fit.sampled:,}", "gaps": gaps}
