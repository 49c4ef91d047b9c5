"""The plan of the engine for a command line of httperf."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from httpdyno.address import ip_of
from httpdyno.compat.httperf.options import Options
from httpdyno.compat.httperf.values import LONGEST_S, Pace
from httpdyno.compat.httperf.workload import Workload
from httpdyno.engine_plan import (
    Arrivals,
    CallLimit,
    EnginePlan,
    Segment,
    SessionsLoad,
    Source,
    Stop,
    Target,
    Timeouts,
    Tls,
    TraceParts,
)
from httpdyno.errors import TargetError

__all__ = ["plan_of", "resolve_host"]

MOST_CONNECTIONS = 4
"""Connections of a session, unless `--max-connections` says otherwise."""
ALL_PORTS = (1024, 65535)
MOST_TRACED = 1 << 28
_LOCAL_PORTS = Path("/proc/sys/net/ipv4/ip_local_port_range")


def resolve_host(server: str) -> str:
    """The address of a server: an IPv4 address if it has one. Raises TargetError."""
    try:
        return ip_of(server)
    except (OSError, UnicodeError) as unknown:
        raise TargetError(
            f"`--server={server}` cannot be resolved: expected the name or address of a host",
            hint="check the spelling, or use the address",
        ) from unknown


def plan_of(options: Options, work: Workload, address: str) -> EnginePlan:
    """The plan that sends the workload to the server at `address`."""
    return EnginePlan(
        target=Target(host=address, port=options.port, tls=_tls(options)),
        http="1.0" if options.http == "1.0" else "1.1",
        requests=work.requests,
        load=_load(options, work),
        scripts=work.scripts,
        burst=work.burst,
        think_s=work.think_s,
        calls_per_connection=1 if options.has_sessions and options.http == "1.0" else None,
        timeouts=_timeouts(options),
        # When the time is over, httperf waits for nothing. A counted test waits for all replies.
        stop=Stop(count=work.sessions, duration_s=options.runtime or None, drain_s=0.0),
        source=Source(
            addresses=list(options.myaddr),
            ports=ALL_PORTS if options.hog and _needs_all_ports(work) else None,
            close_with_reset=options.close_with_reset,
            send_buffer_bytes=options.send_buffer,
            receive_buffer_bytes=options.recv_buffer,
        ),
        preflight=False,
        trace=_trace(options),
        call_log=CallLimit() if options.periodic_stats else None,
        seed=1 + options.client[0],
    )


def _load(options: Options, work: Workload) -> SessionsLoad:
    arrivals = _arrivals(options.pace)
    if not options.has_sessions:
        return SessionsLoad(
            arrivals=arrivals,
            calls=work.calls,
            on_close="end",
            ignore_close=True,
        )
    after_failure: Literal["retry", "fail"] = "retry" if options.retry_on_failure else "fail"
    return SessionsLoad(
        arrivals=arrivals,
        calls=work.calls,
        most_connections=options.max_connections or MOST_CONNECTIONS,
        most_pipelined=options.max_piped_calls or (1 if options.http == "1.0" else None),
        on_wrong=after_failure if options.failure_status else "go_on",
        on_close="resend",
        ignore_close=True,
        cookies=options.session_cookies,
    )


def _arrivals(pace: Pace) -> Arrivals | None:
    """The schedule of connections or sessions; None: one after the other."""
    if not pace.mean_s:
        return None
    if pace.kind == "v":
        segments = [
            Segment(from_per_s=1 / period, to_per_s=1 / period, seconds=duration)
            for period, duration in zip(pace.values[::2], pace.values[1::2], strict=True)
        ]
        return Arrivals(spacing="constant", segments=segments, cycle=True)
    rate = 1 / pace.mean_s
    steady = [Segment(from_per_s=rate, to_per_s=rate)]
    if pace.kind == "e":
        return Arrivals(spacing="exponential", segments=steady)
    if pace.kind == "d":
        return Arrivals(spacing="constant", segments=steady)
    least, greatest = pace.values
    spread = (greatest - least) / (greatest + least)
    return Arrivals(spacing="uniform", spread=spread, segments=steady)


def _timeouts(options: Options) -> Timeouts:
    timeout, think = options.timeout or None, options.think_timeout
    first_byte = options.timeout + think
    return Timeouts(
        connect_s=timeout, first_byte_s=first_byte or None, idle_s=timeout, reply_s=LONGEST_S
    )


def _trace(options: Options) -> TraceParts | None:
    """The parts of requests and replies to keep. The printed sizes need both."""
    requests, replies = options.print_request, options.print_reply
    if not (requests or replies):
        return None
    return TraceParts(
        requests="whole" if requests else None,
        replies="whole" if replies else None,
        most_bytes=MOST_TRACED,
    )


def _tls(options: Options) -> Tls | None:
    if not options.ssl:
        return None
    # The server is connected to by its address, so its name is sent only where it is given.
    name = options.tls_server_name or (options.server if options.ssl_verify else None)
    version = options.ssl_version
    return Tls(
        ca=options.ssl_ca_file,
        insecure=not options.ssl_verify,
        sni=name,
        certificate=options.ssl_certificate,
        key=options.ssl_key,
        min_version=version or "1.2",
        max_version=version or "1.3",
        resume=options.ssl_reuse and options.has_sessions,
    )


def _needs_all_ports(work: Workload) -> bool:
    """True if the connections may take more ports than the kernel chooses from by itself."""
    try:
        low, high = map(int, _LOCAL_PORTS.read_text(encoding="ascii").split())
    except (OSError, ValueError):
        return False
    # A closed connection keeps its port for a minute.
    return work.sessions > (high - low) // 2
