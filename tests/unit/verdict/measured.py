"""A sound measurement, and changes of it that stay as an engine would write them."""

from __future__ import annotations

from typing import Any

from httpdyno.engine_plan import EnginePlan
from httpdyno.engine_plan.reading import read
from httpdyno.measurement import Measurement
from httpdyno.outcome import DatabaseUse, MachineUse
from httpdyno.result import PathRow
from httpdyno.verdict import Context, judge
from httpdyno.workloads import Queries
from measurement_document import (
    counted_calls,
    counted_replies,
    measurement_document,
    time_summary,
)

Change = dict[str, Any]


def time(count: int = 10_000, p50_ns: int = 1_000_000, p99_ns: int = 2_000_000) -> Change:
    tail = dict.fromkeys(("p90_ns", "p99_ns", "p999_ns", "p9999_ns", "max_ns"), p99_ns)
    return time_summary(count, p50_ns, **tail)


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
    counts = counted_calls(ok, **other)
    failed = counts["wrong_status"] + counts["wrong_body"] + sum(counts["errors"].values())
    sent = counts["ok"] + failed + counts["in_flight"]
    return counts | {"sent": sent, "due": sent + counts["unsent"]} | other


def p99(low_ns: int = 1_900_000, high_ns: int | None = 2_100_000) -> list[Change]:
    bounds = {"low_ns": low_ns, "high_ns": high_ns, "design_effect": 1.0}
    return [{"quantile": 0.99, "value_ns": 2_000_000} | bounds]


def like(unlike: int, other_size: int = 0, same_other: int = 0) -> Change:
    """Replies, of which so many are unlike the first one."""
    return counted_replies(unlike=unlike, other_size=other_size, same_other=same_other)


def streams(**changes: Any) -> Change:
    """HTTP/2 without any trouble, but for these changes."""
    counts = ("waited_for_stream", "blocked_on_window", "windows_used_up", "goaways", "cancels")
    times = dict.fromkeys(("setup", "stream_wait", "window_wait"), time(0, 0, 0))
    whole: Change = {"streams": 10, "stream_limit": 100, "most_streams": 10, "resent": 0}
    whole |= {"goaway_codes": {}, "resets": {}}
    return {"http2": whole | dict.fromkeys(counts, 0) | times | changes}


def datagrams(**changes: Any) -> Change:
    """QUIC on a near path without any trouble, but for these changes."""
    counts = {"datagrams_sent": 10_000, "datagrams_received": 10_000, "packets_sent": 10_000}
    means = {"datagrams_per_send": 1.0, "datagrams_per_receive": 1.0}
    trips = {"min_rtt_s": 0.0001, "mean_rtt_s": 0.0002}
    return {"quic": counts | means | trips | {"packets_lost": 0} | changes}


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
    whole = measurement_document(
        load="requests",
        warm_up_s=1.0,
        window_s=10.0,
        calls=calls(),
        warm_up_calls=calls(1000),
        completed_in_window=10_000,
        offered_per_s=1000.0,
        throughput_per_s=1000.0,
        statuses={"200": 10_000},
        intervals=[second(number) for number in range(10)],
        validity={
            "percentiles": p99(),
            "arrivals": fit(),
            "drift": drift(-8.0, 1_000_000.0),
            "dependence": dependence(0.01),
        },
    )
    whole["engine"] |= {"cpus": [1]}
    whole["times"] |= dict.fromkeys(("response", "service", "first_byte"), time())
    whole["times"] |= {"lag": time(p50_ns=5_000, p99_ns=50_000), "connect": time(1)}
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


def with_database(**changes: Any) -> Change:
    """A database that has read and written a row for each of 10,000 replies."""
    use = {
        "name": "db",
        "window_s": 10.0,
        "cpu_s": 5.0,
        "cores": 1,
        "shares_server": False,
        "connections": 8,
        "replies": 10_000,
        "queries": 20_000,
        "reads": 10_000,
        "rows_read": 10_000,
        "rows_written": 10_000,
        "rows_changed": 6_321,
    }
    queries = Queries(("world",), reads=1, rows_read=1, rows_written=1)
    return {"database": DatabaseUse.model_validate(use | changes), "queries": queries}


def with_shared_cores(server_share: float) -> Change:
    """A database that uses half of the cores of the server, which uses `server_share` of them."""
    return with_database(shares_server=True) | {"server_share": server_share}
