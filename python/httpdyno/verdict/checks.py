"""The checks of a verdict: each looks at one thing and gives the words for its rule, or None."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from httpdyno.measurement import ArrivalFit, Measurement, Percentile
from httpdyno.units import duration, percent, rate, significant
from httpdyno.verdict.rules import RULES
from httpdyno.verdict.seconds import gap, offering_seconds, per_second, whole_seconds

Words = dict[str, str]

FEWEST_CALLS = 1000
"""Fewer say too little about a tail."""
FEWEST_GROUPS = 50
"""Fewer say too little about how arrivals are spaced."""
LEAST_MISFIT = 0.01
"""A² over the number looked at: less is seen in a large sample, and felt by no server."""
SPREAD = 2
"""Calls that each sampled one stands for, before sampled neighbours count as apart."""


@dataclass(frozen=True)
class Context:
    """What the measurement cannot know about itself; see `judge`."""

    ceiling_per_s: float | None = None
    shared_cores: bool = False
    expected_count: int | None = None
    spin: bool = False
    replicated: bool = False


def _counts(m: Measurement, _: Context, limit: float) -> Words | None:
    for where, c in (("measured", m.calls), ("warm-up", m.warm_up_calls)):
        ended = c.ended + c.in_flight
        if abs(c.due - c.sent - c.unsent) > limit or abs(c.sent - ended) > limit:
            detail = (
                f"{where} calls: {c.due:,} due against {c.sent:,} sent + {c.unsent:,} unsent,"
                f" {c.sent:,} sent against {c.ended:,} ended + {c.in_flight:,} in flight"
            )
            return {"detail": detail}
    return None


def _schedule(m: Measurement, _: Context, limit: float) -> Words | None:
    fit = m.validity.arrivals if m.validity else None
    if fit is None or fit.scheduled is None or m.stopped_by != "duration":
        return None
    if abs(fit.due - fit.scheduled) <= limit:
        return None
    return {"due": f"{fit.due:,}", "scheduled": f"{fit.scheduled:,}"}


def _no_reply(m: Measurement, _: Context, limit: float) -> Words | None:
    """A rate of zero is no number, also when replies came after the window's end."""
    if m.completed_in_window > limit:
        return None
    why = f"{m.calls.ok:,} came after its end" if m.calls.ok else _why(m)
    return {"window": duration(m.window_s), "why": why}


def _wrong_replies(m: Measurement, _: Context, limit: float) -> Words | None:
    wrong = m.calls.wrong_status + m.calls.wrong_body
    if wrong <= limit:
        return None
    return {"wrong": f"{wrong:,}", "ended": f"{m.calls.ended:,}", "why": _why(m)}


def _errors(m: Measurement, _: Context, limit: float) -> Words | None:
    share = _lost_share(m)
    if share <= limit or m.calls.ok == 0:
        return None
    return {"share": percent(share), "limit": percent(limit), "classes": _classes(m)}


def _some_errors(m: Measurement, context: Context, limit: float) -> Words | None:
    already_worse = _errors(m, context, RULES["errors"].limit) is not None
    return None if already_worse else _errors(m, context, limit)


def _missing_calls(m: Measurement, context: Context, limit: float) -> Words | None:
    if context.expected_count is None or context.expected_count - m.calls.due <= limit:
        return None
    return {"due": f"{m.calls.due:,}", "expected": f"{context.expected_count:,}"}


def _overload(m: Measurement, _: Context, limit: float) -> Words | None:
    share = m.achieved_share
    if m.load == "closed" or m.offered_per_s is None or share is None or m.calls.ok == 0:
        return None
    # Without warm-up the first second lacks the replies still under way; overload shows later too.
    later = offering_seconds(m)[1:]
    due = sum(second.due for second in later)
    if share >= limit or (len(later) > 1 and due and sum(s.ok for s in later) / due >= limit):
        return None
    return {
        "offered": rate(m.offered_per_s),
        "achieved": rate(m.throughput_per_s),
        "share": percent(share),
        "limit": percent(limit),
    }


def _backlog(m: Measurement, _: Context, limit: float) -> Words | None:
    share = m.achieved_share
    if m.load == "closed" or m.offered_per_s is None or share is None or share <= limit:
        return None
    return {
        "offered": rate(m.offered_per_s),
        "achieved": rate(m.throughput_per_s),
        "share": percent(share),
        "limit": percent(limit),
    }


def _unsent(m: Measurement, context: Context, limit: float) -> Words | None:
    share = m.calls.unsent / m.calls.due if m.calls.due else 0.0
    if share <= limit or _overload(m, context, RULES["overload"].limit) is not None:
        return None
    whole = m.sessions and m.stopped_by == "duration" and m.sessions.failed == 0
    if whole and m.sessions and m.sessions.started == m.sessions.due:
        return None  # Sessions under way at the stop leave the rest of their calls unsent.
    return {
        "unsent": f"{m.calls.unsent:,}",
        "due": f"{m.calls.due:,}",
        "share": percent(share),
        "limit": percent(limit),
    }


