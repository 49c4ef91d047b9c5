"""The page of one run: a process of its own, so that the run shares neither its memory nor the
lock of its interpreter. It ends with the run, however that ends: its stdin is closed then."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from httpdyno.errors import EnvironmentFault
from httpdyno.web.listener import Listener

READY = b"ready\n"
END_S = 5.0


@contextmanager
def page_process(listening: Listener, *, fleeting: bool) -> Iterator[subprocess.Popen[bytes]]:
    """The page, ready for its first viewer, until the body ends. Raises EnvironmentFault.

    `fleeting`: the body ends with the run.
    """
    descriptor = listening.socket.fileno()
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "httpdyno.web"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        pass_fds=[descriptor],
        start_new_session=True,  # Ctrl-C is for the run
    )
    try:
        _tell(process, listening, descriptor, fleeting=fleeting)
        yield process
    finally:
        _end(process)


def _tell(
    process: subprocess.Popen[bytes], listening: Listener, descriptor: int, *, fleeting: bool
) -> None:
    """Hand over what the page needs, not on its command line, and wait until it can answer."""
    settings = {
        "descriptor": descriptor,
        "host": listening.host,
        "token": listening.token,
        "any_address": listening.any_address,
        "studies": str(Path.cwd()),
        "fleeting": fleeting,
    }
    if process.stdin is None or process.stdout is None:
        return
    with suppress(BrokenPipeError):
        process.stdin.write(json.dumps(settings).encode() + b"\n")
        process.stdin.flush()
    if process.stdout.readline() != READY:
        raise EnvironmentFault(
            "the live page could not be started",
            hint="`httpdyno serve` shows the reason; without `--serve` the run needs no page",
        )


def _end(process: subprocess.Popen[bytes]) -> None:
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            with suppress(OSError):
                stream.close()
    try:
        process.wait(END_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
