"""Resource usage of a server's processes: CPU time, memory, threads, context switches."""

from __future__ import annotations

import os
from dataclasses import dataclass
from time import monotonic
from typing import NamedTuple, Protocol

from httpdyno.servers.process.processes import Process, all_processes, family, process


@dataclass(frozen=True)
class Usage:
    """Totals over the process tree at one moment; the difference of two is the usage in between.

    `at` is the monotonic clock in seconds. CPU time (seconds) is exact for living processes, and in
    steps of 10 ms for the sum of those that have ended, if their parents waited for them. When a
    thread ends, its switches are lost, its CPU time is not. `rss_peak_bytes` is the sum of the
    processes' own peaks, an upper bound of the tree's peak.
    """

    at: float
    cpu_s: float
    rss_bytes: int
    rss_peak_bytes: int
    threads: int
    processes: int
    voluntary_switches: int
    involuntary_switches: int


class QuickUsage(NamedTuple):
    """A cheap reading of a server: CPU seconds so far, and resident bytes.

    `at` is the monotonic clock of the machine that was read, in seconds.
    """

    at: float
    cpu_s: float
    rss_bytes: int


class Meter(Protocol):
    """Reads what a server has used so far, wherever it runs."""

    def snapshot(self) -> Usage:
        """The totals now."""

    def quick(self) -> QuickUsage | None:
        """The latest reading that is at hand; None: there is none yet. It does not wait."""


class UsageMeter:
    """Reads the usage of a process and its descendants from /proc.

    With the pid of its supervisor, a descendant counts whatever became of its parents, and so does
    the CPU time of those that have exited.
    """

    def __init__(self, pid: int, supervisor_pid: int | None = None) -> None:
        self._pid = pid
        self._supervisor_pid = supervisor_pid
        self._start_time = _start_time(pid)
        self._supervisor_started = -1 if supervisor_pid is None else _start_time(supervisor_pid)
        self._seen: dict[int, int] = {}

    def quick(self) -> QuickUsage:
        """The processes that the last snapshot found, now.

        It looks for no other processes, so it is cheap enough to repeat during a measurement.
        """
        found = {pid: process(pid) for pid in self._seen}
        alive = [one for one in found.values() if one and one.started == self._seen[one.pid]]
        cpu_s = sum(one.cpu_s + one.reaped_s for one in alive)
        return QuickUsage(monotonic(), cpu_s, sum(_memory(one.pid)[0] for one in alive))

    def snapshot(self) -> Usage:
        """The totals now; all zero when the tree is empty."""
        members, exited_s = self._members()
        memory = [_memory(one.pid) for one in members]
        switches = [_switches(one.pid) for one in members]
        return Usage(
            at=monotonic(),
            cpu_s=exited_s + sum(one.cpu_s + one.reaped_s for one in members),
            rss_bytes=sum(now for now, _ in memory),
            rss_peak_bytes=sum(peak for _, peak in memory),
            threads=sum(one.threads for one in members),
            processes=len(members),
            voluntary_switches=sum(voluntary for voluntary, _ in switches),
            involuntary_switches=sum(involuntary for _, involuntary in switches),
        )

    def _members(self) -> tuple[list[Process], float]:
        """The living processes, also those seen before that have left the tree; and the CPU
        seconds of those that have exited: reaped by the supervisor, or not reaped yet."""
        everyone = all_processes()
        if any(pid not in everyone for pid in self._seen):
            # Reaped perhaps after its parent was read, so that its time was in neither.
            everyone = all_processes()
        pids = family(everyone, self._pid, self._start_time)
        exited_s = 0.0
        if self._supervisor_pid is not None:
            pids |= family(everyone, self._supervisor_pid, self._supervisor_started)
            supervisor = everyone.get(self._supervisor_pid)
            if self._supervisor_pid in pids and supervisor is not None:
                exited_s = supervisor.reaped_s
        pids -= {self._supervisor_pid}
        for pid, started in self._seen.items():
            if pid in everyone and everyone[pid].started == started:
                pids.add(pid)
        members = [everyone[pid] for pid in sorted(pids)]
        alive = [one for one in members if not one.zombie]
        exited_s += sum(one.cpu_s + one.reaped_s for one in members if one.zombie)
        self._seen = {one.pid: one.started for one in alive}
        return alive, exited_s


def _start_time(pid: int) -> int:
    found = process(pid)
    return found.started if found else -1


def _memory(pid: int) -> tuple[int, int]:
    """Resident bytes (now, peak)."""
    values = _status(f"/proc/{pid}/status", (b"VmRSS", b"VmHWM"))
    return values[0] * 1024, values[1] * 1024


def _switches(pid: int) -> tuple[int, int]:
    """Context switches of all threads: (voluntary, involuntary)."""
    names = (b"voluntary_ctxt_switches", b"nonvoluntary_ctxt_switches")
    try:
        threads = os.listdir(f"/proc/{pid}/task")  # noqa: PTH208  # iterdir is slower
    except OSError:
        return 0, 0
    counts = [_status(f"/proc/{pid}/task/{thread}/status", names) for thread in threads]
    return sum(count[0] for count in counts), sum(count[1] for count in counts)


def _status(path: str, names: tuple[bytes, ...]) -> list[int]:
    """The named numbers of a /proc status file; 0 for a missing one."""
    try:
        with open(path, "rb") as file:  # noqa: PTH123  # Path is slower
            lines = file.read().split(b"\n")
    except OSError:
        return [0] * len(names)
    found = {}
    for line in lines:
        key, _, value = line.partition(b":")
        if key in names:
            found[key] = int(value.split()[0])
    return [found.get(key, 0) for key in names]
