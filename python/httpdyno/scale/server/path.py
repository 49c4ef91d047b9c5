"""The path between the load generators and the server's machine, measured before the trials."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from httpdyno.engine_plan import ClosedLoad, EnginePlan, Stop, Target
from httpdyno.errors import HttpdynoError, NodeFault
from httpdyno.outcome import received_bits_per_s
from httpdyno.result import PathRow
from httpdyno.running.machines.site import Page, Site
from httpdyno.scale.server.machine import MachineIdentity, RoundTrips

__all__ = ["carried_bits_per_s", "path_row", "reports_no_speed"]

BODY = 64 * 1024
CONNECTIONS = 8
"""Of each load generator: networks often limit single connections."""
SETTLE_S = 0.5
WINDOW_S = 1.0
DRAIN_S = 0.2
WITHIN_S = 30.0


def path_row(
    generator: tuple[str, MachineIdentity], server: tuple[str, MachineIdentity], found: RoundTrips
) -> PathRow:
    """The path from a load generator to the server's machine, as pings and cards tell it."""
    (own_name, own), (server_name, there) = generator, server
    return PathRow(
        generator=own_name,
        server=server_name,
        round_trip_p50_s=median(found.seconds),
        round_trip_min_s=found.seconds[0],
        mtu=min((one for one in (found.mtu, there.link.mtu) if one), default=None),
        generator_link_bits_per_s=own.link.bits_per_s,
        server_link_bits_per_s=there.link.bits_per_s,
        offloads=list(own.link.offloads),
    )


def reports_no_speed(server: MachineIdentity) -> bool:
    """True for a server's network card whose speed can only be measured."""
    return server.link.bits_per_s is None and server.link.interface not in (None, "lo")


def carried_bits_per_s(site: Site, generators: Sequence[str]) -> float | None:
    """Bits per second that all load generators receive together, in large replies.

    None when it cannot be measured. Raises NodeFault for a machine that is lost.
    """
    pages: Sequence[Page] = [("/", "application/octet-stream", bytes(BODY))]
    try:
        with site.reference(pages) as ((host, port), pinning):
            plan = EnginePlan(
                target=Target(host=host, port=port),
                load=ClosedLoad(connections=CONNECTIONS * len(generators)),
                stop=Stop(duration_s=WINDOW_S, drain_s=DRAIN_S),
                warm_up_s=SETTLE_S,
                threads=len(pinning.generator),
                cpus=pinning.generator,
                shared_cpus=pinning.shared,
            )
            with site.generator.start(plan) as running:
                running.follow("measuring", within_s=WITHIN_S)
                watch = site.watch()
                running.follow("draining", within_s=WITHIN_S)
                machines = watch.end()
                running.follow("done", within_s=WITHIN_S)
    except NodeFault:
        raise
    except HttpdynoError:
        return None
    carried = received_bits_per_s(machines, generators)
    return carried or None
