"""The memory that the processes of a server hold, read from /proc (proc(5))."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable
from pathlib import Path

_MIB = 1024**2
_PAGE = os.sysconf("SC_PAGE_SIZE")


def held_mb(pids: Iterable[int], limit_mb: int) -> int:
    """MiB that the processes hold together.

    Resident memory, which counts shared pages once per process and is cheap to read. Where that is
    above `limit_mb`, the proportional set size, which counts them once (proc_pid_smaps(5)).
    """
    members = list(pids)
    resident = sum(map(_resident, members)) // _MIB
    if resident <= limit_mb:
        return resident
    return sum(map(_proportional, members)) // _MIB


def _resident(pid: int) -> int:
    with contextlib.suppress(OSError, IndexError, ValueError):
        return int(Path(f"/proc/{pid}/statm").read_bytes().split()[1]) * _PAGE
    return 0


def _proportional(pid: int) -> int:
    """PSS in bytes; resident memory where PSS may not be read."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return _resident(pid)
    found = (line.split()[1] for line in lines if line.startswith("Pss:"))
    return sum(int(kib) * 1024 for kib in found)
