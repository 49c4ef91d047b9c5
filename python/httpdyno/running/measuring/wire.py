"""The requests per second that the network between the machines carries, before they are sent."""

from __future__ import annotations

import math
from collections.abc import Sequence

from httpdyno.result import PathRow
from httpdyno.servers.check.answers import request_bytes
from httpdyno.workloads import Workload

REPLY_HEAD = 150
"""Bytes of a reply's head, about."""
USUAL_MTU = 1500
SEGMENT_HEAD = 52
"""Bytes of the IP and TCP heads of a packet, with time stamps (RFC 7323)."""
AROUND_PACKET = 38
"""Ethernet's head, checksum, preamble and gap (IEEE 802.3)."""
ETHERNET_HEAD = 14
"""All of these that the counters of an interface have."""


def wire_per_s(
    paths: Sequence[PathRow], workload: Workload, reply_bytes: Sequence[int]
) -> float | None:
    """About how many requests of a workload the network carries, with their replies.

    None when no network card reports its speed, and it was not measured either.
    """
    mtu = min((one.mtu for one in paths if one.mtu is not None), default=USUAL_MTU)
    exchanges = workload.measured
    weights = sum(one.weight for one in exchanges) or 1
    lengths = [*reply_bytes, *[0] * len(exchanges)]
    up = sum(one.weight * _on_wire(len(request_bytes("server", 80, one)), mtu) for one in exchanges)
    replies = [
        (one.weight, REPLY_HEAD + length) for one, length in zip(exchanges, lengths, strict=False)
    ]
    down = sum(weight * _on_wire(length, mtu) for weight, length in replies)
    counted = sum(weight * _on_wire(length, mtu, ETHERNET_HEAD) for weight, length in replies)
    limits = [(_link(paths), max(up, down)), (_carried_per_s(paths), counted)]
    known = [per_s / 8 / (length / weights) for per_s, length in limits if per_s is not None]
    return min(known, default=None)


def _on_wire(length: int, mtu: int, around: int = AROUND_PACKET) -> int:
    packets = max(1, math.ceil(length / (mtu - SEGMENT_HEAD)))
    return length + packets * (SEGMENT_HEAD + around)


def _link(paths: Sequence[PathRow]) -> float | None:
    """Bits per second: of the server's card, or of those of all generators together."""
    servers = [one.server_link_bits_per_s for one in paths]
    generators = [one.generator_link_bits_per_s for one in paths]
    known = [one for one in servers if one is not None]
    if generators and None not in generators:
        known.append(sum(one for one in generators if one is not None))
    return min(known, default=None)


def _carried_per_s(paths: Sequence[PathRow]) -> float | None:
    """Bits per second that all generators received together; all rows have the same."""
    return next((one.carried_bits_per_s for one in paths), None)
