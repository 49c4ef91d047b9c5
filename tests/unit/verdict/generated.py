"""Measurements of every kind whose counts add up, as hypothesis generates them."""

from __future__ import annotations

import os
from typing import Any

from httpdyno.measurement import Measurement
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from measured import Change, datagrams, fit, measurement, of_sessions, p99, streams, time

CLASSES = ["connect_timeout", "reply_timeout", "refused", "reset", "early_close", "tls", "other"]
TIMEOUTS = ["connect_timeout", "reply_timeout"]
MS = 1_000_000
many = settings(
    max_examples=int(os.environ.get("HTTPDYNO_FUZZ_EXAMPLES", "40")),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)

some = st.sampled_from([0, 0, 0, 1, 2, 7, 50, 1000, 30_000]) | st.integers(0, 200_000)
"""A count: nothing, next to nothing, or many."""
shares = st.sampled_from([0.0, 0.5, 1.0]) | st.floats(0, 1)


@st.composite
def counts(draw: st.DrawFn) -> Change:
    """Where calls went, with any of the ways empty."""
    errors = draw(st.dictionaries(st.sampled_from(CLASSES), some.filter(bool), max_size=3))
    ways = ("ok", "wrong_status", "wrong_body", "in_flight", "unsent", "waited")
    return {way: draw(some) for way in ways} | {"errors": errors}


def summed(c: Change) -> Change:
    """With the sums that must hold."""
    ended = c["ok"] + c["wrong_status"] + c["wrong_body"] + sum(c["errors"].values())
    sent = ended + c["in_flight"]
    return {**c, "sent": sent, "due": sent + c["unsent"], "waited": min(c["waited"], sent)}


@st.composite
def facts(draw: st.DrawFn) -> Change:
    """All that a measurement is made from, before the sums are made."""
    warm_up_s = draw(st.sampled_from([0.0, 1.0]) | st.floats(0.001, 10))
    return {
        "load": draw(st.sampled_from(["closed", "requests", "sessions"])),
        "stopped_by": draw(st.sampled_from(["count", "duration", "interrupt", "precision"])),
        "window_s": draw(st.sampled_from([1e-9, 0.1, 1.0, 2.0, 10.0]) | st.floats(1e-6, 12)),
        "warm_up_s": warm_up_s,
        "calls": draw(counts()),
        "warm_up_calls": draw(counts()) if warm_up_s else None,
        "completed": draw(shares),
        "carried": draw(shares),
        "stretch": draw(st.sampled_from([1.0, 1.0, 1.5, 4.0])),
        "ok_seconds": draw(st.lists(st.integers(0, 9), min_size=13, max_size=13)),
        "due_seconds": draw(st.lists(st.integers(0, 9), min_size=13, max_size=13)),
        "per_session": draw(st.sampled_from([1, 1, 5])),
        "not_started": draw(shares),
        "failed_sessions": draw(some),
        "p50_ns": draw(st.sampled_from([1, MS, 50 * MS, 2000 * MS])),
        "p99_factor": draw(st.sampled_from([1, 3, 1000])),
        "lag_ns": draw(st.sampled_from([0, 50_000, 101_000, 2 * MS])),
        "late_at_p50_ns": draw(st.sampled_from([0, 0, 50_000, 2 * MS])),
        "late_at_p99_ns": draw(st.sampled_from([0, 50_000, 2 * MS])),
        "mean_in_flight": draw(st.sampled_from([0.0, 1.0, 64.0]) | st.floats(0, 5000)),
        "validity": draw(validities()),
        "cpu": draw(cpus()),
        "excess_data": draw(some),
        "http2": draw(st.none() | st.just(streams()["http2"])),
        "quic": draw(st.none() | st.just(datagrams()["quic"])),
        "unlike": draw(shares),
        "other_size": draw(st.sampled_from([0.0, 0.0, 1.0])),
        "same_other": draw(st.sampled_from([0.0, 0.0, 1.0])),
    }


@st.composite
def validities(draw: st.DrawFn) -> Change:
    """The tests of a run, each with and without a result."""
    real = st.none() | st.sampled_from([0.0, 0.09, 0.11, 0.51, 5.0, 50.0]) | st.floats(0, 100)
    bounds = st.none() | st.sampled_from([0, MS, 100 * MS])
    percentile = {
        "quantile": 0.99,
        "value_ns": draw(st.sampled_from([0, MS, 10 * MS])),
        "low_ns": draw(bounds),
        "high_ns": draw(bounds),
        "design_effect": None,
    }
    arrivals = {
        "spacing": draw(st.sampled_from(["constant", "uniform", "exponential"])),
        "sampled": draw(some),
        "group": draw(st.sampled_from([1, 20])),
        "scheduled": None,
        "due": 0,
        "off_share": draw(real),
        "anderson_darling": draw(real),
    }
    drift = {
        "means": draw(some),
        "width_s": 0.1,
        "dickey_fuller": draw(st.none() | st.floats(-20, 5)),
        "first_half_ns": draw(real),
        "second_half_ns": draw(real),
    }
    apart = st.none() | st.floats(-1, 1)
    dependence = {"sampled": draw(some), "successive": None, "apart": draw(apart)}
    percentiles = draw(st.sampled_from([[], [percentile]]))
    tests = {"arrivals": arrivals, "drift": drift, "dependence": dependence}
    return {"percentiles": percentiles, **tests}


