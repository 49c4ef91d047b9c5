"""Describes a load, and the failures of calls, in words."""

from __future__ import annotations

from httpdyno import units
from httpdyno.cli.load.arguments.precision import describe_until
from httpdyno.engine_plan import Arrivals, EnginePlan, SessionsLoad

__all__ = ["CLOSED_NOTE", "describe_error", "describe_load", "describe_stop"]

CLOSED_NOTE = (
    "Closed load: each connection waits for its reply before it sends the next request. While the"
    " server stalls nothing is sent, so these times leave the stall out (coordinated omission)."
    " Use --rate to measure latency at a given load."
)

_ERRORS = {
    "connect_timeout": "no connection, or no complete TLS handshake, within --connect-timeout",
    "first_byte_timeout": "no byte of the reply within --first-byte-timeout",
    "reply_timeout": "no complete reply within --timeout",
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
    "other": "another error of the operating system",
}


def describe_error(name: str) -> str:
    """Explain an error class."""
    return _ERRORS.get(name, "an error that this version does not know")


def describe_load(plan: EnginePlan) -> str:
    """Describe the load of a plan, with defaults: `closed load, 10 connections, HTTP/1.1`."""
    load = plan.load
    if load.kind == "closed":
        words = ["closed load", _counted(load.connections, "connection")]
    elif load.kind == "requests":
        words = [
            f"open load, {_rates(load.arrivals)} requests",
            f"at most {_counted(load.connections, 'connection')}",
        ]
    else:
        words = _sessions(plan, load)
    if plan.scripts is None and plan.burst > 1:
        words.append(f"{plan.burst} calls pipelined")
    if plan.scripts is None and plan.think_s:
        words.append(f"{units.duration(plan.think_s)} think time")
    if plan.scripts is None and len(plan.requests) > 1:
        words.append(f"{len(plan.requests):,} requests in turn")
    words.append(f"HTTP/{plan.http}" + ("" if plan.keep_alive else " without keep-alive"))
    if plan.target.tls is not None:
        words.append("TLS, certificate not checked" if plan.target.tls.insecure else "TLS")
    if plan.proxy is not None:
        words.append(f"through the proxy {plan.proxy.host}:{plan.proxy.port}")
    return ", ".join(words)


def _sessions(plan: EnginePlan, load: SessionsLoad) -> list[str]:
    """The sessions of a load: their rate, or how many are open; and what they send."""
    if load.arrivals is None:
        words = [f"closed load, {_counted(load.max_open or 1, 'session')} at a time"]
    else:
        words = [f"open load, {_rates(load.arrivals)} sessions"]
    if plan.scripts is None:
        return [*words, f"{_counted(load.calls, 'call')} each"]
    return [*words, f"{_counted(len(plan.scripts), 'recorded session')} in turn"]


def describe_stop(plan: EnginePlan) -> str:
    """Describe when a plan stops: `for 10.0 s`, `200,000 requests`."""
    counted = "session" if plan.load.kind == "sessions" else "request"
    ends = []
    if plan.stop.count is not None:
        ends.append(_counted(plan.stop.count, counted))
    if plan.stop.duration_s is not None:
        ends.append(units.duration(plan.stop.duration_s))
    if plan.stop.until is not None:
        words = f"until {describe_until(plan.stop.until)}, at most {' or '.join(ends)}"
    elif plan.stop.count is None:
        words = f"for {ends[0]}"
    else:
        words = " or ".join(ends)
    return words + _after(plan)


def _after(plan: EnginePlan) -> str:
    return f" after a warm-up of {units.duration(plan.warm_up_s)}" if plan.warm_up_s else ""


def _rates(arrivals: Arrivals) -> str:
    rates = []
    for segment in arrivals.segments:
        rate = units.rate(segment.from_per_s)
        if segment.to_per_s != segment.from_per_s:
            rate = f"{rate} to {units.rate(segment.to_per_s)}"
        rates.append(rate)
    spacing = "" if arrivals.spacing == "constant" else f" {arrivals.spacing}"
    return ", then ".join(rates) + spacing


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}" + ("" if count == 1 else "s")
