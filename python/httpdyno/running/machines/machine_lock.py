"""One run at a time: two that measure on the same machine would take each other's processors.

The kernel frees the lock when its holder dies, however it dies. The machine has an identity too: in
a database that several machines share, only the machine that began a run resumes it.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import math
import os
import socket
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from time import sleep, time
from typing import IO, Any

from httpdyno.errors import EnvironmentFault
from httpdyno.output.places import state_folder
from httpdyno.running.live.reading import left_s
from httpdyno.units import roughly

NAME = "run.lock"
IDENTITY = "coordinator"
RETRY_S = 0.5
LEAST_S = 10.0
"""A run that waits reports it again once the time that it reported is over, but not more often."""
_OURS: set[str] = set()
"""The tokens by which this process takes machines of a cluster: this one may be among them."""


@contextmanager
def machine_lock(command: str, say: Callable[[str], None]) -> Iterator[None]:
    """Holds this user's lock on the machine; waits for a run that has it, and says for which.

    A worker of this machine may have it for this very process: then there is nothing to wait for.

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
        if not _take(lock, say):
            yield
            return
        _write(lock, {"pid": os.getpid(), "command": command})
        try:
            yield
        finally:
            lock.truncate(0)


def lock_for(token: str, who: str) -> IO[str] | str | None:
    """Takes the lock for a run that another process coordinates, until the file is closed.

    Returns who has it instead; None: another worker of this machine has it for the same run, or the
    state folder cannot be written. `token` identifies the run.
    """
    file = state_folder() / NAME
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        lock = file.open("a+", encoding="utf-8")
    except OSError:
        return None
    if _is_taken(lock):
        with suppress(OSError):  # a full disk: then it is held without a name
            _write(lock, {"pid": os.getpid(), "who": who, "run": _digest(token)})
        return lock
    lock.close()
    return None if _run_of(file) == _digest(token) else _holder(file)


def ours(token: str) -> None:
    """This process takes machines by this token."""
    _OURS.add(_digest(token))


def _take(lock: IO[str], say: Callable[[str], None]) -> bool:
    """Waits for the lock; False when a worker has it for this process."""
    reported, until = None, math.inf
    while not _is_taken(lock):
        file = Path(lock.name)
        if _run_of(file) in _OURS:
            return False
        holder, now = _holder(file), time()
        if holder != reported or now > until:
            left = _left_s(file, now)
            words = "" if left is None else f" (about {roughly(left)} left)"
            still = "still " if holder == reported else ""
            say(f"{still}waiting for {holder} to end{words}: two runs would disturb each other")
            until = math.inf if left is None else now + max(left, LEAST_S)
        reported = holder
        sleep(RETRY_S)
    return True


def _is_taken(lock: IO[str]) -> bool:
    """Takes the lock, unless another process has it."""
    try:
        fcntl.flock(lock.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _write(lock: IO[str], holder: dict[str, object]) -> None:
    lock.truncate(0)
    lock.write(json.dumps(holder))
    lock.flush()


def _holder(file: Path) -> str:
    """The run that has the lock; its file is empty for a moment when a run begins or ends."""
    try:
        holder = _content(file)
        if "who" in holder:
            return str(holder["who"])
        return f"`{holder['command']}` (pid {holder['pid']})"
    except (OSError, ValueError, KeyError, TypeError):
        return "another run on this machine"


def _left_s(file: Path, now: float) -> float | None:
    """The time that is left of the run that has the lock, if it says so."""
    with suppress(OSError, ValueError, AttributeError):
        pid = _content(file).get("pid")
        return left_s(pid, now) if isinstance(pid, int) else None
    return None


def _run_of(file: Path) -> str | None:
    """The digest of the run that a worker holds the lock for."""
    with suppress(OSError, ValueError, AttributeError):
        run = _content(file).get("run")
        return run if isinstance(run, str) else None
    return None


def _content(file: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return found


def _digest(token: str) -> str:
    """The token itself is a secret of its coordinator, and others may read the file."""
    return hashlib.sha256(token.encode()).hexdigest()


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
