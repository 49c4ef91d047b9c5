"""One run at a time: two that measure on the same machine would take each other's processors.

The kernel frees the lock when its holder dies, however it dies. The machine has an identity too: in
a database that several machines share, only the machine that began a run resumes it.
"""

from __future__ import annotations

import fcntl
import json
import os
import socket
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from time import sleep
from typing import IO

from httpdyno.errors import EnvironmentFault
from httpdyno.servers.folders import state_folder

NAME = "run.lock"
IDENTITY = "coordinator"
RETRY_S = 0.5


@contextmanager
def machine_lock(command: str, say: Callable[[str], None]) -> Iterator[None]:
    """Holds this user's lock on the machine; waits for a run that has it, and says for which.

    Raises EnvironmentFault when the state folder cannot be written.
    """
    file = state_folder() / NAME
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        lock = file.open("a+", encoding="utf-8")
    except OSError as error:
        raise EnvironmentFault(
            f"`{file}` cannot be written: {error.strerror}",
            hint="HTTPDYNO_STATE names another folder for the state of runs",
        ) from None
    with lock:
        _take(lock, say)
        lock.truncate(0)
        lock.write(json.dumps({"pid": os.getpid(), "command": command}))
        lock.flush()
        try:
            yield
        finally:
            lock.truncate(0)


def _take(lock: IO[str], say: Callable[[str], None]) -> None:
    said = None
    while True:
        try:
            return fcntl.flock(lock.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = _holder(Path(lock.name))
            if holder != said:
                say(f"waiting for {holder} to end: two runs at once would disturb each other")
            said = holder
            sleep(RETRY_S)


def _holder(file: Path) -> str:
    """The run that has the lock; its file is empty for a moment when a run begins or ends."""
    try:
        holder = json.loads(file.read_text(encoding="utf-8"))
        return f"`{holder['command']}` (pid {holder['pid']})"
    except (OSError, ValueError, KeyError, TypeError):
        return "another run on this machine"


def running_now() -> str | None:
    """The run that has the lock now, in words; None: there is none."""
    with suppress(OSError), (state_folder() / NAME).open(encoding="utf-8") as lock:
        try:
            fcntl.flock(lock.fileno(), fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return _holder(Path(lock.name))
    return None


@dataclass(frozen=True)
class Coordinator:
    """A machine that measures, as a shared database knows it."""

    id: str
    """Random, made once for each state folder: the scope of the lock."""
    host: str


def coordinator() -> Coordinator:
    """This machine. Raises EnvironmentFault when the state folder cannot be written."""
    file = state_folder() / IDENTITY
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        if not file.exists():
            made = file.with_name(f"{IDENTITY}.{os.getpid()}")
            made.write_text(uuid.uuid4().hex, encoding="ascii")
            with suppress(FileExistsError):  # another process was faster
                os.link(made, file)
            made.unlink()
        return Coordinator(file.read_text(encoding="ascii"), socket.gethostname())
    except (OSError, UnicodeError) as error:
        raise EnvironmentFault(
            f"`{file}` cannot be read or written: {getattr(error, 'strerror', error)}",
            hint="HTTPDYNO_STATE names another folder for the state of runs",
        ) from None
