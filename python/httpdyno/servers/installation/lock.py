"""A lock for one process at a time; the kernel frees it when its holder dies."""

from __future__ import annotations

import contextlib
import fcntl
from collections.abc import Callable, Iterator
from pathlib import Path
from time import sleep

from httpdyno.servers.installation.cancellation import check

RETRY_S = 0.1


@contextlib.contextmanager
def hold_lock(file: Path, waiting: Callable[[], None]) -> Iterator[None]:
    """Holds the lock `file`, whose folder must exist; calls `waiting` when another process does.

    Raises EnvironmentFault when the installation is cancelled meanwhile.
    """
    with file.open("w") as lock:
        is_reported = False
        while not _take(lock.fileno()):
            if not is_reported:
                waiting()
                is_reported = True
            check()
            sleep(RETRY_S)
        yield


def _take(lock: int) -> bool:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
