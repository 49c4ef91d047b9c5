"""The numbers of each endpoint, of a workload that has several."""

from __future__ import annotations

from httpdyno.result.estimate import Estimate
from httpdyno.value import Value


class EndpointStepTrial(Value):
    """One endpoint in a step of the rate of one trial. Rates a second, times in seconds."""

    begins_s: float
    """From the start of the window; negative: in the warm-up."""
    ends_s: float | None
    """None: without end."""
    from_per_s: float
    to_per_s: float
    """The rates of all endpoints together at its begin and at its end."""
    calls: int
    """Those that ended in its whole seconds."""
    throughput_per_s: float | None
    """None: it has no whole second."""
    p50_s: float | None
    p99_s: float | None
    error_share: float
    body_bytes: int


class EndpointTrial(Value):
    """One endpoint in one trial. Rates a second, times in seconds."""

    name: str
    calls: int
    """Those that ended or were given up, which `error_share` is a share of."""
    throughput_per_s: float
    p50_s: float | None
    p99_s: float | None
    """None: no call of it has a response time."""
    error_share: float
    body_bytes: int | None = None
    """Bytes of reply bodies in the window. None: not recorded."""
    steps: tuple[EndpointStepTrial, ...] = ()
    """Empty: the rate does not change."""


class EndpointRow(Value):
    """One endpoint in a cell: estimates over the trials, as those of the cell. They share the
    doubts about its numbers."""

    name: str
    throughput_per_s: Estimate | None
    p50_s: Estimate | None
    p99_s: Estimate | None
    error_share: Estimate | None
    spectrum: list[tuple[float, float]] = []
    """Percentile and seconds, of the trial that the spectrum of the cell is of. Empty: it has too
    few calls, or 20 others have more."""
