"""Turns the flags of `httpdyno load` into an engine plan, or reports every fault in them."""

from __future__ import annotations

from typing import Any

from httpdyno.choices import DRIVERS, HTTP_VERSIONS
from httpdyno.cli.faults import Faults
from httpdyno.cli.load.arguments.address import parse_proxy
from httpdyno.cli.load.arguments.contradictions import report_contradictions
from httpdyno.cli.load.arguments.flags import LoadFlags
from httpdyno.cli.load.arguments.grpc_calls import over_http2
from httpdyno.cli.load.arguments.http_flags import http_keys
from httpdyno.cli.load.arguments.load import load_of, segments_of, stop_of
from httpdyno.cli.load.arguments.tls import tls_of
from httpdyno.cli.load.arguments.work import Work, work_of
from httpdyno.cli.values import Values, ip_address, port_range, socket_path, usable_cpus
from httpdyno.engine_plan import (
    MOST_WINDOW,
    CallLimit,
    EnginePlan,
    Http2,
    Source,
    Target,
    Timeouts,
)
from httpdyno.warm_up import LOAD_S

__all__ = ["plan_of"]

_MOST_THREADS = 1024
_MOST_IN_BURST = 10_000
_MOST_TABLE = 65_536
_MOST_FRAME = 16_777_215
_MOST_32 = (1 << 32) - 1
_MOST_64 = (1 << 63) - 1
_MOST_IN_BUFFER = 1 << 30
_SLOWEST = 20
"""The slowest calls that are kept for a page or for JSON."""


def plan_of(flags: LoadFlags, faults: Faults) -> EnginePlan:
    """The plan of the flags. Raises UsageError with every fault of the command line."""
    values, flags = Values(faults), over_http2(flags)
    think_s = values.seconds("--think", flags.think, zero=True) or 0.0
    work = work_of(flags, values, think_s)
    segments = segments_of(flags, values)
    has_session = flags.workload is not None and work.scripts is not None
    parts: dict[str, Any] = {
        **_http(flags, values),
        "keep_alive": not flags.no_keep_alive,
        "requests": work.requests,
        "scripts": work.scripts,
        "data": list(work.data),
        "load": load_of(flags, values, segments, has_session=has_session),
        "calls_per_connection": values.count(
            "--calls-per-connection", flags.calls_per_connection, _MOST_32
        ),
        "burst": values.count("--burst", flags.burst, _MOST_IN_BURST) or 1,
        "think_s": think_s,
        "timeouts": _timeouts(flags, values),
        "warm_up_s": _warm_up_s(flags, values, work),
        "stop": stop_of(flags, values, segments),
        "source": _source(flags, values),
        "proxy": values.read("--proxy", flags.proxy, parse_proxy),
        "seed": _seed(flags, values),
        **_machine(flags, values),
        **_records(flags),
    }
    server = work.server
    tls = tls_of(flags, values, server)
    unix = values.read("--unix", flags.unix, socket_path)
    report_contradictions(flags, faults, has_session=has_session)
    faults.raise_any()
    assert server is not None  # noqa: S101 - a URL that cannot be read was a fault
    return EnginePlan(
        target=Target(host=server.host, port=server.port, unix=unix, tls=tls), **parts
    )


def _http(flags: LoadFlags, values: Values) -> dict[str, Any]:
    """The version of HTTP, and the settings of HTTP/2; None: none is given."""
    keys = http_keys(values, flags, HTTP_VERSIONS)
    given: dict[str, Any] = {
        "streams": keys.get("streams"),
        "window": values.bytes_("--window", flags.window, MOST_WINDOW),
        "connection_window": values.bytes_(
            "--connection-window", flags.connection_window, MOST_WINDOW, least=65_535
        ),
        "header_table": values.bytes_("--header-table", flags.header_table, _MOST_TABLE, least=0),
        "encoder_table": values.bytes_(
            "--encoder-table", flags.encoder_table, _MOST_TABLE, least=0
        ),
        "max_frame": values.bytes_("--max-frame", flags.max_frame, _MOST_FRAME, least=16_384),
        "resend_refused": flags.resend_refused or None,
    }
    settings = {name: value for name, value in given.items() if value is not None}
    http = keys.get("http", "1.1")
    return {"http": http, "http2": Http2(**settings) if settings else None}


def _machine(flags: LoadFlags, values: Values) -> dict[str, Any]:
    """The engine's use of this machine."""
    return {
        "driver": values.choice("--driver", flags.driver, DRIVERS),
        "threads": values.count("--threads", flags.threads, _MOST_THREADS) or 1,
        "cpus": values.read("--cpus", flags.cpus, usable_cpus),
        "spin": flags.spin,
        "low_latency": flags.low_latency,
        "kernel_timestamps": flags.kernel_timestamps,
    }


def _records(flags: LoadFlags) -> dict[str, Any]:
    """The records of single calls and of time, which only some outputs show."""
    return {
        "over_time": flags.report is not None,
        "slowest": 0 if flags.report is None and flags.json is None else _SLOWEST,
        "call_log": None if flags.call_log is None else CallLimit(),
    }


def _timeouts(flags: LoadFlags, values: Values) -> Timeouts:
    return Timeouts(
        connect_s=values.seconds("--connect-timeout", flags.connect_timeout) or 5.0,
        first_byte_s=values.seconds("--first-byte-timeout", flags.first_byte_timeout),
        reply_s=values.seconds("--timeout", flags.timeout) or 30.0,
        idle_s=values.seconds("--idle-timeout", flags.idle_timeout),
    )


def _source(flags: LoadFlags, values: Values) -> Source:
    read = [values.read("--source", text, ip_address) for text in flags.source]
    most = _MOST_IN_BUFFER
    return Source(
        addresses=[address for address in read if address is not None],
        ports=values.read("--source-ports", flags.source_ports, port_range),
        close_with_reset=flags.close_with_reset,
        send_buffer_bytes=values.bytes_("--send-buffer", flags.send_buffer, most),
        receive_buffer_bytes=values.bytes_("--receive-buffer", flags.receive_buffer, most),
    )


def _warm_up_s(flags: LoadFlags, values: Values, work: Work) -> float:
    given = values.seconds("--warm-up", flags.warm_up, zero=True)
    if given is not None:
        return given
    # The calls of a warm-up would use up rows that are there for one call each.
    return 0.0 if any(one.order == "once" for one in work.data) else LOAD_S


def _seed(flags: LoadFlags, values: Values) -> int:
    seed = values.count("--seed", flags.seed, _MOST_64, least=0)
    return 1 if seed is None else seed
