"""Starts a server under a supervisor, a process of its own, which reports how the server exits.

The supervisor (`supervisor_main.py`) is the ancestor of every process of the server for as long as
it lives, so all of them can be found and ended, and a killed httpdyno leaves none behind.
"""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from time import monotonic

from httpdyno.errors import EnvironmentFault
from httpdyno.servers.environment import inherited_environment

_PROGRAM = Path(__file__).with_name("supervisor_main.py")
_STARTS_WITHIN_S = 60.0
"""A supervisor takes milliseconds to start; one that takes so long is broken."""

_EXITS_WITHIN_S = 15.0


class Supervisor:
    """A running supervisor, and the server below it.

    `pid` is the supervisor's own, `server_pid` that of the server's first process, 0 until
    `start` has returned.
    """

    def __init__(self, log: Path) -> None:
        """Run a supervisor that does nothing yet; what it starts will append to `log`."""
        stdin, self._orders = os.pipe()
        self._reports, stdout = os.pipe()
        try:
            with log.open("ab") as output:
                self._process = subprocess.Popen(
                    [sys.executable, "-I", "-S", "-X", "utf8", str(_PROGRAM)],
                    stdin=stdin,
                    stdout=stdout,
                    stderr=output,
                    env=inherited_environment(),
                    start_new_session=True,  # Ctrl-C is for httpdyno, which stops the server
                )
        except BaseException:
            os.close(self._orders)
            os.close(self._reports)
            raise
        finally:
            os.close(stdin)
            os.close(stdout)
        self.pid = self._process.pid
        self.server_pid = 0
        self._unread = b""
        self._exit_code: int | None = None
        self._closed = False

    def start(
        self,
        command: Sequence[str],
        *,
        folder: Path,
        environment: Mapping[str, str],
        cpus: Sequence[int] | None,
        user: tuple[int, int] | None = None,
    ) -> None:
        """Start the server in `folder`, in a session of its own, on `cpus` (None: all), as the user
        and the group with these numbers (None: as this process).

        Raises OSError when the command cannot be started, EnvironmentFault when this system lets no
        process be a subreaper.
        """
        orders = {
            "command": [_utf8(word) for word in command],
            "folder": _utf8(str(folder)),
            "environment": {_utf8(name): _utf8(value) for name, value in environment.items()},
            "cpus": None if cpus is None else list(cpus),
            "user": user,
        }
        _write(self._orders, json.dumps(orders).encode() + b"\n")
        line = self._read_line(_STARTS_WITHIN_S)
        report = {} if line is None else json.loads(line)
        number = report.get("errno", 0)
        if report.get("failed") == "command":
            raise OSError(number, os.strerror(number))
        if "pid" not in report:
            why = f"PR_SET_CHILD_SUBREAPER: {os.strerror(number)}" if number else "it ended at once"
            raise EnvironmentFault(
                f"the supervisor of a server, which ends all of its processes, cannot run: {why}",
                hint="`httpdyno load URL` measures a server that you started yourself",
            )
        self.server_pid = report["pid"]

    def exit_code(self) -> int | None:
        """The exit code of the server's first process (negative: a signal), None while it runs.

        That of the supervisor itself when someone killed it.
        """
        while self._exit_code is None and not self._closed:
            line = self._read_line(0.0)
            if line is None:
                self._exit_code = self._process.poll()
                break
            # An interrupted `start` leaves its own line unread.
            self._exit_code = json.loads(line).get("exit_code")
        return self._exit_code

    def close(self) -> None:
        """End the supervisor, which kills whatever is left below it."""
        if self._closed:
            return
        os.close(self._orders)
        try:
            self._process.wait(_EXITS_WITHIN_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self.exit_code()
        os.close(self._reports)
        self._closed = True

    def _read_line(self, wait_s: float) -> bytes | None:
        """The next line of its reports, or None when none comes in that time."""
        readable = select.poll()
        readable.register(self._reports, select.POLLIN)
        deadline = monotonic() + wait_s
        while b"\n" not in self._unread:
            if not readable.poll(max(deadline - monotonic(), 0.0) * 1000):
                return None
            piece = os.read(self._reports, 4096)
            if not piece:
                return None
            self._unread += piece
        line, _, self._unread = self._unread.partition(b"\n")
        return line


def _write(file: int, data: bytes) -> None:
    rest = memoryview(data)
    try:
        while rest:
            rest = rest[os.write(file, rest) :]
    except BrokenPipeError:
        return  # it has ended; that it reports nothing will say so


def _utf8(text: str) -> str:
    """The text as a process in UTF-8 mode must hold it to mean the same bytes."""
    return os.fsencode(text).decode("utf-8", "surrogateescape")
