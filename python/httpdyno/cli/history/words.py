"""The sentences of `httpdyno history` that only a terminal has."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from httpdyno.history import FEWEST, Gap, Observation, Series
from httpdyno.units import counted

__all__ = ["estimate_words", "latest_words", "left_out"]

_MOST_NAMED = 5


def left_out(series: Sequence[Series], suspect: int, without: Sequence[Gap]) -> Iterator[str]:
    """The numbers that the history does not show or marks, and how to see or leave them out."""
    short = [one for one in series if one.is_short]
    if short and len(short) < len(series):
        yield f"{len(short):,} series with fewer than {FEWEST} runs: too short for changes."
    marked = sum(row.is_suspect for one in series for row in one.observations)
    if marked:
        yield f"{counted(marked, 'suspect number')} used; `--points` shows the reasons."
    if suspect:
        yield f"{counted(suspect, 'suspect number')} left out by `--valid-only`."
    for gap in without[:_MOST_NAMED]:
        where = f"{gap.place.arm} · {gap.place.load} · {gap.place.point}"
        yield f"{where}: no result in any run; run {gap.run}: {gap.reason or 'invalid'}."
    if len(without) > _MOST_NAMED:
        yield f"{len(without) - _MOST_NAMED:,} more load points have no result in any run."
    machines = {one.place.machine for one in series}
    if len(machines) > 1:
        yield (
            f"{len(machines)} machines, each with its own series;"
            " `--all-machines` puts them into one."
        )


def latest_words(series: Series) -> str:
    """The number of the newest run, or that it has none."""
    gap = series.newest_gap
    return estimate_words(series.latest) if gap is None else f"none in run {gap.run} (invalid)"


def estimate_words(one: Observation) -> str:
    """`41,200/s (40,900/s to 41,400/s)`, with a mark if it is suspect."""
    words, estimate = one.place.metric.words, one.estimate
    doubt = ", suspect" if one.is_suspect else ""
    if estimate.low is None or estimate.high is None:
        return f"{words(estimate.value)} (no interval{doubt})"
    least = "at least " if one.high_is_bound else ""
    interval = f"{words(estimate.low)} to {least}{words(estimate.high)}"
    return f"{words(estimate.value)} ({interval}{doubt})"
