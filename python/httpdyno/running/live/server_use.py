"""The CPUs and the memory of a server while it is measured, wherever it runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from httpdyno.servers import Meter, QuickUsage

EVERY_S = 0.9
"""The shortest time between two readings, once there are numbers."""


class ServerNow(NamedTuple):
    """The server between the last two readings."""

    cpus: float
    """CPU seconds per second."""
    rss_bytes: int


class ServerUse:
    """Reads the meter of a server about once a second, and at first on each call."""

    def __init__(self, meter: Meter | None) -> None:
        self._meter = meter
        self._read_at = 0.0
        self._last: QuickUsage | None = None
        self._found: ServerNow | None = None

    def now(self, now: float) -> ServerNow | None:
        """The latest numbers; None: there are none yet. `now` is this machine's monotonic clock.

        The time between two readings is that of the server's machine, which took them.
        """
        early = self._found is not None and now - self._read_at < EVERY_S
        if self._meter is None or early:
            return self._found
        quick, last = self._meter.quick(), self._last
        if quick is None:
            return self._found
        self._read_at = now
        if last is not None and quick.at > last.at and quick.cpu_s >= last.cpu_s:
            used = (quick.cpu_s - last.cpu_s) / (quick.at - last.at)
            self._found = ServerNow(round(used, 3), quick.rss_bytes)
        self._last = quick
        return self._found
