"""A lock for one process at a time; the kernel frees it when its holder dies."""

from __future__ import annotations

import contextlib
import fcntl
from collections.abc import Callable, Iterator
from pathlib import Path


@contextlib.contextmanager
def locked(file: Path, waiting: Callable[[], None]) -> Iterator[None]:
    """Holds the lock `file`, whose folder must exist; calls `waiting` when another process does."""
    with file.open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            waiting()
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield
