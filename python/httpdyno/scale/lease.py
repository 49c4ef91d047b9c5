"""The lease of a machine: one coordinator at a time uses it, and it ends when that one is silent.

A coordinator that is killed cannot stop its load. So each machine ends load and server by itself
when no message has come for `SILENT_S`.
"""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from time import monotonic
from typing import IO

from httpdyno.dates import format_time
from httpdyno.output.printable import printable
from httpdyno.running.machines.machine_lock import lock_for

__all__ = ["LEASE", "RENEW_S", "SILENT_S", "Holder", "Lease"]

RENEW_S = 1.0
SILENT_S = 8.0
"""Load and server then have 2 s left to end, of the 10 s that are promised."""
_MOST_NAME = 80
_MOST_COMMAND = 200

MachineLock = Callable[[str, str], "IO[str] | str | None"]
"""`lock_for`: takes the lock that also keeps away the runs of this machine itself."""


@dataclass(frozen=True)
class Holder:
    """A coordinator."""

    host: str
    pid: int
    since: float
    """Unix time, seconds."""
    token: str
    """Known to the coordinator only."""
    command: str = ""
    """Its command line, credentials masked."""

    def __str__(self) -> str:
        at = format_time(self.since, "%H:%M:%S UTC", "unknown time")
        process = f"process {self.pid} on `{printable(self.host)[:_MOST_NAME]}`, since {at}"
        command = printable(self.command)[:_MOST_COMMAND]
        return f"`{command}` ({process})" if command else process

    @property
    def has_ended(self) -> bool:
        """True for a process of this machine that does not run any more; its leases end soon."""
        if self.host != socket.gethostname():
            return False
        try:
            os.kill(self.pid, 0)
        except ProcessLookupError:
            return True
        except (OSError, OverflowError):
            return False
        return False

    @classmethod
    def here(cls, pid: int, since: float, token: str, command: str = "") -> Holder:
        """A coordinator on this machine."""
        return cls(socket.gethostname(), pid, since, token, command)


class Lease:
    """The lease of this machine."""

    def __init__(self, silent_s: float = SILENT_S, machine: MachineLock | None = None) -> None:
        self._silent_s = silent_s
        self._changed = threading.Condition()
        self._holder: Holder | None = None
        self._until = 0.0
        self._ends: list[Callable[[], None]] = []
        self._watch: threading.Thread | None = None
        self._machine = machine
        self._lock: IO[str] | None = None

    def take(self, holder: Holder) -> Holder | str | None:
        """Gives the machine to `holder`; returns who has it instead, if another one does."""
        with self._changed:
            if self._holder is not None:
                own = self._holder.token == holder.token and self._until > 0
                return None if own else self._holder
            lock = self._machine(holder.token, str(holder)) if self._machine else None
            if isinstance(lock, str):
                return lock
            self._lock, self._holder = lock, holder
            self._until = monotonic() + self._silent_s
            self._watch = threading.Thread(target=self._end_in_time, daemon=True, name="lease")
            self._watch.start()
        return None

    def renew(self, token: str) -> bool:
        """Notes that the coordinator is alive; False: the lease is not its own any more."""
        with self._changed:
            held = self._holder is not None and self._holder.token == token
            # What came while this process was stopped does not bring back a lease that has ended.
            if held and self._until > monotonic():
                self._until = monotonic() + self._silent_s
                return True
            return False

    def on_end(self, end: Callable[[], None]) -> None:
        """Calls `end` once, on a thread of its own, when the present lease ends: its coordinator
        was silent, or has given it back."""
        with self._changed:
            self._ends.append(end)

    def give_back(self, token: str) -> None:
        """Ends the lease and waits until everything that it allowed has ended."""
        with self._changed:
            if self._holder is None or self._holder.token != token:
                return
            self._until = 0.0
            self._changed.notify_all()
            watch = self._watch
        if watch is not None:
            watch.join()

    def end(self) -> None:
        """Ends the lease, whoever has it, as at the end of the process."""
        with self._changed:
            token = self._holder.token if self._holder is not None else None
        if token is not None:
            self.give_back(token)

    def _end_in_time(self) -> None:
        with self._changed:
            while (left := self._until - monotonic()) > 0:
                self._changed.wait(left)
            self._until = 0.0
            ends, self._ends = self._ends, []
        for end in ends:
            with suppress(Exception):
                end()
        with self._changed:
            if self._lock is not None:
                self._lock.close()
            self._lock = self._holder = None


LEASE = Lease(machine=lock_for)
"""That of this process, which is the only agent of its machine."""
