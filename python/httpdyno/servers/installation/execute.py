"""Runs one command of an installation, with its output in a log."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path


def execute(
    command: Sequence[str],
    log: Path,
    *,
    cwd: Path,
    limit_s: float,
    environment: Mapping[str, str] | None = None,
    gently: bool = False,
) -> int | None:
    """The command's exit code, or None when it took more than `limit_s` and was killed.

    An interrupt kills the command's process group too. With `gently`, which is for programs that
    must not be killed, its first process gets SIGINT instead and is waited for.
    """
    with log.open("ab") as output:
        output.write(f"$ {' '.join(command)}\n".encode())
        output.flush()
        child = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            cwd=cwd,
            env=environment,
            start_new_session=True,
        )
        try:
            return child.wait(timeout=limit_s)
        except BaseException as interrupted:
            (_ask if gently else _kill)(child)
            if not isinstance(interrupted, subprocess.TimeoutExpired):
                raise
            return None


def _kill(child: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child.pid, signal.SIGKILL)
    child.wait()


def _ask(child: subprocess.Popen[bytes]) -> None:
    child.send_signal(signal.SIGINT)
    while True:
        try:
            child.wait()
            return
        except KeyboardInterrupt:
            continue  # it exits as soon as that is safe