def _generator_busy(m: Measurement, context: Context, limit: float) -> Words | None:
    if m.cpu.busy_share <= limit or context.spin:
        return None
    return {
        "share": percent(m.cpu.busy_share),
        "limit": percent(limit),
        "threads": str(m.engine.threads),
    }


def _generator_late(m: Measurement, _: Context, limit: float) -> Words | None:
    """Late by more than a millisecond, or by a tenth of the median service time and 100 µs."""
    allowed_s = min(1e-3, max(1e-4, limit * m.times.service.p50_ns * 1e-9))
    lag_s = m.times.lag.p99_ns * 1e-9
    if m.load == "closed" or m.times.lag.count == 0 or lag_s <= allowed_s:
        return None
    return {"lag": duration(lag_s), "limit": duration(allowed_s)}


def _spacing(m: Measurement, _: Context, limit: float) -> Words | None:
    fit = _judged_fit(m)
    if fit is None or fit.off_share is None or fit.off_share <= limit:
        return None
    return _fit_words(fit) | {"share": percent(fit.off_share), "limit": percent(limit)}


def _arrivals(m: Measurement, _: Context, limit: float) -> Words | None:
    fit = _judged_fit(m)
    if fit is None or fit.anderson_darling is None:
        return None
    # A² grows with the number looked at, so that with enough of them the least lag would show.
    if fit.anderson_darling <= max(limit, LEAST_MISFIT * fit.sampled):
        return None
    statistic = significant(fit.anderson_darling)
    return _fit_words(fit) | {
        "spacing": fit.spacing,
        "statistic": statistic,
        "limit": significant(limit, 2),
    }


def _ceiling(m: Measurement, context: Context, limit: float) -> Words | None:
    if not context.ceiling_per_s or m.throughput_per_s <= limit * context.ceiling_per_s:
        return None
    return {
        "throughput": rate(m.throughput_per_s),
        "ceiling": rate(context.ceiling_per_s),
        "share": percent(m.throughput_per_s / context.ceiling_per_s),
        "limit": percent(limit),
    }


def _littles_law(m: Measurement, _: Context, limit: float) -> Words | None:
    """N = X·R, calls in flight = throughput by response time: in any stable system (Little)."""
    response_s = m.times.response.mean_ns * 1e-9
    edges_matter = m.window_s < 2 or response_s > m.window_s / 20
    if m.load != "closed" or edges_matter or m.error_share > 0.01 or m.mean_in_flight <= 0:
        return None
    product = m.throughput_per_s * response_s
    apart = abs(product - m.mean_in_flight) / m.mean_in_flight
    if apart <= limit:
        return None
    return {
        "gap": percent(apart),
        "limit": percent(limit),
        "in_flight": f"{m.mean_in_flight:.1f}",
        "product": f"{product:.1f}",
    }


def _too_short(m: Measurement, _: Context, limit: float) -> Words | None:
    if m.window_s >= limit and m.calls.ended >= FEWEST_CALLS:
        return None
    return {"calls": f"{m.calls.ended:,}", "window": duration(m.window_s)}


def _not_steady(m: Measurement, _: Context, limit: float) -> Words | None:
    """Compares the right replies of the two halves, unless the load was meant to change."""
    seconds = whole_seconds(m)
    half = len(seconds) // 2
    if len(seconds) < 6:
        return None
    head, tail = seconds[:half], seconds[-half:]
    first, second = per_second(head, "ok"), per_second(tail, "ok")
    # Three standard deviations of two Poisson counts: random arrivals differ by that much.
    noise = 3 * math.sqrt(2 / max(1.0, half * max(first, second)))
    if _load_changed(m, limit) or gap(first, second) <= max(limit, noise):
        return None
    return {
        "first": rate(first),
        "second": rate(second),
        "gap": percent(gap(first, second)),
        "limit": percent(limit),
    }


def _drifting(m: Measurement, _: Context, limit: float) -> Words | None:
    """Wanders without coming back, and so far that it matters."""
    drift = m.validity.drift if m.validity else None
    least = RULES["not_steady"].limit
    if drift is None or drift.dickey_fuller is None or drift.dickey_fuller <= limit:
        return None
    first, second = drift.first_half_ns or 0.0, drift.second_half_ns or 0.0
    if gap(first, second) <= least or _load_changed(m, least) or _overloaded(m):
        return None
    return {
        "first": duration(first * 1e-9),
        "second": duration(second * 1e-9),
        "gap": percent(gap(first, second)),
        "statistic": f"{drift.dickey_fuller:.2f}",
        "limit": f"{limit:.2f}",
        "means": f"{drift.means:,}",
    }


