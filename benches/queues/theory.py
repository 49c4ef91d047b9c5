"""Percentiles of the response time (waiting and service) of queues, and the rates that hold them.

M/M/c: Erlang's C formula; the response time is the sum of the waiting time, which is 0 or
exponential, and of an exponential service time (Kleinrock, "Queueing Systems", volume 1, 1975,
section 3.5). M/D/1: the distribution of the waiting time by Erlang (1909), as in Gross, Shortle,
Thompson and Harris, "Fundamentals of Queueing Theory", section 6.1. D/M/1: the response time is
exponential (Kleinrock, section 6.4).
"""

from __future__ import annotations

import math
from collections.abc import Callable

MOST_TERMS = 25
"""The terms of Erlang's series alternate and grow: beyond this they lose all digits."""


def capacity(beyond: Callable[[float], float], most_per_s: float, share: float = 0.01) -> float:
    """The rate at which `share` of the requests take longer than the limit; `beyond` says how many
    do at a rate, and the queue has no end at `most_per_s`."""
    low, high = 0.0, most_per_s
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if beyond(middle) < share else (low, middle)
    return low


def mmc_capacity(servers: int, mean_s: float, limit_s: float) -> float:
    """The rate at which the p99 of M/M/c is the limit."""
    return capacity(lambda rate: mmc_beyond(rate, servers, mean_s, limit_s), servers / mean_s)


def md1_capacity(service_s: float, limit_s: float) -> float:
    """The rate at which the p99 of M/D/1 is the limit."""
    return capacity(lambda rate: md1_beyond(rate, service_s, limit_s), 1 / service_s)


def dm1_capacity(mean_s: float, limit_s: float) -> float:
    """The rate at which the p99 of D/M/1 is the limit."""
    return capacity(lambda rate: dm1_beyond(rate, mean_s, limit_s), 1 / mean_s)


def dm1_beyond(rate_per_s: float, mean_s: float, limit_s: float) -> float:
    """The share of requests whose response time in D/M/1 is longer than the limit."""
    busy, low = 0.0, rate_per_s * mean_s
    if low <= 0:
        return 0.0
    for _ in range(10_000):
        busy, before = math.exp(-(1 - busy) / low), busy
        if abs(busy - before) < 1e-12:
            break
    return math.exp(-(1 - busy) * limit_s / mean_s)


def mmc_beyond(rate_per_s: float, servers: int, mean_s: float, limit_s: float) -> float:
    """The share of requests whose response time in M/M/c is longer than the limit."""
    service, spare = 1 / mean_s, servers / mean_s - rate_per_s
    waits = erlang_c(servers, rate_per_s * mean_s)
    alone = math.exp(-service * limit_s)
    gap = spare - service
    if abs(gap) < 1e-9 * service:
        return alone * (1 + waits * service * limit_s)
    return alone + waits * service * (alone - math.exp(-spare * limit_s)) / gap


def erlang_c(servers: int, load: float) -> float:
    """The share of requests that wait; `load` in Erlang, less than `servers`."""
    blocked = 1.0
    for number in range(1, servers + 1):
        blocked = load * blocked / (number + load * blocked)
    busy = load / servers
    return blocked / (1 - busy + busy * blocked)


def md1_beyond(rate_per_s: float, service_s: float, limit_s: float) -> float:
    """The share of requests whose response time in M/D/1 is longer than the limit."""
    waiting_s = limit_s - service_s
    if waiting_s < 0:
        return 1.0
    terms = math.floor(waiting_s / service_s)
    if terms > MOST_TERMS:
        raise ValueError(f"{terms} service times are too long a limit for Erlang's series")
    total = 0.0
    for k in range(terms + 1):
        gap = rate_per_s * (waiting_s - k * service_s)
        total += (-gap) ** k / math.factorial(k) * math.exp(gap)
    return 1 - (1 - rate_per_s * service_s) * total
