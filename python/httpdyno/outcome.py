"""One trial as it came back from the machine, ready to be stored and summarised.

Format history of the JSON:
  1  first version.
"""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict

from httpdyno.measurement import Measurement
from httpdyno.result import Reason, Status

CellKey = tuple[str, str, str]
"""Names of the arm, the load and the point."""


class _Value(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class ServerCost(_Value):
    """What the server's processes used in the measured window; memory at its end."""

    window_s: float
    """Between the two readings, which lie close around the engine's window."""
    cpu_user_s: float
    cpu_system_s: float
    rss_peak_bytes: int
    threads: int
    processes: int
    voluntary_switches: int
    involuntary_switches: int

    @property
    def cpu_s(self) -> float:
        """Processor seconds, user and system."""
        return self.cpu_user_s + self.cpu_system_s


class TrialOutcome(_Value):
    """What became of one trial: a measurement with its verdict, or the reason why there is none."""

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

    @property
    def cell(self) -> CellKey:
        """The cell that this trial measured."""
        return (self.arm, self.load, self.point)

    @property
    def usable(self) -> bool:
        """Whether its numbers may be shown: an invalid trial has no result."""
        return self.status != "invalid" and self.measurement is not None

    @property
    def cpu_s_per_request(self) -> float | None:
        """The server's processor seconds for each right reply of the window."""
        if self.measurement is None or self.server is None:
            return None
        # A reading may lie a little inside the window, or beyond it, in idle time.
        seen_s = min(self.server.window_s, self.measurement.window_s)
        replies = self.measurement.throughput_per_s * seen_s
        return self.server.cpu_s / replies if replies > 0 else None
