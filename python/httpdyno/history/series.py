"""One metric of one arm under one load over time, with the verdict on it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from httpdyno.history.claims import (
    MARGIN,
    Change,
    ChangesShown,
    NoChangeShown,
    Others,
    SingleRun,
    TooFew,
    Verdict,
    verdicts,
)
from httpdyno.history.observations import Gap, Observation, Place
from httpdyno.history.steps import LEAST, level


@dataclass(frozen=True)
class Series:
    """The numbers of one place in the order of time."""

    place: Place
    observations: tuple[Observation, ...]
    verdict: Verdict
    gaps: tuple[Gap, ...] = ()
    """The runs that have no number of this place."""
    margin: float = MARGIN
    hidden: tuple[Change, ...] = ()
    """The changes of more than the margin that show only without the suspect numbers."""

    @property
    def latest(self) -> Observation:
        """The newest number."""
        return self.observations[-1]

    @property
    def newest_gap(self) -> Gap | None:
        """The newest run, if it has no number."""
        newest = max(self.gaps, key=lambda one: (one.at, one.run), default=None)
        latest = (self.latest.at, self.latest.run)
        return newest if newest is not None and (newest.at, newest.run) > latest else None

    @property
    def changes(self) -> tuple[Change, ...]:
        """All changes, also those up to the margin."""
        return self.verdict.changes if isinstance(self.verdict, ChangesShown) else ()

    @property
    def parts(self) -> list[tuple[Sequence[Observation], float]]:
        """The runs between two changes, with their level: the number that these changes state."""
        edges = [0, *(change.point.index for change in self.changes), len(self.observations)]
        runs = [self.observations[start:end] for start, end in pairwise(edges)]
        if not self.changes:
            return [(runs[0], level([one.estimate.value for one in runs[0]]))]
        levels = [self.changes[0].point.before, *(one.point.after for one in self.changes)]
        return list(zip(runs, levels, strict=True))

    @property
    def is_short(self) -> bool:
        """True if it has too few runs to find a change."""
        return isinstance(self.verdict, TooFew | SingleRun)


def follow(
    observations: Iterable[Observation], gaps: Iterable[Gap] = (), *, margin: float = MARGIN
) -> list[Series]:
    """The series of these numbers, judged together, in the order in which their places appear.

    Changes of up to `margin` (0.03: 3 %) are `small`. A place that has only gaps has no series.
    """
    places: dict[Place, list[Observation]] = defaultdict(list)
    for one in observations:
        places[one.place].append(one)
    missing: dict[Place, list[Gap]] = defaultdict(list)
    for gap in gaps:
        missing[gap.place].append(gap)
    ordered = {
        place: sorted(rows, key=lambda one: (one.at, one.run)) for place, rows in places.items()
    }
    found = [
        Series(place, tuple(ordered[place]), verdict, tuple(missing[place]), margin)
        for place, verdict in verdicts(ordered, margin).items()
    ]
    hidden = _hidden_changes(ordered, found, margin)
    return [replace(_with_others(one, found), hidden=hidden.get(one.place, ())) for one in found]


def _hidden_changes(
    places: Mapping[Place, Sequence[Observation]], every: Sequence[Series], margin: float
) -> dict[Place, tuple[Change, ...]]:
    """The changes that suspect numbers hide in series that show none of more than the margin."""
    quiet = {
        one.place
        for one in every
        if any(row.is_suspect for row in one.observations)
        and all(change.outcome == "small" for change in one.changes)
    }
    if not quiet:
        return {}
    valid = {place: [row for row in rows if not row.is_suspect] for place, rows in places.items()}
    judged = verdicts({place: rows for place, rows in valid.items() if rows}, margin)
    return {
        place: tuple(change for change in verdict.changes if change.outcome != "small")
        for place, verdict in judged.items()
        if place in quiet and isinstance(verdict, ChangesShown)
    }


def _with_others(one: Series, every: Sequence[Series]) -> Series:
    """The series, each of its changes with what the other servers of the run did."""
    if not isinstance(one.verdict, ChangesShown):
        return one
    beside = [other for other in every if _is_beside(one, other)]
    changes = [replace(change, others=_others(change, beside)) for change in one.changes]
    return replace(one, verdict=replace(one.verdict, changes=tuple(changes)))


def _others(change: Change, beside: Sequence[Series]) -> Others:
    """A server with several arms counts once; as unclear if they differ."""
    seen: dict[str, set[str]] = defaultdict(set)
    for other in beside:
        if any(row.run == change.after.run for row in other.observations):
            seen[other.latest.server].add(_response(change, other))
    counted = [states.pop() if len(states) == 1 else "unclear" for states in seen.values()]
    return Others(*(counted.count(state) for state in Others._fields))


def _response(change: Change, other: Series) -> str:
    """The field of `Others` to which a series belongs."""
    with_it = [one for one in other.changes if one.after.run == change.after.run]
    if with_it:
        return "alike" if _rises(with_it[0]) == _rises(change) else "opposite"
    factor, ratio = _would_show_at(change.after.run, other), 1 + change.point.change
    if factor is None or ratio <= 0:
        return "unclear"
    return "steady" if factor <= max(ratio, 1 / ratio) else "unclear"


def _would_show_at(run: int, series: Series) -> float | None:
    """The smallest step with this run that a series without one would probably have shown."""
    verdict = series.verdict
    if isinstance(verdict, TooFew | SingleRun):
        return None
    factors = (verdict.factor,) if isinstance(verdict, NoChangeShown) else verdict.factors
    edges = [0, *(change.point.index for change in series.changes), len(series.observations)]
    at = next(place for place, one in enumerate(series.observations) if one.run == run)
    for factor, (start, end) in zip(factors, pairwise(edges), strict=True):
        if start + LEAST <= at <= end - LEAST:
            return factor
    return None


def _rises(change: Change) -> bool:
    return change.point.change > 0


def _is_beside(one: Series, other: Series) -> bool:
    """True for the same metric under the same load on the same machine, of another server."""
    here, there = one.place, other.place
    return one.latest.server != other.latest.server and here == replace(there, arm=here.arm)
