"""The other programs of this machine, and of its host: what they take while nothing is measured."""

from __future__ import annotations

import os
from collections.abc import Iterator
from time import sleep

from httpdyno.host.activity import activity
from httpdyno.host.doctor.finding import Finding
from httpdyno.host.facts import STEAL_SHARE
from httpdyno.host.machine import Machine
from httpdyno.host.pinning import available
from httpdyno.host.use import use_between
from httpdyno.outcome import CoreUse
from httpdyno.units import counted, percent

__all__ = ["neighbours"]

SAMPLE_S = 0.5
BUSY_CORES = 0.1
"""Processors in use from which on other programs matter."""
MOST_NAMES = 3
_TICK_S = 1.0 / os.sysconf("SC_CLK_TCK")


def neighbours(machine: Machine) -> Iterator[Finding]:
    """The load of the processors in the next half second, and what the host takes from them."""
    before, times = activity(machine, None), _times(machine)
    sleep(SAMPLE_S)
    use = use_between(before, activity(machine, None), roles=())
    cores = [core for core in use.cores if core.core in available()]
    if not cores:
        unread = "`/proc/stat` cannot be read"
        yield Finding(
            "neighbours", "unknown", "unknown", f"{unread}: look for other programs yourself"
        )
        return
    yield _busy(cores, _busiest(times, _times(machine), use.window_s))
    yield _steal(cores)


def _busy(cores: list[CoreUse], busiest: str) -> Finding:
    busy = sum(core.busy_share for core in cores)
    value = f"{busy:.2f} of {counted(len(cores), 'processor')} in use"
    if busy < BUSY_CORES:
        return Finding("neighbours", value, "ok", "no other program takes time from a measurement")
    meaning = "other programs make servers look slower: stop them, or measure later"
    return Finding("neighbours", f"{value}{busiest}", "limited", meaning)


def _steal(cores: list[CoreUse]) -> Finding:
    share = sum(core.steal_share for core in cores) / len(cores)
    value = f"{percent(share)} of the processors' time"
    if share <= STEAL_SHARE:
        return Finding("steal", value, "ok", "the host takes no time from this machine now")
    meaning = "other machines on the host take this time from yours: use a quieter host"
    return Finding("steal", value, "limited", meaning)


def _times(machine: Machine) -> dict[tuple[str, str], float]:
    """The CPU time of each process in seconds, by its number and name."""
    found = {}
    for folder in machine.numbers_in("proc"):
        head, _, rest = (machine.text(f"proc/{folder}/stat") or "").rpartition(")")
        words = rest.split()  # from the third field of proc_pid_stat(5) on
        if len(words) > 12 and words[11].isdecimal() and words[12].isdecimal():
            name = head.partition("(")[2]
            found[folder, name] = (int(words[11]) + int(words[12])) * _TICK_S
    return found


def _busiest(
    before: dict[tuple[str, str], float], after: dict[tuple[str, str], float], window_s: float
) -> str:
    """The processes with the most CPU time in between, each with the processors it used."""
    used = {
        key: (seconds - before[key]) / window_s
        for key, seconds in after.items()
        if key in before and key[0] != str(os.getpid())
    }
    most = sorted(used.items(), key=lambda item: -item[1])[:MOST_NAMES]
    named = [f"{name}[{pid}] {share:.2f}" for (pid, name), share in most if share >= BUSY_CORES / 2]
    return f" ({', '.join(named)})" if named else ""
