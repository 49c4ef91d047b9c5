"""Reads the processes of this machine from /proc in one pass, and finds those of a server.

A server's processes are the descendants of its supervisor, which no process can leave (see
`supervisor.py`). Should the supervisor itself be killed, they are the descendants of the server's
first process, all of that one's session, and all with the token that `start` put in the
environment. Linux only; proc(5) has the fields.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from time import clock_gettime

TOKEN_VARIABLE = "HTTPDYNO_SERVER"  # noqa: S105  # a name, not a secret
_PROC = Path("/proc")
_TICK_S = 1.0 / os.sysconf("SC_CLK_TCK")
_CPU_CLOCK = 2
"""In the low bits of a clock's number, below the inverted pid: the scheduler's count of a process
(clock_getcpuclockid(3), which Python lacks)."""


@dataclass(frozen=True, slots=True)
class Process:
    """One line of /proc/PID/stat, and the CPU time of the process.

    `started` is in clock ticks since boot. `cpu_s` are the exact seconds of all its threads, ended
    ones included; `reaped_s` are those of children that it has waited for, in whole ticks.
    """

    pid: int
    parent: int
    session: int
    started: int
    zombie: bool
    cpu_s: float
    reaped_s: float
    threads: int


@dataclass(frozen=True)
class Leader:
    """The first process of a server, whose pid is also its session's number, and its supervisor.

    A start time tells a process from a later one with the same pid. Pid 0: none yet.
    """

    pid: int
    started: int
    token: str
    supervisor_pid: int = 0
    supervisor_started: int = 0


def all_processes() -> dict[int, Process]:
    """All processes that can be read, by pid."""
    found = (process(int(entry)) for entry in os.listdir(_PROC) if entry.isdigit())  # noqa: PTH208
    return {one.pid: one for one in found if one is not None}


def process(pid: int) -> Process | None:
    """The process with that pid, or None."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:  # noqa: PTH123  # Path is slower
            line = file.read()
    except OSError:
        return None
    # The name, between the parentheses, may itself hold spaces and parentheses.
    field = line[line.rindex(b")") + 2 :].split()
    return Process(
        pid=pid,
        parent=int(field[1]),
        session=int(field[3]),
        started=int(field[19]),
        zombie=field[0] in (b"Z", b"X"),
        cpu_s=_cpu_s(pid, in_ticks=(int(field[11]) + int(field[12])) * _TICK_S),
        reaped_s=(int(field[13]) + int(field[14])) * _TICK_S,
        threads=int(field[17]),
    )


def _cpu_s(pid: int, in_ticks: float) -> float:
    """The process's own CPU clock, in nanoseconds; of one that has just ended, its ticks."""
    try:
        return clock_gettime(~pid << 3 | _CPU_CLOCK)
    except OSError:
        return in_ticks


def family(everyone: Mapping[int, Process], leader: int, started: int) -> set[int]:
    """The leader, its descendants and its session. Empty when another process has the pid now."""
    first = everyone.get(leader)
    if first is not None and first.started != started:
        return set()
    found = {one.pid for one in everyone.values() if one.session == leader}
    if first is not None:
        found.add(leader)
    children: dict[int, list[int]] = {}
    for one in everyone.values():
        children.setdefault(one.parent, []).append(one.pid)
    waiting = list(found)
    while waiting:
        for child in children.get(waiting.pop(), ()):
            if child not in found:
                found.add(child)
                waiting.append(child)
    return found


def bearers(everyone: Mapping[int, Process], token: str) -> set[int]:
    """Processes that were started with the token in their environment."""
    variable = f"{TOKEN_VARIABLE}={token}".encode()
    found = set()
    for pid in everyone:
        try:
            with open(f"/proc/{pid}/environ", "rb") as file:  # noqa: PTH123  # Path is slower
                if variable in file.read().split(b"\0"):
                    found.add(pid)
        except OSError:
            continue
    return found


def living_members(leader: Leader) -> set[int]:
    """Every living process of a server, without its supervisor. A zombie is not living."""
    everyone = all_processes()
    supervisor = everyone.get(leader.supervisor_pid)
    pids: set[int] = set()
    if supervisor is not None and not supervisor.zombie:
        pids = family(everyone, supervisor.pid, leader.supervisor_started)
    if not pids:
        pids = bearers(everyone, leader.token)
        if leader.pid:
            pids |= family(everyone, leader.pid, leader.started)
    others = pids - {os.getpid(), leader.supervisor_pid}
    return {pid for pid in others if not everyone[pid].zombie}
