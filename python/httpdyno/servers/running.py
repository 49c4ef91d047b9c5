"""A server that runs, and how it is ended: all of it, and proved so."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import subprocess
from pathlib import Path
from time import monotonic, sleep
from types import TracebackType

from httpdyno.servers import leftovers
from httpdyno.servers.failure import ServerFailure
from httpdyno.servers.install import Installation
from httpdyno.servers.processes import living_members

HOST = "127.0.0.1"
_PORT_FREE_WITHIN_S = 5.0


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
        self._stopped = False

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

    def stop(self, *, keep_run_folder: bool = False) -> None:
        """End every process of the server; a second call does nothing.

        The declared signal to all, the declared grace, then KILL. Raises ServerFailure when a
        process survives that, or the port stays taken.
        """
        if self._stopped:
            return
        rules = self.installation.server.stop
        self._ask_all_to_end(getattr(signal, f"SIG{rules.signal}"), rules.grace_s)
        left = leftovers.end(self._entry.leader, leftovers.send_kill)
        self._child.wait()
        self._stopped = True
        if not keep_run_folder:
            shutil.rmtree(self.run_folder, ignore_errors=True)
        if left:
            raise self._failure(f"left processes that KILL does not end: {sorted(left)}")
        leftovers.forget(self._entry)
        if not _wait_for_port(self.port):
            raise self._failure(f"is gone, but port {self.port} is still taken")

    def _ask_all_to_end(self, signal_number: int, grace_s: float) -> None:
        """Send the signal once to each process, the first one first, so that no supervisor sees its
        children die before it knows why; processes that appear meanwhile are asked too."""
        deadline = monotonic() + grace_s
        pause = 0.002
        asked: set[int] = set()
        while monotonic() < deadline:
            self._child.poll()
            alive = living_members(self._entry.leader)
            if not alive:
                return
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