@st.composite
def cpus(draw: st.DrawFn) -> Change:
    switches = {"voluntary_switches": 1, "involuntary_switches": draw(some)}
    stopped = {"waiting_share": draw(st.none() | shares), "standstill_share": draw(shares)}
    return {"user_s": 1, "system_s": 1, "busy_share": draw(shares), **switches, **stopped}


def built(f: Change) -> Measurement:
    """The measurement of these facts, its sums made as the engine makes them."""
    c, warm = summed(f["calls"]), summed(f["warm_up_calls"] or _NOBODY)
    sessions = None
    if f["load"] == "sessions":
        sessions, c = _in_sessions(f, c)
    in_window = int(c["ok"] * f["completed"]) + int(warm["ok"] * f["carried"])
    window_s = f["window_s"]
    changes: dict[str, Any] = {
        key: f[key] for key in ("load", "stopped_by", "window_s", "warm_up_s", "cpu")
    }
    stretch = f["stretch"] if f["stopped_by"] == "count" else 1.0
    offered = None if f["load"] == "closed" else c["due"] * stretch / window_s
    answered = c["ok"] + c["in_flight"] + sum(c["errors"].get(one, 0) for one in TIMEOUTS)
    arrivals = None if f["load"] == "closed" else f["validity"]["arrivals"]
    percentiles = f["validity"]["percentiles"] if answered else []
    validity = {**f["validity"], "arrivals": arrivals, "percentiles": percentiles}
    service = response = _NO_TIME
    if c["ok"]:
        p50_ns, p99_ns = f["p50_ns"], f["p50_ns"] * f["p99_factor"]
        service = time(c["ok"], p50_ns, p99_ns)
        response = time(c["ok"], p50_ns + f["late_at_p50_ns"], p99_ns + f["late_at_p99_ns"])
    lag = time(c["sent"], 1, f["lag_ns"]) if c["sent"] else _NO_TIME
    return measurement(
        **changes,
        calls=c,
        warm_up_calls=warm,
        completed_in_window=in_window,
        offered_per_s=offered,
        throughput_per_s=in_window / window_s,
        statuses={"200": c["ok"], "500": c["wrong_status"]},
        sessions=sessions,
        times__response=response,
        times__service=service,
        times__lag=lag,
        intervals=_seconds(f, c, in_window),
        mean_in_flight=f["mean_in_flight"],
        validity=validity,
        nodes=f.get("nodes"),
        http2=f["http2"],
        quic=f["quic"],
        connections__excess_data=f["excess_data"],
        replies=_replies(f, c["ok"]),
    )


_NOBODY = dict.fromkeys(("ok", "wrong_status", "wrong_body", "in_flight", "unsent", "waited"), 0)
_NOBODY["errors"] = {}  # type: ignore[assignment]
_NO_TIME = time(0, 0, 0) | {"min_ns": 0, "stdev_ns": 0.0}


def _in_sessions(f: Change, c: Change) -> tuple[Change, Change]:
    """Sessions of so many calls each; what is missing for whole ones was not sent."""
    calls = f["per_session"]
    due = -(-c["due"] // calls)
    c = {**c, "due": due * calls, "unsent": due * calls - c["sent"]}
    not_started = int(c["unsent"] // calls * f["not_started"])
    started = due - not_started
    failed = min(f["failed_sessions"], started)
    return of_sessions(due, started, started - failed, failed), c


def _replies(f: Change, right: int) -> Change:
    """Right replies that are unlike the first one; it is like itself."""
    unlike = int(max(0, right - 1) * f["unlike"])
    sizes = {"header_bytes": 1, "content_bytes": 1, "footer_bytes": 0, "largest": 1}
    shares = ("other_size", "same_other")
    return sizes | {"unlike": unlike} | {name: int(unlike * f[name]) for name in shares}


def _seconds(f: Change, c: Change, in_window: int) -> list[Change]:
    """The calls that fell due and the replies of the window, spread over its seconds."""
    number = int(f["window_s"]) + 1
    ok = _spread(in_window, f["ok_seconds"][:number])
    due = _spread(c["due"], f["due_seconds"][:number])
    plain = {"failed": 0, "sessions": 0, "p50_ns": 1, "p99_ns": 1, "max_ns": 1}
    return [
        {"second": n, "due": due[n], "sent": due[n], "ok": ok[n], **plain} for n in range(number)
    ]


def _spread(total: int, weights: list[int]) -> list[int]:
    parts = [total * weight // max(1, sum(weights)) for weight in weights]
    return [total - sum(parts[1:]), *parts[1:]]


def lost(f: Change) -> int:
    return int(sum(f["calls"]["errors"].values()) + f["calls"]["in_flight"])


def answered(f: Change) -> int:
    return sum(f["calls"][way] for way in ("ok", "wrong_status", "wrong_body"))


def open_load(f: Change) -> None:
    f["load"] = "requests" if f["load"] == "closed" else f["load"]


def with_tests(f: Change, **found: Any) -> None:
    """A run whose tests of validity have these results."""
    plain = {"percentiles": p99(), "arrivals": fit(scheduled=None)}
    drift = {"means": 0, "width_s": 0.1, "dickey_fuller": None}
    halves = {"first_half_ns": None, "second_half_ns": None}
    independent = {"sampled": 0, "successive": None, "apart": None}
    f["validity"] = {**plain, "drift": drift | halves, "dependence": independent, **found}
