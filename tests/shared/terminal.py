"""A program on a real terminal (a pty), and what a person would see there (pyte)."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import struct
import termios
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType

import pyte

PATIENCE_S = 60.0
_PAUSE_S, _MOST_PARTS = 0.03, 20
"""After such a pause a frame is whole; no frame has more parts."""
HIDES_CURSOR = b"\x1b[?25l"
STYLE = re.compile(rb"\x1b\[[0-9;]*m")


class Terminal:
    """Runs a command with a terminal as its stdin, stdout and stderr."""

    def __init__(
        self,
        command: Sequence[str],
        columns: int = 80,
        rows: int = 24,
        *,
        cwd: Path,
        environment: Mapping[str, str],
        patience_s: float = PATIENCE_S,
    ) -> None:
        self._patience_s = patience_s
        self._emulated = pyte.HistoryScreen(columns, rows, history=5000)
        self._stream = pyte.ByteStream(self._emulated)
        self.raw = b""
        self.exit_code: int | None = None
        self.pid, self._master = pty.fork()
        if self.pid == 0:
            os.chdir(cwd)
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
            os.execve(command[0], list(command), dict(environment))

    def __enter__(self) -> Terminal:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self.exit_code is None:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        os.close(self._master)

    @property
    def screen(self) -> pyte.Screen:
        """The visible lines with their colours."""
        return self._emulated

    @property
    def lines(self) -> list[str]:
        """The visible lines."""
        return [line.rstrip() for line in self._emulated.display]

    @property
    def text(self) -> str:
        """Everything, with what has scrolled away."""
        width = self._emulated.columns
        gone = ["".join(row[x].data for x in range(width)) for row in self._emulated.history.top]
        return "\n".join(line.rstrip() for line in [*gone, *self.lines])

    @property
    def cursor_is_visible(self) -> bool:
        """False if the program hid the cursor, and did not show it again."""
        return not self._emulated.cursor.hidden

    def until(self, holds: Callable[[Terminal], bool]) -> None:
        """Read until this holds when a frame is whole."""
        given_up = time.monotonic() + self._patience_s
        while not (holds(self) and self._is_whole() and holds(self)):
            assert self._read(0.1), f"the program ended before:\n{self.text}"
            assert time.monotonic() < given_up, self.text

    def settle(self) -> None:
        """Read until nothing is written for a while."""
        written = -1
        while written < len(self.raw):
            written = len(self.raw)
            self._read(0.5)

    def end(self) -> str:
        """Read to the end of the program; everything that is shown then."""
        given_up = time.monotonic() + self._patience_s
        while self._read(0.1):
            assert time.monotonic() < given_up, self.text
        self.exit_code = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        return self.text

    def press(self, keys: bytes) -> None:
        """Type keys; `\\x03` is Ctrl-C."""
        os.write(self._master, keys)

    def resize(self, columns: int, rows: int) -> None:
        """Give the terminal another size."""
        fcntl.ioctl(self._master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self._emulated.resize(rows, columns)

    def _is_whole(self) -> bool:
        """Read what is being written; false if there is no end to it."""
        for _ in range(_MOST_PARTS):
            if not select.select([self._master], [], [], _PAUSE_S)[0]:
                return True
            if not self._read(0):
                return True
        return False

    def _read(self, within_s: float) -> bool:
        """Show what the program has written; False after its last output."""
        if not select.select([self._master], [], [], within_s)[0]:
            return True
        try:
            written = os.read(self._master, 65536)
        except OSError:  # EIO: nobody has the terminal open any more
            return False
        self.raw += written
        self._stream.feed(written)
        return bool(written)
