"""The processors of a server of this machine, from the counters of a load that has ended."""

from __future__ import annotations

from typing import NamedTuple

from httpdyno.host.pinning import available
from httpdyno.host.use import use_between
from httpdyno.measurement import Measurement
from httpdyno.outcome import ServerCost
from httpdyno.running.machines.watch import LocalWatch
from httpdyno.running.measuring.local_server import LocalServer, Readings
from httpdyno.running.measuring.processors import Processors
from httpdyno.servers import Usage
from httpdyno.verdict.contention import Contention

__all__ = ["ServerProcessors", "processors_of_server", "server_cost"]

_SHORTEST_S = 0.5
"""The kernel counts CPU time in steps of 10 ms, which is too coarse for less."""


class ServerProcessors(NamedTuple):
    """The processors of a server of this machine while it was measured."""

    contention: Contention
    """The part of its processors that others took."""
    cpus: float | None
    """The processors that it used on average; None: the time was too short to know."""
    cost: ServerCost | None
    """None: the time was too short to know."""


def processors_of_server(
    server: LocalServer, readings: Readings, measurement: Measurement
) -> ServerProcessors:
    """The processors of the server during the measurement, which has just ended."""
    use = use_between(*readings.machine, roles=("server", "generator"), interface="lo")
    cores = available()
    processors = Processors(cores, cores, LocalWatch, server.meter)
    before, after = readings.server
    used_s, seconds = after.cpu_s - before.cpu_s, after.at - before.at
    share = processors.share((use,), used_s, readings.own_s, measurement.throughput_per_s)
    if seconds < _SHORTEST_S:
        return ServerProcessors(share, None, None)
    return ServerProcessors(share, used_s / seconds, server_cost(before, after))


def server_cost(before: Usage, after: Usage) -> ServerCost:
    """The cost of a server between two readings."""
    return ServerCost(
        window_s=after.at - before.at,
        cpu_s=after.cpu_s - before.cpu_s,
        rss_peak_bytes=after.rss_peak_bytes,
        threads=after.threads,
        processes=after.processes,
        voluntary_switches=after.voluntary_switches - before.voluntary_switches,
        involuntary_switches=after.involuntary_switches - before.involuntary_switches,
    )
