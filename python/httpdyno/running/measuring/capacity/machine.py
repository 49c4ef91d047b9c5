"""Disturbances by the machine: the share of the server's processors that others took."""

from __future__ import annotations

import math
from collections.abc import Collection

from httpdyno.outcome import MachineUse
from httpdyno.units import percent

MOST_TAKEN = 0.05
"""Others may take so much of the server's processors: a capacity that the processor limits then
falls by as much."""
TICKS_PER_S = 250
"""Most kernels sample a processor so often: the share of a short time is rough."""
SURE = 3.0
"""Standard deviations of that sample."""


def taken_share(use: MachineUse, cores: Collection[int], known_cpu_s: float | None) -> float:
    """The share of these cores that other programs used, or that the host took.

    `known_cpu_s`: CPU time of the server, and of the load generator if it runs on these cores.
    None: it is not known, so that only the host's part is.
    """
    found = [core for core in use.cores if core.core in cores]
    if not found:
        return 0.0
    stolen = sum(core.steal_share for core in found) / len(found)
    if known_cpu_s is None or use.window_s <= 0:
        return stolen
    # Interrupts are the work of this load, for the most part, and no process is charged for them.
    busy = sum(core.busy_share - core.softirq_share - core.steal_share for core in found)
    others = busy / len(found) - known_cpu_s / use.window_s / len(found)
    return stolen + max(0.0, others)


def most_taken(seconds: float, cores: int) -> float:
    """The share from which on others disturbed a measurement so long, beyond the error of a sample
    of the processors."""
    return max(MOST_TAKEN, SURE * math.sqrt(0.25 / max(1.0, TICKS_PER_S * seconds * cores)))


def in_words(share: float, limit: float) -> str:
    """`others took 31 % of the server's processors (limit 5 %)`."""
    return (
        f"others took {percent(share)} of the server's processors"
        f" (other programs, or the host of this machine; limit {percent(limit)})"
    )
