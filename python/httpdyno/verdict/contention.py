"""The share of the server's processors that other programs took: disturbances by the machine."""

from __future__ import annotations

import math
from collections.abc import Collection
from typing import NamedTuple

from httpdyno.outcome import MachineUse
from httpdyno.units import percent

MOST_CONTENTION = 0.05
"""Others may take so much of the server's processors: a capacity that the processor limits then
falls by as much."""
TICKS_PER_S = 250
"""Most kernels sample a processor so often: the share of a short time is rough."""
SURE = 3.0
"""Standard deviations of that sample."""


class ContentionShares(NamedTuple):
    """Shares of the server's processors."""

    stolen: float
    """Taken by the host of a virtual machine."""
    others: float
    """Used by programs that are not known to belong to the measurement."""


def contention_shares(
    use: MachineUse, cores: Collection[int], known_cpu_s: float | None
) -> ContentionShares:
    """The shares of these cores that the host took, and that other programs used.

    `known_cpu_s`: CPU time of the server, and of the load generator if it runs on these cores.
    None: it is not known, so that only the host's part is.
    """
    found = [core for core in use.cores if core.core in cores]
    if not found:
        return ContentionShares(0.0, 0.0)
    stolen = sum(core.steal_share for core in found) / len(found)
    if known_cpu_s is None or use.window_s <= 0:
        return ContentionShares(stolen, 0.0)
    # Interrupts are the work of this load, for the most part, and no process is charged for them.
    busy = sum(core.busy_share - core.softirq_share - core.steal_share for core in found)
    others = busy / len(found) - known_cpu_s / use.window_s / len(found)
    return ContentionShares(stolen, max(0.0, others))


class Contention(NamedTuple):
    """The share of a server's processors that others took while it was measured."""

    share: float
    cores: int
    """Processors that the server could use."""


def is_one_free(use: MachineUse, cores: Collection[int]) -> bool:
    """True if one of several processors was free on average: others took what nobody needed."""
    idle = sum(1.0 - core.busy_share for core in use.cores if core.core in cores)
    return len(cores) > 1 and idle >= 1.0


class Neighbours:
    """Tells other programs from parts of the server that are not seen as such, as in a container.

    The load's own work is not there without load, and grows with it: it is no more than the least
    that any step used per call, beyond what was used without load.
    """

    def __init__(self, idle: ContentionShares) -> None:
        self._idle = idle
        self._own_per_call = math.inf

    def share(self, step: ContentionShares, calls_per_s: float) -> float:
        """The share that the host and other programs took during a step."""
        beyond = max(0.0, step.others - self._idle.others)
        if calls_per_s <= 0:
            return step.stolen + step.others
        self._own_per_call = min(self._own_per_call, beyond / calls_per_s)
        return step.stolen + max(0.0, step.others - self._own_per_call * calls_per_s)


def most_contention(seconds: float, cores: int, least: float = MOST_CONTENTION) -> float:
    """The share from which on others disturbed a measurement so long, beyond the error of a sample
    of the processors."""
    return max(least, SURE * math.sqrt(0.25 / max(1.0, TICKS_PER_S * seconds * cores)))


def in_words(share: float, limit: float) -> str:
    """`others took 31 % of the server's processors (limit 5 %)`."""
    return (
        f"others took {percent(share)} of the server's processors"
        f" (other programs, or the host of this machine; limit {percent(limit)})"
    )
