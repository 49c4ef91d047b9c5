"""One metric of one arm under one load over time, with its changes and what changed with them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from httpdyno.history.change_points import FEWEST, ChangePoint, change_points
from httpdyno.history.circumstances import Difference, differences
from httpdyno.history.metrics import Metric
from httpdyno.result import Estimate, Status


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


@dataclass(frozen=True)
class Change:
    """A change point with the runs on both sides of it, and what differs between these two."""

    point: ChangePoint
    before: Observation
    after: Observation
    differences: tuple[Difference, ...]
    servers_changed: int = 1
    """Servers that changed with the same run under the same load; this one is among them."""
    servers_measured: int = 1
    """Servers that the run measured under the same load."""

    @property
    def outcome(self) -> str:
        """`better` or `worse`, from the user's side."""
        more = self.point.after > self.point.before
        return "better" if more == self.after.place.metric.more_is_better else "worse"


@dataclass(frozen=True)
class Series:
    """The numbers of one place in the order of time."""

    place: Place
    observations: tuple[Observation, ...]
    changes: tuple[Change, ...] = field(default=())

    @property
    def latest(self) -> Observation:
        """The number of the newest run."""
        return self.observations[-1]

    @property
    def is_short(self) -> bool:
        """True if it has too few runs to find a change."""
        return len(self.observations) < FEWEST


def follow(observations: Iterable[Observation], *, margin: float = 0.0) -> list[Series]:
    """The series of these numbers with their changes, in the order in which their places appear.

    Changes of up to `margin` (0.03: 3 %) are left out.
    """
    places: dict[Place, list[Observation]] = {}
    for one in observations:
        places.setdefault(one.place, []).append(one)
    found = [_series(place, rows, margin) for place, rows in places.items()]
    return [_with_others(one, found) for one in found]


def _series(place: Place, rows: Sequence[Observation], margin: float) -> Series:
    ordered = sorted(rows, key=lambda one: (one.at, one.run))
    points = change_points([one.estimate.value for one in ordered], margin=margin)
    changes = [_change(point, ordered) for point in points]
    return Series(place, tuple(ordered), tuple(changes))


def _change(point: ChangePoint, ordered: Sequence[Observation]) -> Change:
    before, after = ordered[point.index - 1], ordered[point.index]
    return Change(point, before, after, differences(before.circumstances, after.circumstances))


def _with_others(one: Series, every: Sequence[Series]) -> Series:
    """The series with the number of servers that changed with the same run: see `Change`."""
    changes = []
    for change in one.changes:
        alike = [other for other in every if _alike(one.place, other.place)]
        run = change.after.run
        changed = {
            moved.after.server
            for other in alike
            for moved in other.changes
            if moved.after.run == run and moved.outcome == change.outcome
        }
        measured = {row.server for other in alike for row in other.observations if row.run == run}
        changes.append(
            Change(
                change.point,
                change.before,
                change.after,
                change.differences,
                len(changed),
                len(measured),
            )
        )
    return Series(one.place, one.observations, tuple(changes))


def _alike(one: Place, other: Place) -> bool:
    """True for the same metric under the same load on the same machine, of any arm."""
    return (one.study, one.load, one.point, one.metric, one.machine, one.definition) == (
        other.study,
        other.load,
        other.point,
        other.metric,
        other.machine,
        other.definition,
    )
