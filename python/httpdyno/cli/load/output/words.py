"""Describes a load, and the failures of calls, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from httpdyno import units
from httpdyno.cli.load.arguments.precision import describe_until
from httpdyno.output.printable import printable

if TYPE_CHECKING:
    from httpdyno.engine_plan import EnginePlan, Timeouts
    from httpdyno.measurement import Measurement
    from httpdyno.verdict import Verdict

__all__ = [
    "CLOSED_NOTE",
    "RATES_NOTE",
    "describe_error",
    "describe_load",
    "describe_stop",
    "few_connections",
    "redirects_note",
    "rows_used",
]

CLOSED_NOTE = (
    "Closed load: each connection or stream waits for its reply before it sends the next request."
    " While the server stalls nothing is sent, so these times leave the stall out (coordinated"
    " omission)."
    " Use --rate to measure latency at a given load."
)

RATES_NOTE = (
    "The rate changed: the times of the whole load are those of all rates together. `httpdyno"
    " sweep` measures each rate by itself."
)

_LITTLE_CPU = 0.5
"""A server that uses less of one processor waits for most of the time."""
_OTHER_LIMITS = {"server_starved", "generator_stopped", "stopped_answering"}
"""The reasons of a verdict that explain why the server used little of a processor."""
_REDIRECTS = {"301", "302", "303", "307", "308"}
_ERRORS = {
    "connect_timeout": "no connection, or no complete TLS handshake,",
    "first_byte_timeout": "no byte of the reply",
    "reply_timeout": "no complete reply",
    "socket_timeout": "the operating system gave up the connection (ETIMEDOUT)",
    "refused": "the server refused the connection",
    "reset": "the server reset the connection",
    "early_close": "the server closed the connection before the reply was complete",
    "protocol": "the reply was not valid HTTP",
    "tls": "TLS failed: a certificate, a version or a broken record",
    "unreachable": "no route to the server",
    "descriptors": "this process ran out of file descriptors (ulimit -n)",
    "addresses": "this machine ran out of local ports",
    "file_table": "this machine ran out of open files",
    "value_not_found": "the reply lacks a value that later calls of its session send",
    "refused_stream": "the server refused the stream",
    "stream_reset": "the server reset the stream",
    "goaway": "the server ended the connection (GOAWAY)",
    "grpc_status": "the reply has another status of gRPC than OK",
    "other": "another error of the operating system",
}


def describe_error(name: str, timeouts: Timeouts) -> str:
    """Explain an error class, with the time that was allowed."""
    words = _ERRORS.get(name, "an error that this version does not know")
    idle_s = timeouts.idle_s
    if name == "connect_timeout":
        words += _within(timeouts.connect_s, idle_s)
    elif name == "first_byte_timeout":
        words += _within(timeouts.first_byte_s or idle_s)
    elif name == "reply_timeout":
        stalled = f", or no more of it{_within(idle_s)}" if idle_s else ""
        words += _within(timeouts.reply_s) + stalled
    return words


def _within(*limits_s: float | None) -> str:
    """The shortest of these limits: ` within 5.00 s`."""
    known = [one for one in limits_s if one]
    return f" within {units.duration(min(known))}" if known else " in time"


def few_connections(
    plan: EnginePlan, m: Measurement, verdict: Verdict, server_cpus: float | None
) -> str:
    """Explain that the connections of a closed load, and not the server, may limit its throughput.

    Empty if the verdict has another cause. `server_cpus`: the processors that the server used;
    None: not known.
    """
    if not _OTHER_LIMITS.isdisjoint(reason.code for reason in verdict.reasons):
        return ""
    busy = plan.load.fixed_connections
    if busy is None or not m.calls.ok or server_cpus is None or server_cpus >= _LITTLE_CPU:
        return ""
    more = f"-c {10 * busy}" if not plan.has_streams else f"--streams {10 * plan.streams}"
    return (
        f"{units.counted(busy, 'connection')}{_streams(plan)} may limit the throughput: the process"
        f" that listens there used {units.percent(server_cpus)} of a processor."
        f" `{more}` shows whether it can do more."
    )


def describe_load(plan: EnginePlan) -> str:
    """Describe the load of a plan, with defaults: `closed load, 10 connections, HTTP/1.1`."""
    words = plan.load.in_words(plan.scripts)
    if plan.scripts is None and plan.burst > 1:
        words.append(f"{plan.burst} calls {'together' if plan.has_streams else 'pipelined'}")
    if plan.scripts is None and plan.think_s:
        words.append(f"{units.duration(plan.think_s)} think time")
    if plan.scripts is None and len(plan.requests) > 1:
        words.append(f"{len(plan.requests):,} requests in turn")
    words.append(f"HTTP/{plan.http}{_streams(plan)}")
    if not plan.keep_alive:
        words[-1] += " without keep-alive"
    if plan.target.tls is not None:
        words.append("TLS, certificate not checked" if plan.target.tls.insecure else "TLS")
    if plan.proxy is not None:
        words.append(f"through the proxy {plan.proxy.host}:{plan.proxy.port}")
    return ", ".join(words)


def _streams(plan: EnginePlan) -> str:
    """The calls at once on a connection with streams: ` with 20 streams on each`."""
    return "" if not plan.has_streams else f" with {units.counted(plan.streams, 'stream')} on each"


def describe_stop(plan: EnginePlan) -> str:
    """Describe when a plan stops: `for 10.0 s`, `200,000 requests`, `until each row is used`."""
    noun = "session" if plan.load.in_sessions else "request"
    ends = []
    if plan.stop.count is not None:
        ends.append(units.counted(plan.stop.count, noun))
    if plan.stop.duration_s is not None:
        ends.append(units.duration(plan.stop.duration_s))
    if plan.stop.until is not None:
        words = f"until {describe_until(plan.stop.until)}, at most {' or '.join(ends)}"
    elif once := _once(plan):
        words = f"until each row of {once} is used, at most {' or '.join(ends)}"
    elif plan.stop.count is None:
        words = f"for {ends[0]}"
    else:
        words = " or ".join(ends)
    return words + _after(plan)


def _after(plan: EnginePlan) -> str:
    return f" after a warm-up of {units.duration(plan.warm_up_s)}" if plan.warm_up_s else ""


def redirects_note(m: Measurement) -> str:
    """The sentence of a load whose replies are all redirects: perhaps the wrong URL was given."""
    if not m.statuses or not _REDIRECTS.issuperset(m.statuses):
        return ""
    headers = m.first_reply.headers if m.first_reply is not None else []
    to = next((value for name, value in headers if name.lower() == "location"), None)
    where = "" if to is None else f" to `{printable(to)}`"
    return f"Every reply is a redirect{where}, and redirects are not followed."


def rows_used(plan: EnginePlan, m: Measurement) -> str:
    """The sentence of a load that ended because each row of a data file was used once."""
    names = _once(plan)
    due = m.calls.due if m.sessions is None else m.sessions.due
    by_count = plan.stop.count is not None and due >= plan.stop.count
    if not names or by_count or m.stopped_by != "count":
        return ""
    return f"The load ended when each row of {names} was used once."


def _once(plan: EnginePlan) -> str:
    """The data files whose rows end the load, in words; empty: none."""
    return " or ".join(printable(f"`{one.name}`") for one in plan.data if one.order == "once")
