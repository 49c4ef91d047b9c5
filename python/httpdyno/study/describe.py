"""A load in words."""

from __future__ import annotations

from httpdyno.study.model import AnyLoad, CapacityLoad, ClosedLoad, RequestsLoad, SessionsLoad
from httpdyno.units import counted, duration, rate


def describe(load: AnyLoad) -> str:
    """A load in words: `closed: 10 connections, HTTP/1.1, keep-alive, 10.0 s`."""
    if isinstance(load, CapacityLoad):
        most = "as many" if load.connections is None else f"at most {load.connections:,}"
        needed = " as needed" if load.connections is None else ""
        return (
            f"capacity: the highest rate with {', '.join(load.limits)}, on {most}"
            f" connections{needed}, {load.arrivals} spacing, {_http_words(load)},"
            f" steps of 5 %, {duration(load.least_step_s)} each or longer"
        )
    if isinstance(load, ClosedLoad):
        noun = "connection" if load.connections == (1,) else "connections"
        head = f"closed: {_list(load.connections)} {noun}"
    elif isinstance(load, RequestsLoad):
        head = (
            f"open: {_rates(load.rate)} on at most {load.connections:,} connections,"
            f" {load.arrivals} spacing"
        )
    else:
        head = (
            f"open: {_rates(load.rate)} sessions of {load.calls:,} calls, {load.arrivals} spacing"
        )
    count = load.sessions if isinstance(load, SessionsLoad) else load.requests
    noun = "sessions" if isinstance(load, SessionsLoad) else "requests"
    ends = [] if count is None else [f"{count:,} {noun}"]
    ends += [] if load.duration is None else [duration(load.duration)]
    return ", ".join([head, _http_words(load), *think_words(load), " or ".join(ends)])


def use_words(load: AnyLoad) -> str:
    """The use of connections: `keep-alive, 20 calls pipelined, 100 requests per connection`.

    Without the calls of a session, which its own words have.
    """
    if not load.keep_alive:
        return "one connection per request"
    calls = None if isinstance(load, SessionsLoad) else load.calls_per_connection
    words = ["keep-alive"]
    words += [f"{load.burst} calls pipelined"] if load.burst > 1 else []
    words += [f"{counted(calls, 'request')} per connection"] if calls is not None else []
    return ", ".join(words)


def think_words(load: AnyLoad) -> list[str]:
    """The think time of a load, if it has one."""
    return [f"{duration(load.think)} think time"] if load.think else []


def _http_words(load: AnyLoad) -> str:
    return f"HTTP/{load.http}, {use_words(load)}"


def _list(numbers: tuple[int, ...]) -> str:
    return ", ".join(f"{number:,}" for number in numbers)


def _rates(rates: tuple[float, ...]) -> str:
    return ", ".join(rate(one) for one in rates)
