"""Trials as they come back from the machine, made from a few numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from httpdyno.measurement import Endpoint, EndpointCalls, Measurement
from httpdyno.outcome import ServerCost, TrialOutcome
from httpdyno.result import Reason, Status

_UNTESTED: dict[str, Any] = {
    "percentiles": [],
    "arrivals": None,
    "drift": dict.fromkeys(("dickey_fuller", "first_half_ns", "second_half_ns"))
    | {"means": 0, "width_s": 0.1},
    "dependence": {"sampled": 0, "successive": None, "apart": None},
}
"""The tests of a measurement that is too short for them."""
_REPLIES = ("header_bytes", "content_bytes", "footer_bytes", "largest", "unlike", "other_size")
_CONNECTIONS = (
    *("opened", "failed", "closed_by_server", "excess_data"),
    *("peak_open", "begun", "begun_together"),
)


def measurement(rate: float = 1000.0, p99_s: float = 0.002, load: str = "closed") -> Measurement:
    ns = int(p99_s * 1e9)
    shape: dict[str, Any] = {"min_ns": 1, "mean_ns": ns / 2, "stdev_ns": 1, "p50_ns": ns // 2}
    tail = {"p75_ns": ns, "p90_ns": ns, "p99_ns": ns, "p999_ns": ns, "p9999_ns": ns, "max_ns": ns}
    time = {"count": int(rate), **shape, **tail, "hdr": str(ns)}
    counts = {"unsent": 0, "waited": 0, "wrong_status": 0, "wrong_body": 0, "errors": {}}
    calls = {"due": int(rate), "sent": int(rate), "ok": int(rate), "in_flight": 0, **counts}
    names = ("response", "service", "first_byte", "lag", "connect")
    cpu = {"user_s": 0.1, "system_s": 0.1, "busy_share": 0.2}
    stopped = {"waiting_share": None, "standstill_share": 0.0}
    switches = {"voluntary_switches": 1, "involuntary_switches": 1}
    driver = {"version": "1", "driver": "epoll", "driver_reason": "", "threads": 1, "cpus": None}
    return Measurement.model_validate(
        {
            "format": "httpdyno-measurement",
            "version": 1,
            "engine": driver,
            "load": load,
            "started_at": 1.0,
            "warm_up_s": 0,
            "window_s": 1,
            "drain_s": 0,
            "stopped_by": "duration",
            "calls": calls,
            "warm_up_calls": {**calls, "due": 0, "sent": 0, "ok": 0},
            "completed_in_window": int(rate),
            "offered_per_s": None if load == "closed" else rate,
            "throughput_per_s": rate,
            "statuses": {"200": int(rate)},
            "bytes_sent": 1,
            "bytes_received": 1,
            "body_bytes": 1,
            "replies": dict.fromkeys(_REPLIES, 0),
            "protocol": "http/1.1",
            "connections": dict.fromkeys(_CONNECTIONS, 0) | {"errors": {}, "lifetime": time},
            "times": dict.fromkeys(names, time),
            "intervals": [],
            "mean_in_flight": 1,
            "validity": _UNTESTED,
            "cpu": cpu | switches | stopped,
        }
    )


def with_endpoints(whole: Measurement, p99_s: Mapping[str, float]) -> Measurement:
    """The measurement of several endpoints, which have the same number of calls each."""
    return whole.model_copy(
        update={"endpoints": tuple(_endpoint(whole, name, each) for name, each in p99_s.items())}
    )


def _endpoint(whole: Measurement, name: str, p99_s: float) -> Endpoint:
    ns = round(p99_s * 1e9)
    tail = dict.fromkeys(("p75_ns", "p90_ns", "p99_ns", "p999_ns", "p9999_ns", "max_ns"), ns)
    shape = {"min_ns": ns // 2, "mean_ns": ns / 2, "p50_ns": ns // 2, "hdr": str(ns)}
    time = whole.times.response.model_copy(update={**tail, **shape})
    counts = {"wrong_status": 0, "wrong_body": 0, "errors": {}, "in_flight": 0, "unsent": 0}
    return Endpoint(
        name=name,
        calls=EndpointCalls.model_validate({"ok": whole.calls.ok, **counts}),
        completed_in_window=whole.calls.ok,
        throughput_per_s=whole.throughput_per_s,
        statuses={"200": whole.calls.ok},
        body_bytes=1,
        response=time,
        service=time,
        percentiles=[],
    )


def reason(code: str, status: Status) -> Reason:
    return Reason(code=code, status=status, text=f"it was {code}", hint="do this")


def outcome(
    index: int,
    block: int,
    cell: tuple[str, str, str],
    *,
    rate: float = 1000.0,
    p99_s: float = 0.002,
    reasons: Sequence[Reason] = (),
    open_load: bool = False,
) -> TrialOutcome:
    """A trial; its status is that of its worst reason."""
    status: Status = "valid"
    if reasons:
        status = "invalid" if any(one.status == "invalid" for one in reasons) else "suspect"
    memory = {"rss_peak_bytes": 50_000_000, "threads": 1, "processes": 1}
    switches = {"voluntary_switches": 1, "involuntary_switches": 1}
    cost = {"window_s": 1, "cpu_s": 0.8}
    return TrialOutcome(
        index=index,
        block=block,
        arm=cell[0],
        load=cell[1],
        point=cell[2],
        started_at=float(index),
        ended_at=float(index + 1),
        status=status,
        reasons=tuple(reasons),
        measurement=measurement(rate, p99_s, "requests" if open_load else "closed"),
        server=ServerCost.model_validate(cost | memory | switches),
        ceiling_per_s=20_000.0,
    )
