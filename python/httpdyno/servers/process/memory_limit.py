"""The cap on a server's memory: one that grows beyond it is ended before the machine suffers."""

from __future__ import annotations

import contextlib
import os
import threading
from pathlib import Path

from httpdyno.servers.process.leftovers import end, send_kill
from httpdyno.servers.process.processes import Leader, living_members

LOOK_EVERY_S = 0.5
SEARCH_EVERY = 4
"""New processes are searched for at every so manieth look; it costs a pass over /proc."""

_MIB = 1024**2
_PAGE = os.sysconf("SC_PAGE_SIZE")


class MemoryWatch:
    """Looks at a server's memory in a thread of its own until it is stopped.

    `killed_because` is None until the cap was passed and the server ended; then a sentence.
    """

    def __init__(self, leader: Leader, most_mb: int) -> None:
        self.killed_because: str | None = None
        self._leader = leader
        self._most_mb = most_mb
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="memory watch", daemon=True)

    def start(self) -> None:
        """Begin to look."""
        self._thread.start()

    def stop(self) -> None:
        """Look no more; returns when the thread has ended."""
        self._over.set()
        if self._thread.is_alive():
            self._thread.join()

    def _watch(self) -> None:
        members: set[int] = set()
        looks = 0
        while not self._over.wait(LOOK_EVERY_S):
            if looks % SEARCH_EVERY == 0:
                members = living_members(self._leader)
            looks += 1
            held_mb = self._held_mb(members)
            if held_mb > self._most_mb:
                self._kill(held_mb)
                return

    def _held_mb(self, members: set[int]) -> int:
        """Memory of all processes. Pages they share count for each at first, which is cheap to
        read; only when that is too much are they counted once, as PSS (proc_pid_smaps(5))."""
        resident = sum(_resident(pid) for pid in members) // _MIB
        if resident <= self._most_mb:
            return resident
        return sum(_proportional(pid) for pid in members) // _MIB

    def _kill(self, held_mb: int) -> None:
        self.killed_because = (
            f"its processes together held {held_mb:,} MiB of memory: "
            f"expected at most {self._most_mb:,} (`[limits] memory_mb`)"
        )
        end(self._leader, send_kill)


def _resident(pid: int) -> int:
    with contextlib.suppress(OSError, IndexError, ValueError):
        return int(Path(f"/proc/{pid}/statm").read_bytes().split()[1]) * _PAGE
    return 0


def _proportional(pid: int) -> int:
    """PSS in bytes; resident memory where PSS may not be read."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return _resident(pid)
    found = (line.split()[1] for line in lines if line.startswith("Pss:"))
    return sum(int(kib) * 1024 for kib in found)
