"""The smallest measurement as the engine writes it: every key that it requires, once."""

from __future__ import annotations

from typing import Any

Document = dict[str, Any]

PERCENTILES = ("p50_ns", "p75_ns", "p90_ns", "p99_ns", "p999_ns", "p9999_ns")


def time_summary(count: int = 1, ns: int = 1, **changed: Any) -> Document:
    """A distribution of `count` equal times, with keys changed as named."""
    shape = {"count": count, "min_ns": ns, "mean_ns": float(ns), "stdev_ns": 1.0, "max_ns": ns}
    return shape | dict.fromkeys(PERCENTILES, ns) | {"hdr": ""} | changed


def counted_calls(ok: int = 0, **changed: Any) -> Document:
    """Calls that were due and sent, and came back right, with keys changed as named."""
    failed = {"unsent": 0, "waited": 0, "wrong_status": 0, "wrong_body": 0, "errors": {}}
    return {"due": ok, "sent": ok, "ok": ok, "in_flight": 0} | failed | changed


def counted_replies(**changed: Any) -> Document:
    """Replies that are all like the first one, with keys changed as named."""
    sizes = {"header_bytes": 1, "content_bytes": 1, "footer_bytes": 0, "largest": 2}
    return sizes | {"unlike": 0, "other_size": 0} | changed


def counted_connections(count: int = 1, **changed: Any) -> Document:
    """Connections that were opened at the start and stayed, with keys changed as named."""
    opened = dict.fromkeys(("opened", "peak_open", "begun", "begun_together"), count)
    ended = dict.fromkeys(("failed", "closed_by_server", "excess_data"), 0)
    return opened | ended | {"errors": {}, "lifetime": time_summary(count)} | changed


def tests_of_validity(**changed: Any) -> Document:
    """The tests of a measurement that is too short for them, with keys changed as named."""
    halves = {"dickey_fuller": None, "first_half_ns": None, "second_half_ns": None}
    tests: Document = {
        "percentiles": [],
        "arrivals": None,
        "drift": {"means": 0, "width_s": 0.1, **halves},
        "dependence": {"sampled": 0, "successive": None, "apart": None},
    }
    return tests | changed


def measurement_document(**changed: Any) -> Document:
    """One second of a closed load without a call, with keys changed as named."""
    engine = {"version": "1", "driver": "epoll", "driver_reason": "", "threads": 1, "cpus": None}
    times = ("response", "service", "first_byte", "lag", "connect")
    return {
        "format": "httpdyno-measurement",
        "version": 1,
        "engine": engine,
        "load": "closed",
        "started_at": 1.0,
        "warm_up_s": 0.0,
        "window_s": 1.0,
        "drain_s": 0.0,
        "stopped_by": "duration",
        "calls": counted_calls(),
        "warm_up_calls": counted_calls(),
        "completed_in_window": 0,
        "offered_per_s": None,
        "throughput_per_s": 0.0,
        "statuses": {},
        "bytes_sent": 1,
        "bytes_received": 1,
        "body_bytes": 1,
        "replies": counted_replies(),
        "protocol": "http/1.1",
        "connections": counted_connections(),
        "times": {name: time_summary() for name in times},
        "intervals": [],
        "mean_in_flight": 1.0,
        "validity": tests_of_validity(),
        "cpu": {
            "user_s": 0.1,
            "system_s": 0.1,
            "busy_share": 0.2,
            "voluntary_switches": 1,
            "involuntary_switches": 1,
            "waiting_share": None,
            "standstill_share": 0.0,
        },
    } | changed
