"""A load of this machine, beside the server if that is here, too."""

from __future__ import annotations

import time
from typing import NamedTuple

from httpdyno.engine import OnProgress, Running
from httpdyno.engine_plan import Target
from httpdyno.host import available
from httpdyno.measurement import Measurement
from httpdyno.running.machines.watch import Edges
from httpdyno.running.measuring.processors import Processors
from httpdyno.servers.process.elsewhere.attached import AttachedServer
from httpdyno.verdict.taken import TakenShare

__all__ = ["LocalServer", "ServerProcessors"]

_SHORTEST_S = 0.5
"""The kernel counts CPU time in steps of 10 ms, which is too coarse for less."""


class ServerProcessors(NamedTuple):
    """The processors of a server of this machine while it was measured."""

    taken: TakenShare
    """The part of its processors that others took."""
    cpus: float | None
    """The processors that it used on average; None: the time was too short to know."""


class LocalServer:
    """The server of a load, if it is on this machine. It is found before the load begins, because
    that takes some milliseconds of a processor."""

    def __init__(self, target: Target) -> None:
        self._server = AttachedServer(target)
        self._meter = self._server.usage_meter()

    def measured(
        self, running: Running, on_progress: OnProgress | None = None
    ) -> tuple[Measurement, ServerProcessors | None]:
        """Follows a load to its end: its measurement, and what its server did.

        None: the server's processes cannot be seen, because it is on another machine or belongs to
        another user.
        """
        meter = self._meter
        if meter is None:
            running.follow("done", on_progress)
            return running.result(), None
        watch = Edges()
        running.follow("measuring", on_progress)
        watch.begin()
        before, own_s = meter.snapshot(), time.process_time()
        running.follow("draining", on_progress)
        after, own_s = meter.snapshot(), time.process_time() - own_s
        machines = watch.end()
        running.follow("done", on_progress)
        measurement = running.result()
        if after.processes == 0:
            return measurement, None
        cores = available()
        processors = Processors(cores, cores, Edges, self._server.usage_meter)
        used_s, seconds = after.cpu_s - before.cpu_s, after.at - before.at
        share = processors.share(machines, used_s, own_s, measurement.throughput_per_s)
        return measurement, ServerProcessors(
            share, used_s / seconds if seconds >= _SHORTEST_S else None
        )
