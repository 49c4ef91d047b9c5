"""A load of this machine, beside the server if that is here, too."""

from __future__ import annotations

import time

from httpdyno.engine import OnProgress
from httpdyno.engine_plan import Target
from httpdyno.host import available
from httpdyno.measurement import Measurement
from httpdyno.running.machines.generator import Generation
from httpdyno.running.machines.site import this_machine
from httpdyno.running.measuring.processors import Processors, cpu_s
from httpdyno.servers import AttachedServer
from httpdyno.verdict.taken import TakenShare

__all__ = ["measured_beside"]


def measured_beside(
    running: Generation, target: Target, on_progress: OnProgress | None = None
) -> tuple[Measurement, TakenShare | None]:
    """Follows a load to its end: its measurement, and the part of the server's processors that
    others took.

    None: the server's processes cannot be seen, because it is on another machine or belongs to
    another user.
    """
    server = AttachedServer(target)
    meter = server.usage_meter()
    if meter is None:
        running.follow("done", on_progress)
        return running.result(), None
    site = this_machine()
    watch = site.watch()
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
    processors = Processors(available(), True, site.watch, server.usage_meter)
    used_s, calls_per_s = cpu_s(before, after), measurement.throughput_per_s
    return measurement, processors.share(machines, used_s, own_s, calls_per_s)
