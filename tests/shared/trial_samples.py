"""Trials as they come back from the machine, made from a few numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from httpdyno.measurement import Endpoint, EndpointCalls, Measurement
from httpdyno.outcome import ServerCost, TrialOutcome
from httpdyno.result import Reason, Status
from measurement_document import (
    counted_calls,
    counted_connections,
    measurement_document,
    time_summary,
)


def measurement(rate: float = 1000.0, p99_s: float = 0.002, load: str = "closed") -> Measurement:
    ns = int(p99_s * 1e9)
    half = {"min_ns": 1, "mean_ns": ns / 2, "p50_ns": ns // 2}
    time = time_summary(int(rate), ns, **half, hdr=str(ns))
    times = dict.fromkeys(("response", "service", "first_byte", "lag", "connect"), time)
    return Measurement.model_validate(
        measurement_document(
            load=load,
            calls=counted_calls(int(rate)),
            completed_in_window=int(rate),
            offered_per_s=None if load == "closed" else rate,
            throughput_per_s=rate,
            statuses={"200": int(rate)},
            connections=counted_connections(0),
            times=times,
        )
    )


def with_endpoints(
    whole: Measurement, p99_s: Mapping[str, float], failed: Mapping[str, int] | None = None
) -> Measurement:
    """The measurement of several endpoints, which have the same number of calls each; so many of
    them failed."""
    lost = failed or {}
    found = (_endpoint(whole, name, each, lost.get(name, 0)) for name, each in p99_s.items())
    return whole.model_copy(update={"endpoints": tuple(found)})


def _endpoint(whole: Measurement, name: str, p99_s: float, failed: int) -> Endpoint:
    ns = round(p99_s * 1e9)
    tail = dict.fromkeys(("p75_ns", "p90_ns", "p99_ns", "p999_ns", "p9999_ns", "max_ns"), ns)
    shape = {"min_ns": ns // 2, "mean_ns": ns / 2, "p50_ns": ns // 2, "hdr": str(ns)}
    time = whole.times.response.model_copy(update={**tail, **shape})
    counts = {"wrong_status": failed, "wrong_body": 0, "errors": {}, "in_flight": 0, "unsent": 0}
    return Endpoint(
        name=name,
        calls=EndpointCalls.model_validate({"ok": whole.calls.ok - failed, **counts}),
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
