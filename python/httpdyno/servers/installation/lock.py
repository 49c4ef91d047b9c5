"""One process at a time; the kernel frees a lock when its holder dies."""

from __future__ import annotations

import contextlib
import fcntl
from collections.abc import Callable, Iterator
from pathlib import Path


@contextlib.contextmanager
def locked(file: Path, waiting: Callable[[], None]) -> Iterator[None]:
    """Holds `file`, whose folder must exist; calls `waiting` once when another holds it."""
    with file.open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            waiting()
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield
