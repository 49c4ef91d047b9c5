"""The results of a test: ab's counts and times, from the engine's measurement and its call log."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from httpdyno.compat.ab.options import Options
from httpdyno.compat.ab.times import Times
from httpdyno.measurement import FirstReply, Measurement
from httpdyno.measurement.call_log import ERRORS, KEPT, CallLog

__all__ = [
    "CONNECTING",
    "RECEIVING",
    "Failures",
    "Results",
    "failures_of",
    "results_of",
    "times_of",
]

CONNECTING = frozenset(
    {"connect_timeout", "refused", "tls", "unreachable", "descriptors", "addresses", "file_table"}
)
"""Error classes that ab's `Connect` counts: no connection was made."""
RECEIVING = frozenset({"first_byte_timeout", "reply_timeout", "socket_timeout", "reset", "other"})
"""Error classes that `Receive` counts."""
_CUT = "early_close"
_GARBLED = "protocol"
_IN_FLIGHT = ERRORS.index("in_flight") + 1


@dataclass(frozen=True)
class Failures:
    """Failed requests by ab's classes; each request counts once."""

    connect: int
    receive: int
    length: int
    exceptions: int

    @property
    def total(self) -> int:
        """All of them."""
        return self.connect + self.receive + self.length + self.exceptions


@dataclass(frozen=True)
class Results:
    """Everything that ab prints."""

    options: Options
    software: str
    tls: str | None
    """`TLSv1.3,CIPHER`."""
    length: int
    """Of the first reply's body."""
    taken_s: float
    done: int
    failures: Failures
    other_than_2xx: int
    kept: int
    """Requests after which the connection stayed open."""
    received: int
    sent: int
    content: int
    times: Times


def results_of(options: Options, measurement: Measurement, log: CallLog) -> Results:
    """The results of a test, from its measurement and the records of its calls."""
    calls = log[log["error"] < _IN_FLIGHT]
    good = calls["error"] == 0
    length = int(calls["body_bytes"][good][0]) if good.any() else 0
    status = calls["status"]
    return Results(
        options=options,
        software=_software(measurement.first_reply),
        tls=_tls(measurement),
        length=length,
        taken_s=measurement.window_s,
        done=len(calls),
        failures=failures_of(calls, length, any_length=options.any_length),
        other_than_2xx=int(((status > 0) & (status // 100 != 2)).sum()),
        kept=int((calls["flags"] & KEPT > 0).sum()),
        received=measurement.bytes_received,
        sent=measurement.bytes_sent,
        content=int(calls["body_bytes"][status > 0].sum()),
        times=times_of(calls, measurement.started_at),
    )


def failures_of(calls: CallLog, length: int, *, any_length: bool) -> Failures:
    """The failed requests among calls, where bodies should have this length."""

    def count(*names: str) -> int:
        codes = [ERRORS.index(name) + 1 for name in names]
        return int(np.isin(calls["error"], codes).sum())

    others = (calls["error"] == 0) & (calls["body_bytes"] != length)
    return Failures(
        connect=count(*CONNECTING),
        receive=count(*RECEIVING),
        length=count(_CUT) + (0 if any_length else int(others.sum())),
        exceptions=count(_GARBLED),
    )


def times_of(calls: CallLog, started_at: float) -> Times:
    """The times of calls. The first call of a connection also connects; any other begins when the
    one before it ended."""
    connecting = calls["connect_began_ns"] > 0
    began = _moments(calls, "due_ns")
    ready = began.copy()
    began[connecting] = _moments(calls[connecting], "connect_began_ns")
    ready[connecting] = _moments(calls[connecting], "connected_ns")
    waiting = _moments(calls, "first_byte_ns") - _moments(calls, "sent_ns")
    total = _micros(_moments(calls, "done_ns") - began)
    order = np.argsort(total, kind="stable")
    return Times(
        began_s=started_at + began[order].astype(np.float64) * 1e-9,
        connect=np.minimum(_micros(ready - began), total)[order],
        total=total[order],
        waiting=_micros(waiting)[order],
    )


def _moments(calls: CallLog, name: str) -> NDArray[np.int64]:
    return np.asarray(calls[name].astype(np.int64))


def _micros(nanos: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.maximum(nanos, 0) // 1000


def _software(first: FirstReply | None) -> str:
    """The Server header of the first reply, up to the first space."""
    headers = first.headers if first is not None else []
    given = next((value for name, value in headers if name.lower() == "server"), "")
    return given.split(" ")[0]


def _tls(measurement: Measurement) -> str | None:
    shaken = measurement.handshakes
    if shaken is None or shaken.version is None:
        return None
    return f"TLSv{shaken.version},{shaken.cipher}"
