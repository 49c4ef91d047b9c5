"""Requests of several load generators as they arrive at one server: is that the one schedule?"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
from httpdyno import engine
from namespaces import SERVER, Namespaces

KEEP_ARRIVALS = (
    Path(engine.__file__).parents[2].joinpath("tests", "shared", "keep_arrivals.py").as_posix()
)
SLOW_RATE = 100.0
"""Requests so far apart that a busy machine hardly changes their spacing."""
GAP_NS = round(1e9 / SLOW_RATE)
UNLIKELY = 6.0
"""The Anderson-Darling statistic that one of a thousand exponential samples exceeds."""

Times = np.ndarray[Any, Any]


class ArrivalKeeper:
    """The reference server on the machine of the server; it writes when each request arrived."""

    def __init__(self, machines: Namespaces, folder: Path) -> None:
        self._file = folder / "arrivals.npy"
        argv = [sys.executable, KEEP_ARRIVALS, f"{machines.address(SERVER)}:0", str(self._file)]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        self._process = machines.start(SERVER, argv, **pipes)
        assert self._process.stdout is not None
        self.address = self._process.stdout.readline().strip()

    def end(self) -> Times:
        """Ends it; when each request arrived, in order."""
        self._process.communicate("")
        return np.sort(np.load(self._file))


def late_ns(came_ns: Times, due_ns: Times) -> Times:
    """The lateness of arrivals at the server: the earliest of all is in time."""
    late = came_ns.astype(np.int64) - due_ns.astype(np.int64)
    return np.asarray(late - late.min())


def on_schedule(late: Times) -> bool:
    """True if arrivals of either machine can be in time: a busy machine does not make all late."""
    return all(np.quantile(late[turn::2], 0.05) < GAP_NS / 10 for turn in (0, 1))


def anderson_darling(gaps_s: Times, rate: float) -> float:
    """A² of gaps against the exponential distribution of a rate."""
    ordered = np.sort(1 - np.exp(-gaps_s * rate)).clip(1e-12, 1 - 1e-12)
    count = len(ordered)
    odd = 2 * np.arange(1, count + 1) - 1
    return float(-count - np.mean(odd * (np.log(ordered) + np.log1p(-ordered[::-1]))))
