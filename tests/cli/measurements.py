"""Measurements made by hand, for what shows and judges them."""

from __future__ import annotations

from typing import Any

from httpdyno.measurement import Measurement

MS = 1_000_000


def time(*, p50_ns: int, count: int = 1000) -> dict[str, Any]:
    """A distribution around `p50_ns`; its histogram is not read by these tests."""
    return {
        "count": count,
        "min_ns": p50_ns // 2,
        "mean_ns": p50_ns * 1.1,
        "stdev_ns": p50_ns * 0.4,
        "p50_ns": p50_ns,
        "p75_ns": p50_ns * 2,
        "p90_ns": p50_ns * 3,
        "p99_ns": p50_ns * 10,
        "p999_ns": p50_ns * 20,
        "p9999_ns": p50_ns * 30,
        "max_ns": p50_ns * 40,
        "hdr": "",
    }


def validity(
    *, low_ns: int = 9 * MS, high_ns: int | None = 11 * MS, quantile: float = 0.99
) -> dict[str, Any]:
    """Tests that say little but how well one percentile of 10 ms is known."""
    known = {"quantile": quantile, "value_ns": 10 * MS, "low_ns": low_ns, "high_ns": high_ns}
    halves = {"first_half_ns": None, "second_half_ns": None}
    return {
        "percentiles": [known | {"design_effect": None}],
        "arrivals": None,
        "drift": {"means": 0, "width_s": 0.1, "dickey_fuller": None} | halves,
        "dependence": {"sampled": 0, "successive": None, "apart": None},
    }


REPLIES = {
    "header_bytes": 100_000,
    "content_bytes": 1_900_000,
    "footer_bytes": 0,
    "largest": 2_000,
    "unlike": 0,
    "other_size": 0,
}
CALLS = {
    "due": 1000,
    "sent": 1000,
    "unsent": 0,
    "waited": 0,
    "ok": 1000,
    "wrong_status": 0,
    "wrong_body": 0,
    "errors": {},
    "in_flight": 0,
}


def measurement(**changed: Any) -> Measurement:
    """A sound open load of 1,000 calls in 2 s, with fields changed as named."""
    plain: dict[str, Any] = {
        "format": "httpdyno-measurement",
        "version": 1,
        "engine": {
            "version": "0.1.0",
            "driver": "epoll",
            "driver_reason": "io_uring is forbidden here",
            "threads": 1,
            "cpus": None,
        },
        "load": "requests",
        "started_at": 0.0,
        "warm_up_s": 0.0,
        "window_s": 2.0,
        "drain_s": 0.0,
        "stopped_by": "duration",
        "calls": CALLS,
        "warm_up_calls": dict.fromkeys(CALLS, 0) | {"errors": {}},
        "completed_in_window": 1000,
        "offered_per_s": 500.0,
        "throughput_per_s": 500.0,
        "statuses": {"200": 1000},
        "bytes_sent": 100_000,
        "bytes_received": 2_000_000,
        "body_bytes": 1_900_000,
        "replies": REPLIES,
        "protocol": "http/1.1",
        "connections": {
            "opened": 10,
            "failed": 0,
            "closed_by_server": 0,
            "excess_data": 0,
            "peak_open": 10,
            "begun": 10,
            "begun_together": 10,
            "errors": {},
            "lifetime": time(p50_ns=2000 * MS, count=10),
        },
        "times": {
            "response": time(p50_ns=MS),
            "service": time(p50_ns=MS),
            "first_byte": time(p50_ns=MS // 2),
            "lag": time(p50_ns=2000),
            "connect": time(p50_ns=40_000, count=10),
        },
        "intervals": [interval(0, ok=480), interval(1, ok=520)],
        "mean_in_flight": 0.5,
        "validity": validity() | {"percentiles": []},
        "cpu": {
            "user_s": 0.1,
            "system_s": 0.2,
            "busy_share": 0.15,
            "voluntary_switches": 10,
            "involuntary_switches": 1,
            "waiting_share": None,
            "standstill_share": 0.0,
        },
    }
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
