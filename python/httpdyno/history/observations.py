"""The numbers of stored runs: of which place each is, and the runs that have none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from httpdyno.metrics import Metric
from httpdyno.result import Estimate, Reason, Status


@dataclass(frozen=True)
class Place:
    """The subject of a series. Numbers of different places are never compared."""

    study: str
    arm: str
    load: str
    point: str
    metric: Metric
    machine: str
    """Key of the machine; empty when machines are not told apart."""
    definition: str
    """Digest of the load and the workload: an edited load begins a new series."""


@dataclass(frozen=True)
class Observation:
    """The number of one run."""

    place: Place
    run: int
    at: float
    """Start of the run, Unix time."""
    estimate: Estimate
    status: Status
    server: str
    load_words: str
    machine_words: str
    circumstances: Mapping[str, str]
    reasons: tuple[Reason, ...] = ()
    """The reasons to doubt it; empty if it is valid."""
    high_is_bound: bool = False
    """The upper end of the interval is at least so high: the number is a capacity."""

    @property
    def is_suspect(self) -> bool:
        """True for a number with a doubt. It counts like any other, and is marked everywhere."""
        return self.status != "valid"


@dataclass(frozen=True)
class Gap:
    """A run that measured a place and has no number for it."""

    place: Place
    run: int
    at: float
    server: str
    reason: str
    """The cause, in a clause; empty if none is recorded."""
