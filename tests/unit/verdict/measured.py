"""A sound measurement, and changes of it that stay as an engine would write them."""

from __future__ import annotations

from typing import Any

from httpdyno.engine_plan import EnginePlan
from httpdyno.engine_plan.reading import read
from httpdyno.measurement import Measurement
from httpdyno.outcome import MachineUse
from httpdyno.result import PathRow
from httpdyno.verdict import Context, judge

Change = dict[str, Any]


def time(count: int = 10_000, p50_ns: int = 1_000_000, p99_ns: int = 2_000_000) -> Change:
    shape = {
        "min_ns": 1,
        "mean_ns": float(p50_ns),
        "stdev_ns": 1.0,
        "p50_ns": p50_ns,
        "p75_ns": p50_ns,
    }
    tail = {
        "p90_ns": p99_ns,
        "p99_ns": p99_ns,
        "p999_ns": p99_ns,
        "p9999_ns": p99_ns,
        "max_ns": p99_ns,
    }
    return {"count": count, **shape, **tail, "hdr": ""}


def late(at_p50_ns: int = 0, at_p99_ns: int = 0) -> Change:
    """A generator that adds so much to the percentiles of the response time."""
    response = time(p50_ns=1_000_000 + at_p50_ns, p99_ns=2_000_000 + at_p99_ns)
    most_ns = max(at_p50_ns, at_p99_ns)
    return {"times__response": response, "times__lag": time(p50_ns=at_p50_ns, p99_ns=most_ns)}


def node(p99_ns: int = 2_000_000, lag_p99_ns: int = 10_000, ok: int = 5_000) -> Change:
    times = {"p99_ns": p99_ns, "lag_p99_ns": lag_p99_ns, "started_at_ns": 0}
    return {"name": "generator", "ok": ok, "busy_share": 0.1} | times


def known_within(*errors_ns: int) -> list[Change]:
    """Load generators whose clocks are known so well."""
    return [
        node() | {"name": f"g{n}", "offset_error_ns": error} for n, error in enumerate(errors_ns)
    ]


def second(number: int, ok: int = 1000, due: int = 1000) -> Change:
    times = {"p50_ns": 1, "p99_ns": 1, "max_ns": 1}
    counts = {"due": due, "sent": due, "ok": ok, "failed": 0, "sessions": 0}
    return {"second": number, **counts, **times}


def of_sessions(due: int, started: int, completed: int, failed: int = 0) -> Change:
    """The outcomes of sessions, each on a connection of its own."""
    counts = {"due": due, "started": started, "completed": completed, "failed": failed}
    ends = {"lifetime": time(completed), "fail_time": time(failed), "lengths": []}
    return {**counts, "connections": completed, "resent": 0, **ends}


def calls(ok: int = 10_000, **other: Any) -> Change:
    counts: Change = {"unsent": 0, "waited": 0, "wrong_status": 0, "wrong_body": 0, "in_flight": 0}
    counts |= {"ok": ok, "errors": {}} | other
    ended = (
        counts["ok"]
        + counts["wrong_status"]
        + counts["wrong_body"]
        + sum(counts["errors"].values())
    )
    sent = ended + counts["in_flight"]
    return {"sent": sent, "due": sent + counts["unsent"]} | counts


def p99(low_ns: int = 1_900_000, high_ns: int | None = 2_100_000) -> list[Change]:
    bounds = {"low_ns": low_ns, "high_ns": high_ns, "design_effect": 1.0}
    return [{"quantile": 0.99, "value_ns": 2_000_000} | bounds]


def like(unlike: int, other_size: int = 0, same_other: int = 0) -> Change:
    """Replies, of which so many are unlike the first one."""
    sizes = {"header_bytes": 1, "content_bytes": 1, "footer_bytes": 0, "largest": 1}
    return sizes | {"unlike": unlike, "other_size": other_size, "same_other": same_other}


def fit(**changes: Any) -> Change:
    whole = {
        "spacing": "constant",
        "sampled": 4000,
        "group": 1,
        "scheduled": 10_000,
        "due": 10_000,
        "off_share": 0.0,
        "anderson_darling": None,
    }
    return whole | changes


