"""Runs one command of an installation, with its output in a log."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from time import monotonic
from types import FrameType
from typing import Any

from httpdyno.servers.environment import inherited_environment
from httpdyno.servers.installation.cancellation import begin
from httpdyno.servers.log_limit import shorten

SHORTENED_EVERY_S = 0.2
_Start = Callable[[], subprocess.Popen[bytes]]
_Handler = Callable[[int, FrameType | None], Any]


def execute(
    command: Sequence[str],
    log: Path,
    *,
    cwd: Path,
    limit_s: float,
    environment: Mapping[str, str] | None = None,
    still_waiting: Callable[[], None] | None = None,
) -> int | None:
    """The command's exit code, or None when it took more than `limit_s` and was ended.

    Without `environment`, the command inherits this process's, without httpdyno's own variables.
    A request to stop kills the command's process group. A command with `still_waiting` must not be
    killed: its first process gets SIGINT instead and is waited for, and at each further request
    `still_waiting` is called. Raises KeyboardInterrupt once the command has ended.
    """
    with log.open("ab") as output:
        output.write(f"$ {' '.join(command)}\n".encode(errors="surrogateescape"))
        output.flush()

        def start() -> subprocess.Popen[bytes]:
            return subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                cwd=cwd,
                env=inherited_environment() if environment is None else environment,
                start_new_session=True,
            )

        if still_waiting is None:
            return _run(start, log, limit_s)
        return _run_gently(start, log, limit_s, still_waiting)


def _wait(child: subprocess.Popen[bytes], log: Path, limit_s: float) -> int:
    """The exit code of a command whose log stays short. Raises TimeoutExpired after `limit_s`."""
    deadline = monotonic() + limit_s
    while True:
        try:
            return child.wait(timeout=max(0.0, min(SHORTENED_EVERY_S, deadline - monotonic())))
        except subprocess.TimeoutExpired:
            if monotonic() >= deadline:
                raise
        finally:
            shorten(log)


def _run(start: _Start, log: Path, limit_s: float) -> int | None:
    child: subprocess.Popen[bytes] | None = None
    held: list[tuple[_Handler, int, FrameType | None]] = []
    try:
        # An interrupt in the middle of Popen would lose the process that it started.
        with _signals_to(lambda *received: held.append(received)):
            child = begin(start)
        for handler, number, frame in held:
            handler(number, frame)
        return _wait(child, log, limit_s)
    except BaseException as interrupted:
        if child is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(child.pid, signal.SIGKILL)
            child.wait()
        if not isinstance(interrupted, subprocess.TimeoutExpired):
            raise
        return None


def _run_gently(
    start: _Start, log: Path, limit_s: float, still_waiting: Callable[[], None]
) -> int | None:
    child: subprocess.Popen[bytes] | None = None
    requests = 0

    def receive(handler: _Handler, number: int, frame: FrameType | None) -> None:
        nonlocal requests
        requests += 1
        with contextlib.suppress(KeyboardInterrupt):
            handler(number, frame)  # tells the user what is waited for
        if requests > 1:
            still_waiting()
        elif child is not None:
            child.send_signal(signal.SIGINT)

    with _signals_to(receive):
        child = start()
        if requests:
            child.send_signal(signal.SIGINT)
        code: int | None = None
        try:
            code = _wait(child, log, limit_s)
        except subprocess.TimeoutExpired:
            child.send_signal(signal.SIGINT)
            child.wait()
    if requests:
        raise KeyboardInterrupt
    return code


@contextlib.contextmanager
def _signals_to(receive: Callable[[_Handler, int, FrameType | None], None]) -> Iterator[None]:
    """Within the body, requests to stop go to `receive`, with the handler that they had before.

    Nothing changes outside of the main thread, which alone receives signals.
    """
    before: dict[int, _Handler] = {}
    if threading.current_thread() is threading.main_thread():
        for request in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            found = signal.getsignal(request)
            if callable(found):
                before[request] = found
                signal.signal(request, lambda number, frame: receive(before[number], number, frame))
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def read_output(
    command: Sequence[str], *, cwd: Path, limit_s: float, environment: Mapping[str, str]
) -> tuple[int, str]:
    """The exit code of a short command and its output. Raises OSError, TimeoutExpired."""

    def start() -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            cwd=cwd,
            env=environment,
            start_new_session=True,
        )

    with begin(start) as child:
        try:
            text, _ = child.communicate(timeout=limit_s)
        except BaseException:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(child.pid, signal.SIGKILL)
            raise
    return child.returncode, text.decode(errors="replace").strip()
