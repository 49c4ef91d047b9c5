"""Measurements made by hand, for what shows and judges them."""

from __future__ import annotations

from typing import Any

from httpdyno.measurement import Measurement
from measurement_document import (
    counted_calls,
    counted_connections,
    counted_replies,
    measurement_document,
    tests_of_validity,
    time_summary,
)

MS = 1_000_000


def time(*, p50_ns: int, count: int = 1000) -> dict[str, Any]:
    """A distribution around `p50_ns`; its histogram is not read by these tests."""
    multiples = {"min_ns": 0.5, "p75_ns": 2, "p90_ns": 3, "p99_ns": 10, "p999_ns": 20}
    multiples |= {"p9999_ns": 30, "max_ns": 40}
    shape = {name: int(p50_ns * each) for name, each in multiples.items()}
    return time_summary(count, p50_ns, mean_ns=p50_ns * 1.1, stdev_ns=p50_ns * 0.4, **shape)


def validity(
    *, low_ns: int = 9 * MS, high_ns: int | None = 11 * MS, quantile: float = 0.99
) -> dict[str, Any]:
    """Tests that say little but how well one percentile of 10 ms is known."""
    known = {"quantile": quantile, "value_ns": 10 * MS, "low_ns": low_ns, "high_ns": high_ns}
    return tests_of_validity(percentiles=[known | {"design_effect": None}])


REPLIES = counted_replies(header_bytes=100_000, content_bytes=1_900_000, largest=2_000)
CALLS = counted_calls(1000)


def measurement(**changed: Any) -> Measurement:
    """A sound open load of 1,000 calls in 2 s, with fields changed as named."""
    plain = measurement_document(
        load="requests",
        window_s=2.0,
        calls=CALLS,
        completed_in_window=1000,
        offered_per_s=500.0,
        throughput_per_s=500.0,
        statuses={"200": 1000},
        bytes_sent=100_000,
        bytes_received=2_000_000,
        body_bytes=1_900_000,
        replies=REPLIES,
        connections=counted_connections(10, lifetime=time(p50_ns=2000 * MS, count=10)),
        times={
            "response": time(p50_ns=MS),
            "service": time(p50_ns=MS),
            "first_byte": time(p50_ns=MS // 2),
            "lag": time(p50_ns=2000),
            "connect": time(p50_ns=40_000, count=10),
        },
        intervals=[interval(0, ok=480), interval(1, ok=520)],
        mean_in_flight=0.5,
    )
    plain["engine"] |= {"version": "0.1.0", "driver_reason": "io_uring is forbidden here"}
    plain["cpu"] |= {"system_s": 0.2, "busy_share": 0.15, "voluntary_switches": 10}
    return Measurement.model_validate(plain | changed)


def endpoint(name: str, *, p50_ns: int = MS, ok: int = 500, **changed: Any) -> dict[str, Any]:
    """An endpoint whose calls all came back right."""
    calls = {"ok": ok, "errors": {}}
    calls |= dict.fromkeys(("wrong_status", "wrong_body", "in_flight", "unsent"), 0)
    times = time(p50_ns=p50_ns, count=ok)
    plain = {
        "name": name,
        "calls": calls,
        "completed_in_window": ok,
        "throughput_per_s": ok / 2,
        "statuses": {"200": ok},
        "body_bytes": 1000 * ok,
        "response": times,
        "service": times,
        "percentiles": [],
    }
    return plain | changed


def interval(second: int, *, ok: int) -> dict[str, int]:
    """One second of the run."""
    counts = {"second": second, "due": ok, "sent": ok, "ok": ok, "failed": 0, "sessions": 0}
    return counts | {"p50_ns": MS, "p99_ns": 10 * MS, "max_ns": 40 * MS}


def endpoint_step(
    begins_s: float,
    per_s: float,
    p99: tuple[int, int, int] | None,
    *,
    to_per_s: float | None = None,
    **changed: Any,
) -> dict[str, Any]:
    """An endpoint in a step of 10 s; `p99`: the low end, the value and the high end in ms."""
    known = {"quantile": 0.99, "design_effect": 1.2}
    if p99 is not None:
        low, value, high = (MS * each for each in p99)
        known |= {"value_ns": value, "low_ns": low, "high_ns": high}
    plain = {"begins_s": begins_s, "ends_s": begins_s + 10, "from_per_s": per_s}
    plain |= {"to_per_s": per_s if to_per_s is None else to_per_s, "seconds": 10, "ok": 5000}
    plain |= {"failed": 0, "body_bytes": 5000, "throughput_per_s": 500.0}
    return plain | {"percentiles": [known] if p99 is not None else []} | changed
