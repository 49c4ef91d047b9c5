"""A load in words."""

from __future__ import annotations

from httpdyno.study.model import AnyLoad, CapacityLoad, ClosedLoad, RequestsLoad, SessionsLoad
from httpdyno.units import duration, rate


def describe(load: AnyLoad) -> str:
    """A load in words: `closed: 10 connections, HTTP/1.1, keep-alive, 10.0 s`."""
    if isinstance(load, CapacityLoad):
        most = "as many" if load.connections is None else f"at most {load.connections:,}"
        needed = " as needed" if load.connections is None else ""
        return (
            f"capacity: the highest rate with {', '.join(load.limits)}, on {most}"
            f" connections{needed}, {load.arrivals} spacing, {load.connection_words},"
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
    return f"{head}, {load.connection_words}, {' or '.join(ends)}"


def _list(numbers: tuple[int, ...]) -> str:
    return ", ".join(f"{number:,}" for number in numbers)


def _rates(rates: tuple[float, ...]) -> str:
    return ", ".join(rate(one) for one in rates)
