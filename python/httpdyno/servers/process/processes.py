"""The processes of this machine, read from /proc in one pass, and which of them belong to a server.

A server's processes are its leader's descendants, whatever is in the leader's session, and whatever
carries the token that `start` put in its environment: a child that changed its parent, its session
or its name stays known. Linux only; proc(5) has the fields.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

TOKEN_VARIABLE = "HTTPDYNO_SERVER"  # noqa: S105  # a name, not a secret
_PROC = Path("/proc")
_TICK_S = 1.0 / os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Process:
    """One line of /proc/PID/stat: `started` in clock ticks since boot, CPU times in seconds."""

    pid: int
    parent: int
    session: int
    started: int
    zombie: bool
    cpu_user_s: float
    cpu_system_s: float
    reaped_user_s: float
    reaped_system_s: float
    threads: int


@dataclass(frozen=True)
class Leader:
    """The first process of a server: its pid is also its session's number.

    `started` tells it from a later process with the same pid.
    """

    pid: int
    started: int
    token: str


def all_processes() -> dict[int, Process]:
    """Every process that can be read now, by pid."""
    found = (process(int(entry)) for entry in os.listdir(_PROC) if entry.isdigit())  # noqa: PTH208
    return {one.pid: one for one in found if one is not None}


def process(pid: int) -> Process | None:
    """One process, or None when there is no such process."""
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
        cpu_user_s=int(field[11]) * _TICK_S,
        cpu_system_s=int(field[12]) * _TICK_S,
        reaped_user_s=int(field[13]) * _TICK_S,
        reaped_system_s=int(field[14]) * _TICK_S,
        threads=int(field[17]),
    )


def family(everyone: Mapping[int, Process], leader: int, started: int) -> set[int]:
    """The leader, its descendants and its session. Empty when the pid is now someone else's."""
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
    """Processes with the token in the environment they were started with."""
    wanted = f"{TOKEN_VARIABLE}={token}".encode()
    found = set()
    for pid in everyone:
        try:
            with open(f"/proc/{pid}/environ", "rb") as file:  # noqa: PTH123  # Path is slower
                if wanted in file.read().split(b"\0"):
                    found.add(pid)
        except OSError:
            continue
    return found


def living_members(leader: Leader) -> set[int]:
    """Every process of a server that is alive; a zombie is not, its parent has yet to look."""
    everyone = all_processes()
    pids = bearers(everyone, leader.token)
    if leader.pid:
        pids |= family(everyone, leader.pid, leader.started)
    return {pid for pid in pids - {os.getpid()} if not everyone[pid].zombie}