def drift(statistic: float, second_half_ns: float) -> Change:
    halves = {"first_half_ns": 1_000_000.0, "second_half_ns": second_half_ns}
    return {"means": 100, "width_s": 0.1, "dickey_fuller": statistic} | halves


def dependence(apart: float, sampled: int = 4000) -> Change:
    return {"sampled": sampled, "successive": 0.9, "apart": apart}


def measurement(**changes: Any) -> Measurement:
    """A sound open-load run: 1,000/s offered and achieved for 10 s, 1 ms a call."""
    whole: Change = {
        "format": "httpdyno-measurement",
        "version": 1,
        "engine": {
            "version": "1",
            "driver": "epoll",
            "driver_reason": "",
            "threads": 1,
            "cpus": [1],
        },
        "load": "requests",
        "started_at": 0.0,
        "warm_up_s": 1.0,
        "window_s": 10.0,
        "drain_s": 0.0,
        "stopped_by": "duration",
        "calls": calls(),
        "warm_up_calls": calls(1000),
        "completed_in_window": 10_000,
        "offered_per_s": 1000.0,
        "throughput_per_s": 1000.0,
        "statuses": {"200": 10_000},
        "bytes_sent": 1,
        "bytes_received": 1,
        "body_bytes": 1,
        "replies": like(0),
        "protocol": "http/1.1",
        "connections": {
            "opened": 1,
            "failed": 0,
            "closed_by_server": 0,
            "excess_data": 0,
            "peak_open": 1,
            "begun": 1,
            "begun_together": 1,
            "errors": {},
            "lifetime": time(1),
        },
        "times": {
            "response": time(),
            "service": time(),
            "first_byte": time(),
            "lag": time(p50_ns=5_000, p99_ns=50_000),
            "connect": time(1),
        },
        "intervals": [second(number) for number in range(10)],
        "mean_in_flight": 1.0,
        "validity": {
            "percentiles": p99(),
            "arrivals": fit(),
            "drift": drift(-8.0, 1_000_000.0),
            "dependence": dependence(0.01),
        },
        "cpu": {
            "user_s": 1,
            "system_s": 1,
            "busy_share": 0.2,
            "voluntary_switches": 1,
            "involuntary_switches": 1,
            "waiting_share": None,
            "standstill_share": 0.0,
        },
    }
    for path, value in changes.items():
        *folders, last = path.split("__")
        place = whole
        for folder in folders:
            place = place[folder]
        place[last] = value
    return Measurement.model_validate(whole)


def open_load(kind: str = "requests", per_s: float = 1000, **more: Any) -> Change:
    """A load at one steady rate."""
    arrivals = {"segments": [{"from_per_s": per_s, "to_per_s": per_s}]}
    pool = {"connections": 10} if kind == "requests" else {}
    return {"kind": kind, "arrivals": arrivals, **pool, **more}


def plan(load: Change | None = None, **changes: Any) -> EnginePlan:
    """Ten seconds of 1,000/s, unless it is changed."""
    whole: Change = {
        "target": {"host": "127.0.0.1", "port": 8080},
        "load": load or open_load(),
        "warm_up_s": 1.0,
        "stop": {"duration_s": 10},
    }
    return read(whole | changes)


def codes(m: Measurement, **context: Any) -> list[str]:
    """The codes of the reasons to doubt it."""
    return [reason.code for reason in judge(m, Context(**context)).reasons]


def two_machines(link_bits_per_s: float | None = 1e9, **counted: Any) -> Change:
    """The arguments of `judge` for generator `g` and server `s`: ten seconds, no losses."""
    counts = {"sent_bytes": 0, "sent_packets": 0, "segments_sent": 100_000} | counted
    server = MachineUse(
        roles=("server",),
        window_s=10.0,
        cores=(),
        memory_bytes=0,
        memory_total_bytes=0,
        **({"name": "s", "interface": "eth0"} | counts),
    )
    path = PathRow(
        generator="g",
        server="s",
        round_trip_p50_s=0.0002,
        round_trip_min_s=0.0001,
        server_link_bits_per_s=link_bits_per_s,
    )
    return {"machines": (server,), "paths": (path,)}
