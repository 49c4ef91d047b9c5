"""Runs one command of an installation, with its output in a log."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import FrameType


def execute(
    command: Sequence[str],
    log: Path,
    *,
    cwd: Path,
    limit_s: float,
    environment: Mapping[str, str] | None = None,
    still_waiting: Callable[[], None] | None = None,
) -> int | None:
    """The command's exit code, or None when it took more than `limit_s` and was killed.

    An interrupt kills the command's process group too. A command with `still_waiting` must not be
    killed: its first process gets SIGINT instead and is waited for. At each further interrupt,
    `still_waiting` is called.
    """
    child: subprocess.Popen[bytes] | None = None
    with log.open("ab") as output:
        output.write(f"$ {' '.join(command)}\n".encode(errors="surrogateescape"))
        output.flush()
        try:
            with _signals_held():  # an interrupted Popen would lose the process that it started
                child = subprocess.Popen(
                    command,
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=subprocess.STDOUT,
                    cwd=cwd,
                    env=environment,
                    start_new_session=True,
                )
            return child.wait(timeout=limit_s)
        except BaseException as interrupted:
            if child is not None:
                _end(child, still_waiting)
            if not isinstance(interrupted, subprocess.TimeoutExpired):
                raise
            return None


@contextlib.contextmanager
def _signals_held() -> Iterator[None]:
    """Holds the requests to stop back until the end of the body."""
    before = {}
    held: list[tuple[int, FrameType | None]] = []
    if threading.current_thread() is threading.main_thread():
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            handler = signal.getsignal(number)
            if callable(handler):
                before[number] = handler
                signal.signal(number, lambda *received: held.append(received))
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    for received in held:
        before[signal.Signals(received[0])](*received)


def _end(child: subprocess.Popen[bytes], still_waiting: Callable[[], None] | None) -> None:
    if still_waiting is None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
        child.wait()
        return
    child.send_signal(signal.SIGINT)
    while child.returncode is None:
        try:
            child.wait()
        except KeyboardInterrupt:
            still_waiting()
