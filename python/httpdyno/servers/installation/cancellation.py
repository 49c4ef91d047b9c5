"""Ends an installation from another thread: its command under way, and those that would follow."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar

from httpdyno.errors import EnvironmentFault

_Start = Callable[[], subprocess.Popen[bytes]]


class Cancellation:
    """Cancels what a thread installs within `watched`."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._over = False
        self._child: subprocess.Popen[bytes] | None = None

    @contextmanager
    def watch(self) -> Iterator[None]:
        """Installations of this thread can be cancelled in the block."""
        token = _CURRENT.set(self)
        try:
            yield
        finally:
            _CURRENT.reset(token)

    def cancel(self) -> None:
        """Kills the process group of the command under way; no other command starts."""
        with self._lock:
            self._over = True
            if self._child is not None and self._child.poll() is None:
                with suppress(ProcessLookupError):
                    os.killpg(self._child.pid, signal.SIGKILL)

    def check(self) -> None:
        """Raises EnvironmentFault once it is cancelled."""
        if self._over:
            raise EnvironmentFault("the installation was cancelled")

    def begin(self, start: _Start) -> subprocess.Popen[bytes]:
        """Starts a command, unless it is cancelled."""
        with self._lock:
            self.check()
            self._child = start()
            return self._child


_CURRENT: ContextVar[Cancellation | None] = ContextVar("cancellation", default=None)


def begin(start: _Start) -> subprocess.Popen[bytes]:
    """Starts a command, in a session of its own, that `Cancellation.cancel` ends."""
    current = _CURRENT.get()
    return start() if current is None else current.begin(start)


def check() -> None:
    """Raises EnvironmentFault if the installation of this thread was cancelled."""
    current = _CURRENT.get()
    if current is not None:
        current.check()
