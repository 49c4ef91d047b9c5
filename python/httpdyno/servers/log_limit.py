"""The limit on the length of a log, of a server or of a build.

A server appends to its log (O_APPEND), so the file can be shortened under it: the server neither
blocks nor notices. A limit by RLIMIT_FSIZE would kill it, and a pipe would make it wait.
"""

from __future__ import annotations

import contextlib
import os
import stat
from pathlib import Path

MOST_BYTES = 8 * 1024**2
KEPT_BYTES = 1024**2
"""Of a log that is too long, so much is kept from its beginning, and so much from its end."""

NOTE = b"\n[httpdyno removed the middle of this log: it may take %d MiB of disk space]\n" % (
    MOST_BYTES // 1024**2
)
_BLOCK = 512  # the unit of st_blocks (stat(2))


def shorten(log: Path) -> None:
    """Remove the middle of a log that takes too much disk space; leave any other log alone.

    Lines that the server writes at this very moment may be lost too.
    """
    with contextlib.suppress(OSError):
        file = os.open(log, os.O_RDWR | os.O_APPEND | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            seen = os.fstat(file)
            # Disk space, not length: the log of a server that does not append has a hole, once
            # it was shortened.
            if stat.S_ISREG(seen.st_mode) and seen.st_blocks * _BLOCK > MOST_BYTES:
                _remove_middle(file, seen.st_size)
        finally:
            os.close(file)


def _remove_middle(file: int, size: int) -> None:
    end = os.pread(file, KEPT_BYTES, size - KEPT_BYTES)
    end += os.pread(file, KEPT_BYTES, size)  # written since, which may be much on a busy machine
    os.ftruncate(file, KEPT_BYTES)
    rest = memoryview(NOTE + end.partition(b"\n")[2])
    while rest:
        rest = rest[os.write(file, rest) :]
