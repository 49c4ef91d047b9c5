"""Turns the flags of `httpdyno load` into an engine plan, or reports every fault in them."""

from __future__ import annotations

from httpdyno.cli.faults import Faults
from httpdyno.cli.load.arguments.address import parse_proxy, parse_url
from httpdyno.cli.load.arguments.flags import LoadFlags
from httpdyno.cli.load.arguments.precision import parse_until
from httpdyno.cli.load.arguments.rates import parse_rate, total_seconds
from httpdyno.cli.load.arguments.requests import requests_of
from httpdyno.cli.load.arguments.tls import tls_of
from httpdyno.cli.values import Values, ip_address, plain_text, port_range, usable_cpus
from httpdyno.engine_plan import (
    ClosedLoad,
    EnginePlan,
    Load,
    RequestsLoad,
    Segment,
    SessionsLoad,
    Source,
    Stop,
    Timeouts,
    can_pipeline,
)

__all__ = ["CLOSED_CONNECTIONS", "DURATION_S", "POOL_CONNECTIONS", "UNTIL_DURATION_S", "plan_of"]

CLOSED_CONNECTIONS = 10
POOL_CONNECTIONS = 100
DURATION_S = 10.0
UNTIL_DURATION_S = 60.0
"""The longest run with --until."""
MOST_CONNECTIONS = 1 << 22
MOST_THREADS = 1024
MOST_IN_BURST = 10_000
MOST = 1_000_000_000_000
"""The most of anything else that is counted."""
MOST_32 = (1 << 32) - 1
MOST_64 = (1 << 63) - 1
_SPACINGS = ["constant", "uniform", "exponential"]


def plan_of(flags: LoadFlags, faults: Faults) -> EnginePlan:
    """The plan of the flags. Raises UsageError with every fault of the command line."""
    values = Values(faults)
    address = values.read("URL", flags.url, parse_url)
    segments = _segments(flags, values)
    parts = {
        "http": values.choice("--http", flags.http, ["1.0", "1.1"]),
        "keep_alive": not flags.no_keep_alive,
        "requests": requests_of(flags, values, address),
        "load": _load(flags, values, segments),
        "calls_per_connection": values.count(
            "--calls-per-connection", flags.calls_per_connection, MOST_32
        ),
        "burst": values.count("--burst", flags.burst, MOST_IN_BURST) or 1,
        "think_s": values.seconds("--think", flags.think, zero=True) or 0.0,
        "timeouts": _timeouts(flags, values),
        "warm_up_s": values.seconds("--warm-up", flags.warm_up, zero=True) or 0.0,
        "stop": _stop(flags, values, segments),
        "driver": values.choice("--driver", flags.driver, ["auto", "io_uring", "epoll"]),
        "threads": values.count("--threads", flags.threads, MOST_THREADS) or 1,
        "cpus": values.read("--cpus", flags.cpus, usable_cpus),
        "source": _source(flags, values),
        "proxy": values.read("--proxy", flags.proxy, parse_proxy),
        "seed": _or(values.count("--seed", flags.seed, MOST_64, least=0), 1),
        "spin": flags.spin,
        "low_latency": flags.low_latency,
        "kernel_timestamps": flags.kernel_timestamps,
    }
    tls = tls_of(flags, values, address)
    unix = values.read("--unix", flags.unix, plain_text)
    _contradictions(flags, faults)
    faults.raise_any()
    assert address is not None  # noqa: S101 - a URL that cannot be read was a fault
    target = {"host": address.host, "port": address.port, "unix": unix, "tls": tls}
    return EnginePlan.model_validate({"target": target, **parts})


def _segments(flags: LoadFlags, values: Values) -> list[Segment]:
    given = flags.rate if flags.rate is not None else flags.sessions
    flag = "--rate" if flags.rate is not None else "--sessions"
    return values.read(flag, given, parse_rate) or []


def _load(flags: LoadFlags, values: Values, segments: list[Segment]) -> Load | None:
    connections = values.count("--connections", flags.connections, MOST_CONNECTIONS)
    calls = values.count("--calls", flags.calls, MOST_32)
    spacing = values.choice("--arrivals", flags.arrivals or _SPACINGS[0], _SPACINGS)
    if flags.rate is None and flags.sessions is None:
        return ClosedLoad(connections=connections or CLOSED_CONNECTIONS)
    if not segments or spacing is None:
        return None
    arrivals = {"spacing": spacing, "segments": segments}
    if flags.rate is not None:
        pool = connections or POOL_CONNECTIONS
        return RequestsLoad.model_validate({"arrivals": arrivals, "connections": pool})
    return SessionsLoad.model_validate(
        {"arrivals": arrivals, "calls": calls or 1, "max_open": connections}
    )


def _timeouts(flags: LoadFlags, values: Values) -> Timeouts:
    return Timeouts(
        connect_s=values.seconds("--connect-timeout", flags.connect_timeout) or 5.0,
        first_byte_s=values.seconds("--first-byte-timeout", flags.first_byte_timeout),
        reply_s=values.seconds("--timeout", flags.timeout) or 30.0,
    )


def _stop(flags: LoadFlags, values: Values, segments: list[Segment]) -> Stop:
    count = values.count("--requests", flags.requests, MOST)
    duration_s = values.seconds("--duration", flags.duration)
    drain_s = _or(values.seconds("--drain", flags.drain, zero=True), 5.0)
    until = values.read("--until", flags.until, parse_until)
    if count is None and duration_s is None:
        most_s = DURATION_S if until is None else UNTIL_DURATION_S
        duration_s = (total_seconds(segments) if segments else None) or most_s
    return Stop(count=count, duration_s=duration_s, drain_s=drain_s, until=until)


def _source(flags: LoadFlags, values: Values) -> Source:
    ports = values.read("--source-ports", flags.source_ports, port_range)
    read = [values.read("--source", text, ip_address) for text in flags.source]
    return Source(addresses=[address for address in read if address is not None], ports=ports)


def _contradictions(flags: LoadFlags, faults: Faults) -> None:
    """Report flags that are valid alone and contradict each other."""
    open_load = flags.rate is not None or flags.sessions is not None
    cases = (
        (
            flags.rate is not None and flags.sessions is not None,
            "`--rate` and `--sessions` exclude each other: expected one kind of load",
        ),
        (
            flags.calls is not None and flags.sessions is None,
            "`--calls` sets the length of a session: expected `--sessions RATE` with it",
        ),
        (
            flags.arrivals is not None and not open_load,
            "`--arrivals` applies only to a rate: expected `--rate` or `--sessions` with it",
        ),
        (
            flags.think is not None and flags.rate is not None,
            "`--think` contradicts `--rate`, which says when each request is due:"
            " expected a closed load or `--sessions`",
        ),
        (
            flags.burst not in (None, "1")
            and not can_pipeline(flags.http, not flags.no_keep_alive),
            "`--burst` pipelines calls: expected HTTP/1.1 with keep-alive",
        ),
        (
            flags.kernel_timestamps and flags.driver == "io_uring",
            "`--kernel-timestamps` needs the epoll driver: expected `--driver epoll` or `auto`",
        ),
        (
            flags.kernel_timestamps and flags.unix is not None,
            "`--kernel-timestamps` applies only to network traffic: expected TCP, not `--unix`",
        ),
        (
            flags.proxy is not None and flags.unix is not None,
            "`--proxy` and `--unix` exclude each other: expected one way to the server",
        ),
    )
    for contradicts, sentence in cases:
        if contradicts:
            faults.add(sentence)


def _or(value: float | None, default: float) -> float:
    return default if value is None else value