def _dependent(m: Measurement, context: Context, limit: float) -> Words | None:
    found = m.validity.dependence if m.validity else None
    if found is None or found.apart is None or _load_changed(m, RULES["not_steady"].limit):
        return None
    # In a closed loop calls queue behind each other by design; close together, anywhere.
    spread = m.load != "closed" and m.calls.ended >= SPREAD * found.sampled
    if context.replicated or not spread:
        return None
    # Four standard deviations of what independent calls give by chance.
    noise = 4 / math.sqrt(found.sampled)
    drifting = _drifting(m, context, RULES["drifting"].limit) is not None
    explained = drifting or _late(m) or _overloaded(m)
    if abs(found.apart) <= max(limit, noise) or explained:
        return None
    return {
        "sampled": f"{found.sampled:,}",
        "correlation": f"{found.apart:.2f}",
        "limit": f"{limit:.2f}",
    }


def _vague_tail(m: Measurement, context: Context, limit: float) -> Words | None:
    p99 = m.validity.percentile(0.99) if m.validity else None
    unjudged = context.replicated or m.calls.ended < FEWEST_CALLS or _overloaded(m)
    if p99 is None or unjudged:
        return None
    width = p99.half_width
    if width is not None and width <= limit:
        return None
    return {
        "interval": _interval(p99),
        "width": "no bound" if width is None else f"± {percent(width)}",
        "limit": percent(limit),
    }


def _descheduled(m: Measurement, _: Context, limit: float) -> Words | None:
    per_second = m.cpu.involuntary_switches / m.window_s if m.window_s > 0 else 0.0
    if m.window_s < 1 or per_second <= limit:
        return None
    return {"switches": f"{per_second:,.0f}", "limit": f"{limit:,.0f}"}


def _shared_cores(m: Measurement, context: Context, _: float) -> Words | None:
    return {"share": percent(m.cpu.busy_share)} if context.shared_cores else None


Check = Callable[[Measurement, Context, float], Words | None]

CHECKS: dict[str, Check] = {
    "arrivals": _arrivals,
    "backlog": _backlog,
    "ceiling": _ceiling,
    "counts": _counts,
    "dependent": _dependent,
    "descheduled": _descheduled,
    "drifting": _drifting,
    "errors": _errors,
    "generator_busy": _generator_busy,
    "generator_late": _generator_late,
    "littles_law": _littles_law,
    "missing_calls": _missing_calls,
    "no_reply": _no_reply,
    "not_steady": _not_steady,
    "overload": _overload,
    "schedule": _schedule,
    "shared_cores": _shared_cores,
    "some_errors": _some_errors,
    "spacing": _spacing,
    "too_short": _too_short,
    "unsent": _unsent,
    "vague_tail": _vague_tail,
    "wrong_replies": _wrong_replies,
}


def _overloaded(m: Measurement) -> bool:
    """Past its capacity a server's times are those of its queue: no other doubt adds to that."""
    return _overload(m, Context(), RULES["overload"].limit) is not None


def _judged_fit(m: Measurement) -> ArrivalFit | None:
    """The arrivals, where nothing told before explains that they are not as declared."""
    fit = m.validity.arrivals if m.validity else None
    few = fit is not None and fit.sampled < FEWEST_GROUPS
    return None if few or _late(m) or _overloaded(m) else fit


def _late(m: Measurement) -> bool:
    """A late generator adds its own lag to the arrivals and to the response times."""
    return _generator_late(m, Context(), RULES["generator_late"].limit) is not None


def _fit_words(fit: ArrivalFit) -> Words:
    arrivals = "1 arrival" if fit.group == 1 else f"{fit.group:,} arrivals"
    return {"sampled": f"{fit.sampled:,}", "group": arrivals}


def _interval(p: Percentile) -> str:
    low = "0 s" if p.low_ns is None else duration(p.low_ns * 1e-9)
    if p.high_ns is None:
        return f"{low} or more"
    return f"{low} to {duration(p.high_ns * 1e-9)}"


def _load_changed(m: Measurement, limit: float) -> bool:
    """Whether an open load was meant to be another in the second half."""
    seconds = whole_seconds(m)
    half = len(seconds) // 2
    if m.load == "closed" or half == 0:
        return False
    head, tail = seconds[:half], seconds[-half:]
    return gap(per_second(head, "due"), per_second(tail, "due")) > limit


def _lost_share(m: Measurement) -> float:
    """Share of the calls that brought no reply at all; wrong replies have their own rule."""
    lost = sum(m.calls.errors.values()) + m.calls.in_flight
    total = m.calls.ended + m.calls.in_flight
    return lost / total if total else 0.0


def _classes(m: Measurement) -> str:
    counts = dict(sorted(m.calls.errors.items(), key=lambda item: -item[1]))
    if m.calls.in_flight:
        counts["unanswered"] = m.calls.in_flight
    return ", ".join(f"{count:,} {name.replace('_', ' ')}" for name, count in counts.items())


def _why(m: Measurement) -> str:
    return m.first_failure or _classes(m) or "no call ended"
