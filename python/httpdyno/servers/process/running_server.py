"""A running server, and how it is stopped: every process of it, checked."""

from __future__ import annotations

import contextlib
import math
import os
import shutil
import signal
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from time import monotonic, sleep

from httpdyno.choices import HttpVersion
from httpdyno.engine_plan import Target, Tls
from httpdyno.servers.failure import ServerFailure
from httpdyno.servers.installation.installation import Installation
from httpdyno.servers.process import leftovers
from httpdyno.servers.process.limits import LimitWatcher
from httpdyno.servers.process.port import becomes_free
from httpdyno.servers.process.processes import living_members
from httpdyno.servers.process.supervisor import Supervisor
from httpdyno.servers.process.usage import UsageMeter

INTERRUPTED_GRACE_S = 1.0
"""For a server whose user ends the run: its measurement is lost anyway, and somebody waits."""


@dataclass(frozen=True)
class StopOutcome:
    """The stop of a server: its first process's exit code (negative: a signal), seconds from the
    signal to the last process's exit, and the pids that had to be killed."""

    exit_code: int
    took_s: float
    killed: frozenset[int]


class RunningServer:
    """A started deployment.

    `pid` is its first process and the number of its session; `run_folder` is its scratch folder.
    """

    def __init__(
        self,
        installation: Installation,
        supervisor: Supervisor,
        at: tuple[str, int],
        log: Path,
        record: leftovers.Record,
        tls: Tls | None = None,
        http: HttpVersion = "1.1",
    ) -> None:
        self.installation = installation
        self.host, self.port = at
        self.target = Target(host=self.host, port=self.port, tls=tls)
        """Where and how to reach it."""
        self.http = http
        """The version of HTTP that it answers when it is ready."""
        self.log = log
        self.run_folder = Path(record.run_folder)
        self.was_ready = False
        """Set once it answers: until then, another program may have the port."""
        self._supervisor = supervisor
        self._record = record
        self._stopped: StopOutcome | None = None
        most_mb = installation.server.limits.memory_mb
        self._limits = LimitWatcher(record.leader, log, most_mb)

    def enforce_limits(self) -> None:
        """Begin to hold the server to its memory limit, and its log to its length."""
        self._limits.start()

    @property
    def killed_because(self) -> str | None:
        """Why httpdyno killed the server before the signal to stop, in a sentence; or None."""
        return self._limits.killed_because

    @property
    def pid(self) -> int:
        """The first process's id."""
        return self._supervisor.server_pid

    @property
    def supervisor_pid(self) -> int:
        """The id of the process above all of the server's."""
        return self._supervisor.pid

    @property
    def address(self) -> str:
        """`127.0.0.1:41231`."""
        return f"{self.host}:{self.port}"

    @property
    def exit_code(self) -> int | None:
        """The first process's exit code (negative: a signal), or None while it runs."""
        return self._supervisor.exit_code()

    def usage_meter(self) -> UsageMeter:
        """A meter of all processes of the server."""
        return UsageMeter(self.pid, self.supervisor_pid)

    def __enter__(self) -> RunningServer:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        interrupted = kind is not None and issubclass(kind, KeyboardInterrupt)
        self.stop(most_grace_s=INTERRUPTED_GRACE_S if interrupted else math.inf)

    def stop(
        self,
        *,
        keep_run_folder: bool = False,
        most_grace_s: float = math.inf,
        on_signal: Callable[[], None] | None = None,
    ) -> StopOutcome:
        """Stop every process of the server; a second call only says how it stopped.

        The declared signal to all, upon which `on_signal` is called, the declared grace but at most
        `most_grace_s`, then KILL; KILL at once when this is interrupted. Raises ServerFailure when
        a process survives that, or the port stays taken.
        """
        if self._stopped is not None:
            return self._stopped
        rules = self.installation.server.stop
        grace_s = min(rules.grace_s, most_grace_s)
        signalled_at = monotonic()
        stubborn: set[int] = set()
        try:
            self._limits.stop()
            number = getattr(signal, f"SIG{rules.signal}")
            stubborn = self._signal_all(number, grace_s, on_signal or (lambda: None))
        finally:
            left = leftovers.kill(self._record.leader)
            self._supervisor.close()
            code = self._supervisor.exit_code()
            took_s = monotonic() - signalled_at
            self._stopped = StopOutcome(0 if code is None else code, took_s, frozenset(stubborn))
            self._limits.shorten_log()
            if not keep_run_folder:
                shutil.rmtree(self.run_folder, ignore_errors=True)
            if not left:
                leftovers.forget(self._record)
        if left:
            raise self._failure(f"left processes that KILL does not end: {sorted(left)}")
        if self.was_ready and not becomes_free(self.port, self.host):
            raise self._failure(f"has stopped, but port {self.port} is still taken")
        return self._stopped

    def _signal_all(self, signal_number: int, grace_s: float, done: Callable[[], None]) -> set[int]:
        """Send the signal once to each process, the first one first, so that no supervisor sees its
        children die before it knows why; processes that appear meanwhile get it too. Returns those
        that still live when the grace is over."""
        deadline = monotonic() + grace_s
        pause = 0.002
        known: set[int] = set()
        while True:
            alive = living_members(self._record.leader)
            if not alive or monotonic() >= deadline:
                return alive
            for pid in sorted(alive - known, key=lambda pid: pid != self.pid):
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, signal_number)
            if not known:
                done()
            known |= alive
            sleep(pause)
            pause = min(pause * 2, 0.05)

    def _failure(self, what: str) -> ServerFailure:
        name = self.installation.server.name
        return ServerFailure(f"`{name}` {what}", stage="stop", log=self.log)
