"""The claims about series: the one place that decides if a number changed, when, and if it matters.

All series of a history are judged together, so that of twenty histories without any change, at most
one claims one. The series of an arm (on one machine) are numbers of one thing, and a change of it
shows in several. So arms are judged by Holm's procedure, each by the chance of all its series
together (R. J. Simes, "An improved Bonferroni procedure for multiple tests of significance",
Biometrika 73, 1986). In an arm that changed, the series are judged by Benjamini and Hochberg's
procedure, which finds one exactly where Simes's test does.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, NamedTuple

from httpdyno.history.circumstances import SERVER, Difference, differences
from httpdyno.history.observations import Observation, Place
from httpdyno.history.steps import (
    FEWEST,
    ORDERED_FROM,
    ChangePoint,
    ScaledSeries,
    Scan,
    change_points,
    detectable,
    points_at,
    scan,
)
from httpdyno.statistics.claims.holm import ALPHA, holm
from httpdyno.statistics.student import LEVEL, critical

MARGIN = 0.05
"""Default of the smallest change that matters: 5 %."""

Outcome = Literal["better", "worse", "small"]
"""Direction of a change from the user's side; `small`: it is not larger than the margin."""


class Others(NamedTuple):
    """The other servers that a run measured under the same load, by the same metric."""

    alike: int = 0
    """They changed with the same run, in the same direction."""
    opposite: int = 0
    """They changed with the same run, in the other direction."""
    steady: int = 0
    """They showed no change, and one as large would probably have shown."""
    unclear: int = 0


_ALONE = Others()


@dataclass(frozen=True)
class Change:
    """A lasting step, the runs on both sides of it, and what differs between these two."""

    point: ChangePoint
    before: Observation
    after: Observation
    differences: tuple[Difference, ...]
    outcome: Outcome
    suspect: tuple[Observation, ...]
    """The suspect runs that it rests on: those of the parts that it divides."""
    runs: int
    """Runs in these parts."""
    by_order: bool
    """True if the order of the runs alone shows it; fewer than 8 runs cannot. Then it takes them as
    roughly normal, and not as jumping between two levels."""
    others: Others = _ALONE

    @property
    def size(self) -> float:
        """Relative size, whatever the direction."""
        return abs(self.point.change)


@dataclass(frozen=True)
class Evidence:
    """The evidence of a decision."""

    p: float
    """The chance of so clear a step without a change, adjusted for all series of the history: a
    change is claimed at 0.05 or less."""
    together_with: int
    """The series that were judged together; this one is among them."""
    level: float
    """The confidence at which this series was decided."""


@dataclass(frozen=True)
class ChangesShown:
    """The number changed, once or more often."""

    changes: tuple[Change, ...]
    factors: tuple[float | None, ...]
    """Of each part between the changes, the smallest further step that would probably have shown;
    None for a part that is too short."""
    judged: Evidence


@dataclass(frozen=True)
class NoChangeShown:
    """No change is shown; one of `factor` would probably have shown."""

    factor: float | None
    """The smallest step that is found in 4 of 5 such series: a rise to 1.2× or a fall to 1 ÷ 1.2.
    None for a series that reaches 0."""
    judged: Evidence


class DisjointRuns(NamedTuple):
    """Two runs, one after the other, whose intervals do not overlap: they differ. If the number
    changed or runs always lie so far apart, they cannot tell."""

    before: Observation
    after: Observation


@dataclass(frozen=True)
class TooFew:
    """There are too few runs to tell a change from the usual spread between runs."""

    newest: DisjointRuns | None = None


@dataclass(frozen=True)
class SingleRun:
    """There is no run to compare with."""


Verdict = ChangesShown | NoChangeShown | TooFew | SingleRun


def verdicts(places: Mapping[Place, Sequence[Observation]], margin: float) -> dict[Place, Verdict]:
    """The verdict on each place, from its numbers in the order of time. Changes of up to `margin`
    are claimed too; their outcome is `small`."""
    scaled = {place: _scale(rows) for place, rows in places.items() if len(rows) >= FEWEST}
    scans = {place: scan(one, len(scaled)) for place, one in scaled.items()}
    found: dict[Place, Verdict] = {}
    for place, judged in _judge(scans).items():
        if judged.p <= ALPHA:
            rows = places[place]
            points = _points(rows, scaled[place], scans[place])
            changes = tuple(_changes(points, rows, margin))
            found[place] = ChangesShown(changes, _factors(scaled[place], points, judged), judged)
        else:
            found[place] = NoChangeShown(detectable(scaled[place], judged.level), judged)
    return {place: found.get(place) or _short(rows) for place, rows in places.items()}


