"""The results of a test: ab's counts and times, from the engine's measurement and its call log."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain, compress
from operator import itemgetter, not_, sub
from typing import TYPE_CHECKING

from httpdyno.call_log import ERRORS, IN_FLIGHT, KEPT, CallLog
from httpdyno.compat.ab.options import Options
from httpdyno.compat.ab.times import Each, Times

if TYPE_CHECKING:
    from httpdyno.measurement import FirstReply, Measurement

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
RECEIVING = frozenset(
    {"first_byte_timeout", "reply_timeout", "socket_timeout", "reset", "other"}
    | {"value_not_found", "refused_stream", "stream_reset", "goaway", "grpc_status"}
)
"""Error classes that `Receive` counts; the last five are of what ab does not have."""
_CUT = "early_close"
_GARBLED = "protocol"


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
    """The results of a test, from its measurement and its call log."""
    calls = _ended_calls(log)
    length = next(_lengths(calls), 0)
    statuses, flags, content = Counter[int](), Counter[int](), 0
    for part in calls.parts():
        status = part["status"]
        statuses.update(status)
        flags.update(part["flags"])
        content += sum(compress(part["body_bytes"], status))
    return Results(
        options=options,
        software=_software(measurement.first_reply),
        tls=_tls(measurement),
        length=length,
        taken_s=measurement.window_s,
        done=statuses.total(),
        failures=failures_of(calls, length, any_length=options.any_length),
        other_than_2xx=sum(n for code, n in statuses.items() if code and code // 100 != 2),
        kept=sum(n for flag, n in flags.items() if flag & KEPT),
        received=measurement.bytes_received,
        sent=measurement.bytes_sent,
        content=content,
        times=times_of(calls, measurement.started_at, each=options.gnuplot is not None),
    )


def failures_of(calls: CallLog, length: int, *, any_length: bool) -> Failures:
    """The failed requests among calls, where bodies should have this length."""
    errors = Counter(calls["error"])
    lengths = Counter(_lengths(calls))

    def count(*names: str) -> int:
        return sum(errors[ERRORS.index(name) + 1] for name in names)

    return Failures(
        connect=count(*CONNECTING),
        receive=count(*RECEIVING),
        length=count(_CUT) + (0 if any_length else lengths.total() - lengths[length]),
        exceptions=count(_GARBLED),
    )


def times_of(calls: CallLog, started_at: float, *, each: bool = False) -> Times:
    """The times of calls. The first call of a connection also connects; any other begins when the
    one before it ended. `each`: list every call, too."""
    times, listed = Times(), list[Each]()
    for part in calls.parts():
        pairs = zip(part["connect_began_ns"], part["due_ns"], strict=True)
        began = [connecting or due for connecting, due in pairs]
        total = _micros(began, part["done_ns"])
        connect = list(map(min, _micros(began, part["connected_ns"]), total))
        columns = (
            connect,
            list(map(sub, total, connect)),
            total,
            _micros(part["sent_ns"], part["first_byte_ns"]),
        )
        kinds = (times.connect, times.processing, times.total, times.waiting)
        for micros, more in zip(kinds, columns, strict=True):
            micros.add(more)
        if each:
            moments = [started_at + at * 1e-9 for at in began]
            listed += zip(moments, *columns, strict=True)
    return replace(times, each=sorted(listed, key=itemgetter(3)))


def _ended_calls(log: CallLog) -> CallLog:
    """The log without the calls that were unanswered at the end."""
    errors = log["error"]
    if IN_FLIGHT not in errors:
        return log
    return log.pick(place for place, error in enumerate(errors) if error != IN_FLIGHT)


def _lengths(calls: CallLog) -> Iterator[int]:
    """The lengths of the bodies of calls without an error."""
    return chain.from_iterable(
        compress(part["body_bytes"], map(not_, part["error"])) for part in calls.parts()
    )


def _micros(begins: list[int], ends: list[int]) -> list[int]:
    """The times between, in whole microseconds; 0 where it did not come to an end."""
    pairs = zip(begins, ends, strict=True)
    return [(end - begin) // 1000 if end > begin else 0 for begin, end in pairs]


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
