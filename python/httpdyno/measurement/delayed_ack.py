"""Replies that wait for a delayed acknowledgement."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from httpdyno.measurement import Measurement

_DELAY_S = (0.039, 0.046)
"""Linux delays an acknowledgement for 40 ms, in steps of its clock of 1 to 4 ms."""
_SMALL_REPLY = 16_384
"""Bytes. A longer reply is acknowledged on its way."""


def delayed_ack(measurements: Iterable[Measurement]) -> str:
    """Explain replies that pause for as long as Linux delays an acknowledgement; empty if not all
    measurements have them.

    A server that writes a small reply in two pieces without TCP_NODELAY waits with the second
    until the first is acknowledged (Nagle's algorithm), and a client with nothing to send
    acknowledges it after 40 ms.
    """
    pauses_s = [_pause_s(one) for one in measurements]
    if not pauses_s or not all(_DELAY_S[0] <= one <= _DELAY_S[1] for one in pauses_s):
        return ""
    return (
        "At least half of the replies pause for some 40 ms after their first bytes: the server"
        " waits for a delayed acknowledgement. Set TCP_NODELAY on its connections, or write header"
        " and body at once."
    )


def _pause_s(m: Measurement) -> float:
    """Between the medians of the first and the last byte; 0: no small replies."""
    if not m.calls.ok or m.bytes_received > _SMALL_REPLY * m.calls.ended:
        return 0.0
    return (m.times.service.p50_ns - m.times.first_byte.p50_ns) * 1e-9
