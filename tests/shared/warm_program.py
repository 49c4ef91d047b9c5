"""The program as a process that is forked instead of executed, because loading takes it a second.

`Popen` and `run` are those of `subprocess`, for text. A command `python -m httpdyno …` becomes the
fork of a process that has loaded most of the program; every other command is executed. The fork has
its own environment, folder, files and signals, and is a child of the test, like one that was
executed. It differs in one thing: it measures the ceiling of the load generator for a shorter time.
"""

from __future__ import annotations

import atexit
import ctypes
import gc
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from loaded_program import load

PROGRAM = [sys.executable, "-m", "httpdyno"]
SOURCES = str(Path(__file__).parents[2] / "python")
JOINS = ("scheduler", "worker")
"""Verbs of machines that join: they need Dask, which others must not load before they configure
its messages."""
_AT_START = re.compile("PYTHON(?!PATH$|UNBUFFERED$)|LANG|LC_|TZ$|LD_|DASK_")
"""Variables that are read before a program can be forked."""
_SUBREAPER = 36
"""PR_SET_CHILD_SUBREAPER of prctl(2): processes whose parent ends become children of this one."""
_MOST_BYTES = 200_000
_BY_DEFAULT = (True, None, None, None, -1, False, -1)
"""`restore_signals` and all later arguments of `subprocess.Popen._execute_child`."""


class Popen(subprocess.Popen[str]):
    """A process of `subprocess`, with text; the program is a fork."""

    def __init__(self, command: Sequence[str], **more: Any) -> None:
        super().__init__(command, text=True, **more)

    def _execute_child(self, args: Any, *more: Any) -> None:
        executable, preexec, _, pass_fds, cwd, env, _, _, shell, *files = more
        variables = dict(os.environ if env is None else env)
        loader = JOINING if args[3:4] and args[3] in JOINS else LOADER
        special = executable or preexec or pass_fds or shell or tuple(files[6:]) != _BY_DEFAULT
        if special or args[:3] != PROGRAM or not loader.fits(variables):
            super()._execute_child(args, *more)  # type: ignore[misc]
            return
        # The ends of stdin, stdout and stderr; -1: that of this process.
        given = [files[0], files[3], files[5]]
        standard = [number if one == -1 else one for number, one in enumerate(given)]
        try:
            self.pid = loader.fork(args[3:], str(cwd or Path.cwd()), variables, standard)
            self._child_created = True
        finally:
            self._close_pipe_fds(*files[:6])  # type: ignore[attr-defined]


def run(
    command: Sequence[str], *, timeout_s: float | None = None, **more: Any
) -> subprocess.CompletedProcess[str]:
    """Run a command to its end, with its output."""
    pipe = subprocess.PIPE
    with Popen(command, stdout=pipe, stderr=pipe, **more) as running:
        try:
            stdout, stderr = running.communicate(timeout=timeout_s)
        except BaseException:
            running.kill()
            raise
    return subprocess.CompletedProcess(command, running.returncode, stdout, stderr)


def _at_start(variables: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in variables.items() if _AT_START.match(name)}


class _Loader:
    """The process that is forked; it is started when it is first needed, and ends with this one."""

    def __init__(self, *words: str) -> None:
        """`words`: the arguments of `load`."""
        self._words = words
        self._lock = threading.Lock()
        self._door: socket.socket | None = None
        self._at_start: dict[str, str] = {}

    def fork(
        self, words: Sequence[str], folder: str, variables: dict[str, str], files: Sequence[int]
    ) -> int:
        """The process id of a fork that runs the program; it is a child of this process."""
        message = json.dumps([[*words], folder, variables]).encode()
        with self._lock:
            door = self._started()
            prctl = ctypes.CDLL(None).prctl
            prctl(_SUBREAPER, 1, 0, 0, 0)
            try:
                socket.send_fds(door, [message], [*files])
                return int(door.recv(100))
            finally:
                prctl(_SUBREAPER, 0, 0, 0, 0)

    def fits(self, variables: Mapping[str, str]) -> bool:
        """True if a program with these variables would load the same modules in the same way."""
        with self._lock:
            self._started()
        paths = (SOURCES, os.pathsep.join(sys.path), os.environ.get("PYTHONPATH"))
        return variables.get("PYTHONPATH") in paths and _at_start(variables) == self._at_start

    def _started(self) -> socket.socket:
        """The door of the process."""
        if self._door is not None:
            return self._door
        variables = {**os.environ, "PYTHONPATH": os.pathsep.join([SOURCES, *sys.path])}
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        process = subprocess.Popen(
            [sys.executable, __file__, str(theirs.fileno()), *self._words],
            env=variables,
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
        )
        theirs.close()
        atexit.register(process.wait)
        atexit.register(ours.close)  # before the wait: it ends with its door
        self._door, self._at_start = ours, _at_start(variables)
        return ours


LOADER = _Loader()
JOINING = _Loader("dask")


def _fork_again_and_again(door: socket.socket) -> tuple[list[str], str, dict[str, str], list[int]]:
    """Fork for each message, and answer with the process id. Returns in the forks only."""
    while True:
        message, files, _, _ = socket.recv_fds(door, _MOST_BYTES, 3)
        if not message:
            os._exit(0)
        to_read, to_write = os.pipe()
        between = os.fork()
        if not between:
            child = os.fork()
            if child:  # it ends, and the fork becomes a child of the test
                os.write(to_write, str(child).encode())
                os._exit(0)
            for file in (to_read, to_write, door.detach()):
                os.close(file)
            words, folder, variables = json.loads(message)
            return words, folder, variables, files
        os.close(to_write)
        os.waitpid(between, 0)
        door.send(os.read(to_read, 100))
        for file in (to_read, *files):
            os.close(file)


def _become(words: list[str], folder: str, variables: dict[str, str], files: list[int]) -> None:
    """Take over the arguments, folder, environment and files that a process is executed with."""
    for number, file in enumerate(files):
        os.dup2(file, number)
        os.close(file)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(variables)
    sys.path.insert(0, folder)
    sys.argv = [str(sys.modules["httpdyno.__main__"].__file__), *words]
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for name, number, mode in (("stdin", 0, "r"), ("stdout", 1, "w"), ("stderr", 2, "w")):
        old = getattr(sys, name)
        new = os.fdopen(number, mode, encoding=old.encoding, errors=old.errors, closefd=False)
        setattr(sys, name, new)
        setattr(sys, f"__{name}__", new)
    sys.stderr.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    if variables.get("PYTHONUNBUFFERED"):
        sys.stdout.reconfigure(write_through=True)  # type: ignore[union-attr]


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the tests
    sys.path.pop(0)  # the folder of this file
    load(*sys.argv[2:])
    gc.freeze()
    _become(*_fork_again_and_again(socket.socket(fileno=int(sys.argv[1]))))
    import_module("httpdyno.__main__").main()
