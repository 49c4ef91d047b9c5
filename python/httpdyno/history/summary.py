"""The claims of a whole history: which change is its headline, and what else it shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from httpdyno.history.claims import Change, DisjointRuns, NoChangeShown, TooFew
from httpdyno.history.observations import Gap
from httpdyno.history.series import Series

SeriesChange = tuple[Series, Change]


@dataclass(frozen=True)
class Summary:
    """The claims about these series, from which every answer and title is written."""

    series: tuple[Series, ...]
    margin: float

    @property
    def runs(self) -> list[tuple[float, int]]:
        """Time and number of each run, in the order of time."""
        numbers = {(one.at, one.run) for each in self.series for one in each.observations}
        return sorted(numbers | {(gap.at, gap.run) for each in self.series for gap in each.gaps})

    @property
    def judged(self) -> list[Series]:
        """The series that have enough runs."""
        return [one for one in self.series if not one.is_short]

    @property
    def longest(self) -> int:
        """Runs of the longest series."""
        return max(len(one.observations) for one in self.series)

    @property
    def changes(self) -> list[SeriesChange]:
        """The changes that matter, the newest first; of one run, worse ones and large ones."""
        found = [(one, change) for one in self.series for change in one.changes]
        matter = [each for each in found if each[1].outcome != "small"]
        return sorted(matter, key=_rank)

    @property
    def small(self) -> int:
        """The number of changes up to the margin."""
        return sum(change.outcome == "small" for one in self.series for change in one.changes)

    @property
    def suspect(self) -> int:
        """The number of suspect numbers."""
        return sum(row.is_suspect for one in self.series for row in one.observations)

    @property
    def hidden(self) -> int:
        """The changes of more than the margin that show only without the suspect numbers."""
        return sum(len(one.hidden) for one in self.series)

    @property
    def would_show(self) -> float | None:
        """The factor of a step that would probably have shown in every series without a change;
        None if a series has no such factor, and without such series."""
        quiet = [one.verdict for one in self.series if isinstance(one.verdict, NoChangeShown)]
        factors = [verdict.factor for verdict in quiet if verdict.factor is not None]
        return max(factors) if factors and len(factors) == len(quiet) else None

    @property
    def newest_gaps(self) -> list[Gap]:
        """The series for which the newest run of all has no result, as their gaps in it."""
        newest = self.runs[-1][1]
        gaps = [one.newest_gap for one in self.series]
        return [gap for gap in gaps if gap is not None and gap.run == newest]

    @property
    def newest_suspect(self) -> int:
        """The series whose newest number is suspect."""
        return sum(one.latest.is_suspect and not one.newest_gap for one in self.series)

    @property
    def powered(self) -> int:
        """The series in which a lasting change of just over the margin would probably have shown,
        or has shown."""
        quiet = [one.verdict for one in self.judged if isinstance(one.verdict, NoChangeShown)]
        blind = sum(one.factor is None or one.factor > 1 + self.margin for one in quiet)
        return len(self.judged) - blind

    @property
    def apart(self) -> DisjointRuns | None:
        """Two runs of a short series that differ; the first such series."""
        short = (one.verdict for one in self.series if isinstance(one.verdict, TooFew))
        return next((verdict.newest for verdict in short if verdict.newest is not None), None)


def summary(series: Sequence[Series]) -> Summary:
    """The claims about at least one series."""
    return Summary(tuple(series), series[0].margin)


def _rank(found: SeriesChange) -> tuple[float, bool, float]:
    change = found[1]
    return -change.after.at, change.outcome == "better", -change.size
