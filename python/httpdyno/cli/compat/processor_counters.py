"""A server of this machine beside `ab` or `httperf`: did other programs take its processors?

Before a test, which may take milliseconds, only the kernel's counters are read. `judging.py` judges
them.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from time import monotonic, process_time
from typing import NamedTuple

from httpdyno.servers.process.processes import Process, all_processes

__all__ = ["Counters", "Shares", "counters", "is_disturbed", "may_be_starved", "shares_between"]

_SHORTEST_S = 0.5
"""The kernel counts CPU time in steps of 10 ms, which is too coarse for less."""
_MOST_STOLEN = 0.01
"""The host of a virtual machine may take so much of the processors before more is looked at."""


class Counters(NamedTuple):
    """The counters of this machine at one moment; `at` is the monotonic clock in seconds."""

    at: float
    own_s: float
    """CPU time of this process."""
    cores: Mapping[int, list[int]]
    """The times of each processor that this process may use, in the order of proc_stat(5)."""
    processes: Mapping[int, Process]


class Shares(NamedTuple):
    """The shares of a processor's time."""

    busy: float
    softirq: float
    steal: float


def counters() -> Counters:
    """The counters now."""
    return Counters(monotonic(), process_time(), _cores(), all_processes())


def shares_between(before: Counters, after: Counters) -> dict[int, Shares]:
    """The shares of the time of each processor between two readings."""
    found = {}
    for core in before.cores.keys() & after.cores.keys():
        spent = [b - a for a, b in zip(before.cores[core], after.cores[core], strict=True)]
        _user, _nice, _system, idle, waiting, _irq, softirq, steal = spent
        total = max(1, sum(spent))
        found[core] = Shares(1 - (idle + waiting) / total, softirq / total, steal / total)
    return found


def may_be_starved(shares: Mapping[int, Shares]) -> bool:
    """False if one of several processors was free on average, and the host took none of them."""
    idle = sum(1 - one.busy for one in shares.values())
    stolen = sum(one.steal for one in shares.values()) > _MOST_STOLEN * len(shares)
    return bool(shares) and (len(shares) == 1 or idle < 1 or stolen)


def is_disturbed(before: Counters, after: Counters) -> bool:
    """False for a test that was too short to know, or had a processor for itself."""
    if after.at - before.at < _SHORTEST_S:
        return False
    return may_be_starved(shares_between(before, after))


def _cores() -> dict[int, list[int]]:
    usable, found = os.sched_getaffinity(0), {}
    try:
        lines = Path("/proc/stat").read_text(encoding="ascii").splitlines()
    except OSError:
        return {}
    for line in lines:
        name, *words = line.split()
        number = name.removeprefix("cpu")
        if name != number and number.isdigit() and int(number) in usable and len(words) >= 8:
            found[int(number)] = [int(word) for word in words[:8]]
    return found