def _judge(scans: Mapping[Place, Scan]) -> dict[Place, Evidence]:
    """The decision on each series: by Holm among arms, by Benjamini and Hochberg within one."""
    arms: dict[tuple[str, str, str], list[Place]] = {}
    for place in scans:
        arms.setdefault((place.study, place.arm, place.machine), []).append(place)
    within = [_stepped_up([scans[place].p for place in places]) for places in arms.values()]
    found: dict[Place, Evidence] = {}
    for places, adjusted, arm in zip(
        arms.values(), within, holm(list(map(min, within))), strict=True
    ):
        left = round(ALPHA / (1 - arm.level))
        for place, p in zip(places, adjusted, strict=True):
            level = 1 - ALPHA / left / len(places)
            found[place] = Evidence(max(arm.adjusted, min(1.0, left * p)), len(scans), level)
    return found


def _stepped_up(p_values: Sequence[float]) -> list[float]:
    """The p-values adjusted by Benjamini and Hochberg; the least of them is that of Simes."""
    ranked = sorted(range(len(p_values)), key=lambda at: p_values[at], reverse=True)
    found, least = [1.0] * len(p_values), 1.0
    for above, at in enumerate(ranked):
        least = min(least, p_values[at] * len(p_values) / (len(p_values) - above))
        found[at] = least
    return found


def _short(rows: Sequence[Observation]) -> TooFew | SingleRun:
    if len(rows) < 2:
        return SingleRun()
    before, after = rows[-2:]
    return TooFew(DisjointRuns(before, after) if _apart(before, after) else None)


def _apart(one: Observation, other: Observation) -> bool:
    ends = (one.estimate.low, one.estimate.high, other.estimate.low, other.estimate.high)
    if None in ends:
        return False
    low, high, other_low, other_high = (float(end) for end in ends if end is not None)
    below = high < other_low and not one.high_is_bound
    return below or (other_high < low and not other.high_is_bound)


def _scale(rows: Sequence[Observation]) -> ScaledSeries:
    """The numbers as the test of steps takes them."""
    values = [one.estimate.value for one in rows]
    logarithmic = min(values) > 0
    own = [_own_variance(one, logarithmic=logarithmic) for one in rows]
    versions = [one.circumstances.get(SERVER, "") for one in rows]
    known = tuple(at for at in range(1, len(rows)) if versions[at] != versions[at - 1])
    return ScaledSeries(
        list(map(math.log, values)) if logarithmic else values, own, logarithmic, known
    )


def _own_variance(one: Observation, *, logarithmic: bool) -> float:
    """The variance of a number by its own interval; 0 without one."""
    value, low, high = one.estimate.value, one.estimate.low, one.estimate.high
    if low is None or high is None or one.estimate.trials < 2:
        return 0.0
    half = (high - low) / 2
    if logarithmic:
        half = math.log(high / low) / 2 if low > 0 else math.log(max(high, value) / value)
    found = (half / critical(LEVEL, one.estimate.trials - 1)) ** 2
    return found if math.isfinite(found) else 0.0


def _points(rows: Sequence[Observation], series: ScaledSeries, clearest: Scan) -> list[ChangePoint]:
    """Where a series that changed did so: at all places that the search finds, or else at the
    clearest one."""
    values = [one.estimate.value for one in rows]
    searched = [one.index for one in change_points(values, within=series.within)]
    found = _change_points(values, searched, series.within)
    if any(map(_is_clear, found)):
        return found
    return _change_points(values, clearest.cuts, series.within)


def _change_points(
    values: Sequence[float], cuts: Sequence[int], within: Sequence[float]
) -> list[ChangePoint]:
    """The change points at these places. One whose interval has no change in it is not claimed
    beside another: then the runs on both sides of it are one part."""
    while True:
        found = points_at(values, cuts, within)
        unclear = [one for one in found if not _is_clear(one)]
        if not unclear or len(found) == 1:
            return found
        weakest = max(unclear, key=lambda one: one.p)
        cuts = [cut for cut in cuts if cut != weakest.index]


def _factors(
    series: ScaledSeries, points: Sequence[ChangePoint], judged: Evidence
) -> tuple[float | None, ...]:
    edges = pairwise([0, *(point.index for point in points), len(series.values)])
    parts = (
        ScaledSeries(series.values[start:end], series.within[start:end], series.logarithmic)
        for start, end in edges
    )
    return tuple(
        detectable(part, judged.level) if len(part.values) >= FEWEST else None for part in parts
    )


def _is_clear(point: ChangePoint) -> bool:
    return point.interval is None or not point.interval[0] <= 0 <= point.interval[1]


def _changes(
    points: Sequence[ChangePoint], rows: Sequence[Observation], margin: float
) -> Iterator[Change]:
    edges = [0, *(point.index for point in points), len(rows)]
    for at, point in enumerate(points):
        before, after = rows[point.index - 1], rows[point.index]
        parts = rows[edges[at] : edges[at + 2]]
        yield Change(
            point=point,
            before=before,
            after=after,
            differences=differences(before.circumstances, after.circumstances),
            outcome=_outcome(point, after.place, margin),
            suspect=tuple(one for one in parts if one.is_suspect),
            runs=len(parts),
            by_order=len(rows) >= ORDERED_FROM,
        )


def _outcome(point: ChangePoint, place: Place, margin: float) -> Outcome:
    if abs(point.change) <= margin:
        return "small"
    return "better" if (point.change > 0) == place.metric.more_is_better else "worse"
