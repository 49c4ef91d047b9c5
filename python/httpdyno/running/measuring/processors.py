"""The processors that a server may use, and the share of them that other programs take."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from httpdyno.outcome import MachineUse
from httpdyno.running.machines.watch import Watch
from httpdyno.servers.process.usage import Meter
from httpdyno.verdict.contention import (
    Contention,
    ContentionShares,
    Neighbours,
    contention_shares,
    is_one_free,
    most_contention,
)

if TYPE_CHECKING:
    from httpdyno.running.machines.site import LiveServer
    from httpdyno.running.prepare import ReadyArm

IDLE_S = 0.4
"""The time without load in which other programs are seen."""


@dataclass(frozen=True)
class Processors:
    """The processors that a running server may use, on the machine that `watch` watches."""

    cores: list[int]
    generator: list[int]
    """Those that the load generator may use, if it is on the same machine."""
    watch: Callable[[], Watch]
    meter: Callable[[], Meter | None]

    def contention_shares(
        self, machines: Sequence[MachineUse], server_s: float | None, engine_s: float
    ) -> ContentionShares:
        """The shares that others took; `server_s` and `engine_s` are CPU time of the server and of
        the load generator."""
        use = _server_of(machines)
        if use is None:
            return ContentionShares(0.0, 0.0)
        beside = "generator" in use.roles and not set(self.cores).isdisjoint(self.generator)
        known_s = None if server_s is None else server_s + (engine_s if beside else 0.0)
        return contention_shares(use, self.cores, known_s)

    def idle(self) -> ContentionShares:
        """The shares without load, measured now."""
        watch, meter = self.watch(), self.meter()
        watch.begin()
        before = meter.snapshot() if meter else None
        time.sleep(IDLE_S)
        after = meter.snapshot() if meter else None
        used_s = None if before is None or after is None else after.cpu_s - before.cpu_s
        return self.contention_shares(watch.end(), used_s, 0.0)

    def share(
        self,
        machines: Sequence[MachineUse],
        server_s: float | None,
        engine_s: float,
        calls_per_s: float,
    ) -> Contention:
        """The share that others took of a measurement that has just ended.

        If it is much, the processors are read once more without load: what others use only with
        it may be a part of the server that is not known as such, as in a container or a database.
        """
        found, use = self.contention_shares(machines, server_s, engine_s), _server_of(machines)
        if use is None or is_one_free(use, self.cores):
            return Contention(found.stolen, len(self.cores))
        share = found.stolen + found.others
        if share > most_contention(use.window_s, len(self.cores)):
            share = Neighbours(self._idle_around(use)).share(found, calls_per_s)
        return Contention(share, len(self.cores))

    def _idle_around(self, use: MachineUse) -> ContentionShares:
        """The shares without load. Where no processor was free with it, programs on those of the
        load generator count, too: the kernel moves them."""
        around = sorted({*self.cores, *self.generator})
        if "generator" not in use.roles or is_one_free(use, around):
            return self.idle()
        idle = replace(self, cores=around).idle()
        return ContentionShares(idle.stolen, idle.others * len(around) / len(self.cores))


def processors_of(ready: ReadyArm, server: LiveServer) -> Processors:
    """The processors of an arm; those of a server that ran already are not known, so all count."""
    pinning, attached = ready.pinning, ready.installation.server.running_at
    cores = pinning.server
    if attached is not None or pinning.shared:
        cores = sorted({*pinning.server, *pinning.generator})
    return Processors(cores, list(pinning.generator), ready.site.watch, server.usage_meter)


def _server_of(machines: Sequence[MachineUse]) -> MachineUse | None:
    """The use of the server's machine."""
    return next((one for one in machines if "server" in one.roles), None)
