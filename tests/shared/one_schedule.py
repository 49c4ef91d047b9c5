"""Requests of several load generators as they arrive at one server: is that the one schedule?"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
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
FIRST = ("nice", "-n", "-15")
"""Starts a program that other programs hardly delay."""
_NEXT = ("nice", "-n", "-5")
"""Starts one that never sleeps, but leaves the others their time."""
ATTEMPTS = 3

Times = np.ndarray[Any, Any]


class ArrivalKeeper:
    """The reference server on the machine of the server; it writes when each request arrived."""

    def __init__(self, machines: Namespaces, folder: Path) -> None:
        self._file = folder / "arrivals.npy"
        script = [KEEP_ARRIVALS, f"{machines.address(SERVER)}:0", str(self._file)]
        argv = [*_NEXT, sys.executable, *script]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        self._process = machines.start(SERVER, argv, **pipes)
        assert self._process.stdout is not None
        self.address = self._process.stdout.readline().strip()

    def end(self) -> Times:
        """Ends it; when each request arrived, in order."""
        self._process.communicate("")
        return np.sort(np.load(self._file))


def until_shown(attempt: Callable[[int], tuple[bool, int]]) -> None:
    """Repeats a load until it shows what a busy machine may hide; skips the test if it never does.

    `attempt`: True if it was shown, and the p90 of the response times. Fails if the machine was not
    busy in any attempt.
    """
    waits_ns = []
    for number in range(ATTEMPTS):
        shown, p90_ns = attempt(number)
        if shown:
            return
        waits_ns.append(p90_ns)
    assert max(waits_ns) > GAP_NS / 10, f"never shown, but p90 was {waits_ns} ns"
    pytest.skip(
        f"this machine was too busy in {ATTEMPTS} attempts to show when requests arrive at the"
        " server; everything else was as expected"
    )


def late_ns(came_ns: Times, due_ns: Times) -> Times:
    """The lateness of arrivals at the server: the earliest of all is in time."""
    late = came_ns.astype(np.int64) - due_ns.astype(np.int64)
    return np.asarray(late - late.min())


def on_schedule(late: Times, unsure_ns: float = 0.0) -> bool:
    """True if arrivals of either machine can be in time: a busy machine does not make all late.

    `unsure_ns`: how much later one may be because the clocks are not known better.
    """
    allowed = GAP_NS / 10 + unsure_ns
    return all(np.quantile(late[turn::2], 0.05) < allowed for turn in (0, 1))


def anderson_darling(gaps_s: Times, rate: float) -> float:
    """A² of gaps against the exponential distribution of a rate."""
    ordered = np.sort(1 - np.exp(-gaps_s * rate)).clip(1e-12, 1 - 1e-12)
    count = len(ordered)
    odd = 2 * np.arange(1, count + 1) - 1
    return float(-count - np.mean(odd * (np.log(ordered) + np.log1p(-ordered[::-1]))))
