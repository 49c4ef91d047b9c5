"""The processors that a server of this machine uses under a closed load."""

from __future__ import annotations

from collections.abc import Callable

from httpdyno.engine_plan import EnginePlan

__all__ = ["cpus_of_server"]

_SHORTEST_S = 1.0
"""The kernel counts CPU time in steps of 10 ms, which is too coarse for less."""


def cpus_of_server(plan: EnginePlan) -> Callable[[], float | None] | None:
    """Gives the processors that the server has used since now; None where they cannot be read.

    An open load has its rate, so nothing is read.
    """
    if plan.load.kind != "closed" or plan.proxy is not None:
        return None
    from httpdyno.servers.process.elsewhere.attached import AttachedServer

    meter = AttachedServer(plan.target).usage_meter()
    if meter is None:
        return None
    before = meter.snapshot()

    def used() -> float | None:
        now = meter.snapshot()
        if now.at - before.at < _SHORTEST_S:
            return None
        cpu_s = now.cpu_user_s + now.cpu_system_s - before.cpu_user_s - before.cpu_system_s
        return max(0.0, cpu_s) / (now.at - before.at)

    return used
