"""Programs that take the processors of others."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

BUSY = [sys.executable, "-c", "while True: pass"]


@contextmanager
def neighbours(cpu: int, number: int) -> Iterator[None]:
    """Busy loops on one processor."""
    loops = []
    try:
        for _ in range(number):
            loops.append(subprocess.Popen(BUSY))
            os.sched_setaffinity(loops[-1].pid, {cpu})
        yield
    finally:
        for one in loops:
            one.kill()
            one.wait()
