"""The outcome of one trial: stored, then summarised by the statistics.

Format history of the JSON:
  1  first version. Added since, with a default: `walk`; `doubts` of a reason.
"""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict

from httpdyno.doubts import Number, status_of
from httpdyno.limits.walk import Walk
from httpdyno.measurement import Measurement
from httpdyno.result import Reason, Status

CellKey = tuple[str, str, str]
"""Names of the arm, the load and the point."""


class _Value(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class ServerCost(_Value):
    """CPU time of the server's processes in the measured window, and their memory at its end."""

    window_s: float
    """Time between the two readings, which are close to the edges of the engine's window."""
    cpu_user_s: float
    cpu_system_s: float
    rss_peak_bytes: int
    threads: int
    processes: int
    voluntary_switches: int
    involuntary_switches: int

    @property
    def cpu_s(self) -> float:
        """CPU time in seconds, user and system."""
        return self.cpu_user_s + self.cpu_system_s


class TrialOutcome(_Value):
    """One trial: a measurement with its verdict, or the reason why there is none."""

    version: Literal[1] = 1
    index: int
    block: int
    arm: str
    load: str
    point: str
    started_at: float
    """Unix time, seconds."""
    status: Status
    reasons: tuple[Reason, ...]
    measurement: Measurement | None
    server: ServerCost | None
    ceiling_per_s: float | None
    walk: Walk | None = None
    """The steps of a capacity load. The measurement is then that of the last step that held."""

    @property
    def cell(self) -> CellKey:
        """Key of the cell that this trial measured."""
        return (self.arm, self.load, self.point)

    @property
    def usable(self) -> bool:
        """True if its numbers may be shown: an invalid trial has no result."""
        return self.status != "invalid" and self.measurement is not None

    def status_of(self, number: Number) -> Status:
        """The status of one of its numbers."""
        return status_of(number, self.status, self.reasons)

    @property
    def cpu_s_per_request(self) -> float | None:
        """CPU seconds of the server per right reply in the window."""
        if self.measurement is None or self.server is None:
            return None
        # The readings may start after the window, or end in the idle time that follows it.
        seen_s = min(self.server.window_s, self.measurement.window_s)
        replies = self.measurement.throughput_per_s * seen_s
        return self.server.cpu_s / replies if replies > 0 else None
