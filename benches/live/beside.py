"""The most that work beside the engine can do to a p99, from the processor time that it takes.

Ratios of two loads on a small machine are too noisy to show 5 %. Processor time is not: the kernel
counts that of each thread in nanoseconds. A call can be late through such work only if the work ran
while the call was under way. So at most the work's share of the time, and the calls under way as it
began, are late, and the p99 with it is at most the percentile without it that lies so much higher.
Caches that the work empties are not counted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import psutil
from httpdyno.compiled import quantiles

ENGINE = re.compile(r"httpdyno-[0-9]+\s*")
"""The names of the engine's threads."""
PROC = Path("/proc")
HIGHEST = 0.9999


def beside_s(pid: int) -> float:
    """The processor time of a process and its children so far, without the engine's threads."""
    total = 0
    for task in _tasks(pid):
        with suppress(OSError):  # it has ended
            if ENGINE.fullmatch((task / "comm").read_text()) is None:
                total += int((task / "schedstat").read_text().split()[0])
    return total * 1e-9


def most_ratio(hdr: str, work_per_s: float, begins_per_s: float, call_s: float) -> float:
    """The most that work can raise the p99 of a distribution: the percentile so many calls higher.

    `work_per_s`: its processor time in a second; it begins `begins_per_s` times in a second, while
    calls of `call_s` are under way.
    """
    late = work_per_s + begins_per_s * call_s
    p99, higher = quantiles(hdr, [0.99, min(HIGHEST, 0.99 + late)])
    return higher / max(p99, 1)


def _tasks(pid: int) -> Iterator[Path]:
    with suppress(psutil.NoSuchProcess):
        process = psutil.Process(pid)
        for one in (process, *process.children(recursive=True)):
            with suppress(OSError):
                yield from (PROC / str(one.pid) / "task").iterdir()
