"""The server of a load, if it is on the same machine.

This module is imported before the load begins, so it only reads counters. `server_processors.py`
tells what they mean.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, NamedTuple

from httpdyno.host.activity import Activity, activity
from httpdyno.host.machine import Machine
from httpdyno.servers.process.attached_server import AttachedServer

if TYPE_CHECKING:
    from httpdyno.engine import OnProgress, Running
    from httpdyno.engine_plan import Target
    from httpdyno.servers.process.usage import Usage, UsageMeter

__all__ = ["LocalServer", "Readings"]


class Readings(NamedTuple):
    """Counters at both edges of the measured window."""

    machine: tuple[Activity, Activity]
    server: tuple[Usage, Usage]
    own_s: float
    """CPU time of this process in between."""


class LocalServer:
    """The server of a load, if it is on this machine. It is found before the load begins, because
    that takes some milliseconds of a processor."""

    def __init__(self, target: Target) -> None:
        self._server = AttachedServer(target)
        self._meter = self._server.usage_meter()

    def meter(self) -> UsageMeter | None:
        """A meter of its processes, which are looked for anew."""
        return self._server.usage_meter()

    def follow(self, running: Running, on_progress: OnProgress | None = None) -> Readings | None:
        """Follows a load to its end, and reads the counters.

        None: the server's processes cannot be seen, because it is on another machine or belongs to
        another user.
        """
        meter, machine = self._meter, Machine()
        if meter is None:
            running.follow("done", on_progress)
            return None
        running.follow("measuring", on_progress)
        machine_before = activity(machine, "lo")
        before, own_s = meter.snapshot(), time.process_time()
        running.follow("draining", on_progress)
        after, own_s = meter.snapshot(), time.process_time() - own_s
        machine_after = activity(machine, "lo")
        running.follow("done", on_progress)
        if after.processes == 0:
            return None
        return Readings((machine_before, machine_after), (before, after), own_s)
