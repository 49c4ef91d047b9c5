"""Checks of the network between load generators and server, of a run on several machines."""

from __future__ import annotations

from collections.abc import Iterator

from httpdyno.measurement import Measurement
from httpdyno.outcome import MachineUse, received_bits_per_s
from httpdyno.result.machines import bits
from httpdyno.units import counted, rate
from httpdyno.verdict.checks.words import Words, at_most, beside
from httpdyno.verdict.context import Context

AROUND_PACKET = 24
"""Bytes of a packet on Ethernet that no counter has: preamble, checksum and gap (IEEE 802.3)."""
MOST_OVER = 1.25
"""A load that sends this many times more than was measured shows that it was measured too low."""
FEWEST_LOST = 10
"""Fewer cannot move the p99 of the 1,000 calls that a tail needs."""

_WireUse = tuple[float, float, str, str, str]
"""Share of the limit, bits per second, the limit in words, who used it, and what they did."""


def wire_limit(m: Measurement, context: Context, limit: float) -> Words | None:
    """No network is near its speed."""
    used = [*_near_cards(context), *_near_carried(context)]
    if not used or max(used)[0] < limit:
        return None
    share, per_s, link, who, verb = max(used)
    return {
        "who": who,
        "verb": verb,
        "speed": bits(per_s),
        "link": link,
        "share": beside(share, limit),
        "limit": at_most(limit),
        "ceiling": rate(m.throughput_per_s / share),
    }


def path_losses(_: Measurement, context: Context, limit: float) -> Words | None:
    """Few packets are lost between the machines."""
    found = [
        text for use in context.machines if use.interface != "lo" for text in _losses(use, limit)
    ]
    if not context.paths or not found:
        return None
    return {"losses": "; ".join(found), "limit": at_most(limit)}


def _near_cards(context: Context) -> Iterator[_WireUse]:
    """The machines whose network card reports its speed, in each direction."""
    speeds = {one.generator: one.generator_link_bits_per_s for one in context.paths}
    speeds |= {one.server: one.server_link_bits_per_s for one in context.paths}
    for use in context.machines:
        speed = speeds.get(use.name)
        if speed is not None and speed > 0 and use.window_s > 0:
            for per_s, verb in _directions(use):
                yield per_s / speed, per_s, f"a link of {bits(speed)}", f"`{use.name}`", verb


def _near_carried(context: Context) -> Iterator[_WireUse]:
    """The load generators together, where it was measured how much the network carries."""
    carried = next((one.carried_bits_per_s for one in context.paths), None)
    if carried is None:
        return
    names = {one.generator for one in context.paths}
    per_s = received_bits_per_s(context.machines, names)
    if per_s <= MOST_OVER * carried:
        network = f"a network that carried {bits(carried)} before the trials"
        yield per_s / carried, per_s, network, "the load generators", "received"


def _directions(use: MachineUse) -> Iterator[tuple[float, str]]:
    """Bits per second on the wire, in each direction."""
    sent = use.sent_bytes + AROUND_PACKET * use.sent_packets
    received = use.received_bytes + AROUND_PACKET * use.received_packets
    yield 8 * sent / use.window_s, "sent"
    yield 8 * received / use.window_s, "received"


def _losses(use: MachineUse, limit: float) -> Iterator[str]:
    """Its losses over the limit, in words."""
    if use.retransmits >= FEWEST_LOST and use.retransmit_share > limit:
        sent = counted(use.retransmits, "TCP segment")
        yield f"{use.name} sent {sent} again ({beside(use.retransmit_share, limit)})"
    if use.dropped_packets >= FEWEST_LOST and use.dropped_share > limit:
        dropped = counted(use.dropped_packets, "packet")
        yield f"{use.name} dropped {dropped} ({beside(use.dropped_share, limit)})"
