"""httperf's statistics of a test, from a measurement."""

from __future__ import annotations

import math
from base64 import b64decode
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from httpdyno.compat.httperf.options import Options
from httpdyno.compat.httperf.workload import Workload
from httpdyno.engine_plan import Base64, Request

if TYPE_CHECKING:
    from httpdyno.call_log import CallLog
    from httpdyno.measurement import Measurement

__all__ = ["ERRORS", "SAMPLE_S", "Samples", "Statistics", "statistics_of"]

SAMPLE_S = 5
"""Seconds of a sample of the reply rate."""
ERRORS: dict[str, tuple[str, ...]] = {
    "client-timo": ("connect_timeout", "first_byte_timeout", "reply_timeout"),
    "socket-timo": ("socket_timeout",),
    "connrefused": ("refused",),
    "connreset": ("reset", "early_close"),
    "fd-unavail": ("descriptors",),
    "addrunavail": ("addresses",),
    "ftab-full": ("file_table",),
    "other": (
        *("protocol", "tls", "unreachable", "other"),
        *("value_not_found", "refused_stream", "stream_reset", "goaway", "grpc_status"),
    ),
}
"""httperf's classes of errors, and those of the engine that they hold."""


@dataclass(frozen=True)
class Samples:
    """A rate in successive stretches of the test."""

    rates: tuple[float, ...]
    of_all: bool = False
    """The only rate is that of the whole test, which was shorter than a sample."""

    @property
    def least(self) -> float:
        """The lowest rate; 0 without samples."""
        return min(self.rates, default=0.0)

    @property
    def greatest(self) -> float:
        """The highest rate; 0 without samples."""
        return max(self.rates, default=0.0)

    @property
    def mean(self) -> float:
        """The mean rate; 0 without samples."""
        return math.fsum(self.rates) / len(self.rates) if self.rates else 0.0

    @property
    def deviation(self) -> float:
        """The standard deviation; 0 with fewer than two samples."""
        if len(self.rates) < 2:
            return 0.0
        mean = self.mean
        squares = math.fsum((rate - mean) ** 2 for rate in self.rates)
        return math.sqrt(squares / (len(self.rates) - 1))


@dataclass(frozen=True)
class Statistics:
    """The numbers that the lines of the output show."""

    seconds: float
    connections: int
    requests: int
    request_bytes: int
    """Mean size of a request."""
    replies: int
    by_class: tuple[int, ...]
    """Replies with a status of 1xx, 2xx … 5xx; one such as 600 is in none of them."""
    reply_rate: Samples
    session_rate: Samples
    errors: Mapping[str, int]
    """By httperf's class."""
    by_second: Sequence[tuple[int, int]] = ()
    """Replies with status 200 and 302 in each second, if they were requested."""

    def per_s(self, number: float) -> float:
        """A number per second of the test."""
        return number / self.seconds if self.seconds else 0.0

    def each_ms(self, number: int) -> float:
        """Milliseconds of the test for each of a number."""
        return 1e3 * self.seconds / number if number else 0.0


def statistics_of(
    options: Options, work: Workload, measured: Measurement, calls: CallLog | None = None
) -> Statistics:
    """The statistics of a test; `calls`: its log, for numbers by second."""
    connections = measured.connections
    # A connection that was not established takes its first calls with it: they were not sent.
    requests = max(0, measured.calls.sent - work.first_burst * connections.failed)
    if measured.sessions is not None:
        requests += measured.sessions.resent
    by_class = tuple(_of_class(measured, first_digit) for first_digit in range(1, 6))
    replies = sum(measured.statuses.values())
    return Statistics(
        seconds=measured.window_s,
        connections=connections.begun - _without_socket(measured),
        requests=requests,
        request_bytes=_mean_bytes(options, work.requests, measured, requests),
        replies=replies,
        by_class=by_class,
        reply_rate=_samples(
            options, measured, replies, {one.second: one.ok for one in measured.intervals}
        ),
        session_rate=_samples(
            options,
            measured,
            measured.sessions.completed if measured.sessions else 0,
            {one.second: one.sessions for one in measured.intervals},
        ),
        errors=_errors(measured),
        by_second=[] if calls is None else _by_second(calls, measured.window_s),
    )


def _without_socket(measured: Measurement) -> int:
    """Connections that never began, because no descriptor was left."""
    errors = measured.connections.errors
    return errors.get("descriptors", 0) + errors.get("file_table", 0)


def _of_class(measured: Measurement, first_digit: int) -> int:
    return sum(n for status, n in measured.statuses.items() if status[0] == str(first_digit))


def _mean_bytes(
    options: Options, requests: Sequence[Request], measured: Measurement, sent: int
) -> int:
    """The size of a request, in whole bytes as httperf divides."""
    sizes = {len(b64decode(one.raw.base64)) for one in requests if isinstance(one.raw, Base64)}
    if len(sizes) == 1 and not options.session_cookies:
        return sizes.pop() if sent else 0
    return measured.bytes_sent // sent if sent else 0


def _samples(
    options: Options, measured: Measurement, whole: int, by_second: Mapping[int, int]
) -> Samples:
    """A rate in stretches of 5 seconds each; of a shorter test, its one rate."""
    number, clients = options.client
    # Clients take their samples at different times.
    begin, end = 0, max(1, math.ceil((number + 1) * SAMPLE_S / clients))
    rates = []
    while end <= measured.window_s:
        rates.append(sum(by_second.get(second, 0) for second in range(begin, end)) / (end - begin))
        begin, end = end, end + SAMPLE_S
    if not rates and measured.window_s and whole:
        return Samples((whole / measured.window_s,), of_all=True)
    return Samples(tuple(rates))


def _errors(measured: Measurement) -> dict[str, int]:
    """Connections that ended in an error, by httperf's class."""
    found = measured.connections.errors
    return {name: sum(found.get(one, 0) for one in classes) for name, classes in ERRORS.items()}


def _by_second(calls: CallLog, seconds: float) -> list[tuple[int, int]]:
    """Replies with status 200 and 302 in each whole second of the test."""
    done = (at // 1_000_000_000 for at in calls["done_ns"])
    counted = Counter(zip(done, calls["status"], strict=True))
    return [(counted[second, 200], counted[second, 302]) for second in range(int(seconds))]
