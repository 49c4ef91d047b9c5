"""A server that runs, and how it is ended: all of it, and proved so."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import subprocess
from dataclasses import dataclass
from pathlib import Path
from time import monotonic, sleep
from types import TracebackType

from httpdyno.servers.failure import ServerFailure
from httpdyno.servers.installation.installation import Installation
from httpdyno.servers.process import leftovers
from httpdyno.servers.process.memory_limit import MemoryWatch
from httpdyno.servers.process.processes import living_members

HOST = "127.0.0.1"
_PORT_FREE_WITHIN_S = 5.0


@dataclass(frozen=True)
class Ending:
    """How a server ended: its first process's exit code (negative: a signal), seconds from the
    signal to the last process's end, and the pids that had to be killed."""

    exit_code: int
    took_s: float
    killed: frozenset[int]


class RunningServer:
    """A started deployment.

    `pid` is its first process and the number of its session; `run_folder` is its scratch folder.
    """

    host = HOST

    def __init__(
        self,
        installation: Installation,
        child: subprocess.Popen[bytes],
        port: int,
        log: Path,
        entry: leftovers.Entry,
    ) -> None:
        self.installation = installation
        self.port = port
        self.log = log
        self.run_folder = Path(entry.run_folder)
        self._child = child
        self._entry = entry
        self._ending: Ending | None = None
        self._watch = MemoryWatch(entry.leader, installation.server.limits.memory_mb)

    def watch(self) -> None:
        """Begin to look at the server's memory."""
        self._watch.start()

    @property
    def killed_because(self) -> str | None:
        """Why httpdyno ended the server before its time, in a sentence; None when it did not."""
        return self._watch.killed_because

    @property
    def pid(self) -> int:
        """The first process's id."""
        return self._child.pid

    @property
    def address(self) -> str:
        """`127.0.0.1:41231`."""
        return f"{self.host}:{self.port}"

    @property
    def exit_code(self) -> int | None:
        """The first process's exit code (negative: a signal), or None while it runs."""
        return self._child.poll()

    def __enter__(self) -> RunningServer:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    def stop(self, *, keep_run_folder: bool = False) -> Ending:
        """End every process of the server; a second call only tells how it ended.

        The declared signal to all, the declared grace, then KILL. Raises ServerFailure when a
        process survives that, or the port stays taken.
        """
        if self._ending is not None:
            return self._ending
        self._watch.stop()
        rules = self.installation.server.stop
        asked_at = monotonic()
        stubborn = self._ask_all_to_end(getattr(signal, f"SIG{rules.signal}"), rules.grace_s)
        left = leftovers.end(self._entry.leader, leftovers.send_kill)
        code = self._child.wait()
        self._ending = Ending(code, monotonic() - asked_at, frozenset(stubborn))
        if not keep_run_folder:
            shutil.rmtree(self.run_folder, ignore_errors=True)
        if left:
            raise self._failure(f"left processes that KILL does not end: {sorted(left)}")
        leftovers.forget(self._entry)
        if not _wait_for_port(self.port):
            raise self._failure(f"is gone, but port {self.port} is still taken")
        return self._ending

    def _ask_all_to_end(self, signal_number: int, grace_s: float) -> set[int]:
        """Send the signal once to each process, the first one first, so that no supervisor sees its
        children die before it knows why; processes that appear meanwhile are asked too. Who is left
        when the grace is over."""
        deadline = monotonic() + grace_s
        pause = 0.002
        asked: set[int] = set()
        while True:
            self._child.poll()
            alive = living_members(self._entry.leader)
            if not alive or monotonic() >= deadline:
                return alive
            for pid in sorted(alive - asked, key=lambda pid: pid != self.pid):
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, signal_number)
            asked |= alive
            sleep(pause)
            pause = min(pause * 2, 0.05)

    def _failure(self, what: str) -> ServerFailure:
        name = self.installation.server.name
        return ServerFailure(f"`{name}` {what}", stage="stop", log=self.log)


def port_is_free(port: int) -> bool:
    """Whether nothing listens on the port; connections still in TIME_WAIT do not count."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError:
            return False
        return True


def _wait_for_port(port: int) -> bool:
    deadline = monotonic() + _PORT_FREE_WITHIN_S
    while not port_is_free(port):
        if monotonic() > deadline:
            return False
        sleep(0.02)
    return True
