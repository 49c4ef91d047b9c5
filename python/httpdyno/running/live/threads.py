"""The share of its time that the busiest thread of the load generator in this process worked."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from pathlib import Path

_TASKS = Path("/proc/self/task")
_ENGINE = re.compile(rb"\(httpdyno-[0-9]+\)")
_TICK_S = 1.0 / os.sysconf("SC_CLK_TCK")


class BusyThreads:
    """Compares the processor time of the engine's threads with that of the last reading."""

    def __init__(self) -> None:
        self._at = 0.0
        self._cpu_seconds: dict[str, float] = {}

    def share(self, now: float) -> float | None:
        """Share of the time since the last reading, 0 to 1; None: there is no such thread yet."""
        used = _cpu_seconds()
        shares = [
            (seconds - self._cpu_seconds[thread]) / (now - self._at)
            for thread, seconds in used.items()
            if thread in self._cpu_seconds
        ]
        self._at, self._cpu_seconds = now, used
        return round(min(1.0, max(shares)), 3) if shares else None


def _cpu_seconds() -> dict[str, float]:
    """The processor seconds of each engine thread, by its number."""
    found = {}
    for thread in os.listdir(_TASKS):  # noqa: PTH208 - cheaper than paths
        with suppress(OSError, ValueError, IndexError):
            line = (_TASKS / thread / "stat").read_bytes()
            if _ENGINE.search(line):
                fields = line[line.rindex(b")") + 2 :].split()
                found[thread] = (int(fields[11]) + int(fields[12])) * _TICK_S
    return found
