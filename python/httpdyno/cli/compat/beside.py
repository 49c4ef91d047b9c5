"""A server of this machine beside `ab` or `httperf`: did other programs take its processors?

Before a test, which may take milliseconds, only the kernel's counters are read. What judges them is
imported after it, and only if no processor was free.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from time import monotonic, process_time
from typing import TYPE_CHECKING, NamedTuple

from httpdyno.output.echo import echo
from httpdyno.servers.process.processes import Process, all_processes, family

if TYPE_CHECKING:
    from httpdyno.engine_plan import EnginePlan
    from httpdyno.verdict.taken import TakenShare

__all__ = ["Counters", "Shares", "counters", "may_be_starved", "shares_between", "taken", "warn"]

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


def taken(
    before: Counters, after: Counters, plan: EnginePlan, calls_per_s: float
) -> TakenShare | None:
    """The part of the server's processors that others took during a test that has just ended.

    None: it was too short, others took nothing, or the server's processes cannot be seen.
    """
    seconds, shares = after.at - before.at, shares_between(before, after)
    if seconds < _SHORTEST_S or not may_be_starved(shares):
        return None
    from httpdyno.engine_plan import EnginePlan
    from httpdyno.outcome import CoreUse, MachineUse
    from httpdyno.running.machines.watch import Edges
    from httpdyno.running.measuring.processors import Processors
    from httpdyno.servers.process.elsewhere.listening import listening_pid
    from httpdyno.servers.process.usage import UsageMeter

    pid = listening_pid(EnginePlan.model_validate(plan).target)
    if pid is None or pid not in after.processes:
        return None
    use = MachineUse(
        roles=("server", "generator"),
        window_s=seconds,
        cores=tuple(
            CoreUse(
                core=core,
                busy_share=one.busy,
                softirq_share=one.softirq,
                steal_share=one.steal,
            )
            for core, one in shares.items()
        ),
        memory_bytes=0,
        memory_total_bytes=0,
    )
    cores = sorted(shares)
    processors = Processors(cores, cores, Edges, lambda: UsageMeter(pid))
    server_s, own_s = _cpu_s(before, after, pid), after.own_s - before.own_s
    return processors.share((use,), server_s, own_s, calls_per_s)


def warn(plan: EnginePlan, measured: str, share: TakenShare | None) -> None:
    """Says on stderr that others took the server's processors, if they took too much."""
    if share is None:
        return
    from httpdyno.engine_plan import EnginePlan
    from httpdyno.measurement import Measurement
    from httpdyno.verdict import Context, judge

    checked = EnginePlan.model_validate(plan), Measurement.model_validate_json(measured)
    for reason in judge(checked[1], Context(checked[0], settings="none", taken=share)).reasons:
        if reason.code == "server_starved":
            echo(f"warning: {reason.text}: {reason.hint}", err=True)


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


def _cpu_s(before: Counters, after: Counters, pid: int) -> float:
    """CPU time of a process and its descendants between two readings."""
    total = 0.0
    for member in family(after.processes, pid, after.processes[pid].started):
        now, then = after.processes[member], before.processes.get(member)
        total += _so_far(now)
        if then is not None and then.started == now.started:
            total -= _so_far(then)
    return total


def _so_far(one: Process) -> float:
    return one.cpu_s + one.reaped_s
