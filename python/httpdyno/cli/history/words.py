"""The sentences of `httpdyno history`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta

from httpdyno.history import FEWEST, Change, ChangePoint, Observation, Series
from httpdyno.units import significant, times

__all__ = ["answer", "causes", "change_words", "date", "estimate_words", "left_out", "likely"]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def answer(series: Sequence[Series]) -> str:
    """The changes, in one or two sentences."""
    runs = sorted({(one.at, one.run) for each in series for one in each.observations})
    span = f"{_count(len(runs), 'run')}, {date(runs[0][0])} to {date(runs[-1][0])}"
    long_enough = [one for one in series if not one.is_short]
    if not long_enough:
        most = max(len(one.observations) for one in series)
        return (
            f"The history is too short to find changes: the longest series has"
            f" {_count(most, 'run')}, expected {FEWEST} or more ({span})."
        )
    changes = [(one, change) for one in long_enough for change in one.changes]
    among = f"{_count(len(long_enough), 'series')} over {span}"
    if not changes:
        return f"No change in {among}."
    one, latest = max(changes, key=lambda found: found[1].after.at)
    what = (
        f"{one.place.arm}, {one.place.load} · {one.place.point}: {change_words(one, latest)}"
        f" from {date(latest.after.at)} on. {likely(latest)}"
    )
    at = len({(found.before.run, found.after.run) for _, found in changes})
    counted = f"{_count(len(changes), 'change')} at {_count(at, 'run')}"
    return f"{counted}, in {among}. The latest is {what}"


def change_words(series: Series, change: Change) -> str:
    """`requests per second 8.3 % lower (95 % CI 8.0 to 8.6 %; 41,200/s → 37,800/s), worse`."""
    metric, point = series.place.metric, change.point
    before, after = metric.words(point.before), metric.words(point.after)
    means = f"{_interval(point)}{before} → {after}"
    return f"{metric.title} {_relative(point.change)} ({means}), {change.outcome}"


def likely(change: Change) -> str:
    """The probable cause of a change, as far as it is recorded."""
    kinds = {one.kind for one in change.differences}
    several = change.servers_measured > 1
    if several and change.servers_changed == change.servers_measured:
        told = f"All {change.servers_measured} servers of this run changed alike"
        return f"{told}: the machine is the likelier cause{_what_else(kinds)}."
    alone = "; the other servers of this run did not change with it" if several else ""
    if kinds == {"server"}:
        return f"The server's version changed, nothing else that is recorded{alone}."
    if not kinds:
        return f"Nothing that is recorded changed with it{alone}."
    named = ", ".join(sorted(_OF[kind] for kind in kinds))
    return f"Changed with it: {named}{alone}."


_OF = {"server": "the server's version", "httpdyno": "httpdyno", "machine": "the machine"}


def _what_else(kinds: set[str]) -> str:
    if "machine" in kinds:
        return ", and facts about it changed"
    if "httpdyno" in kinds:
        return ", or httpdyno, whose version changed"
    return ", although nothing that is recorded about it changed"


def causes(change: Change) -> Iterator[str]:
    """One line for each circumstance that differs: `kernel: Linux 6.1 → Linux 6.6`."""
    for one in change.differences:
        before, after = one.before or "not recorded", one.after or "not recorded"
        yield f"{one.what}: {before} → {after}"


def left_out(series: Sequence[Series], suspect: int) -> Iterator[str]:
    """The numbers that the history does not show, and how to see them."""
    short = [one for one in series if one.is_short]
    if short and len(short) < len(series):
        yield f"{len(short):,} series with fewer than {FEWEST} runs: too short for changes."
    if suspect:
        yield (f"{_count(suspect, 'suspect number')} left out; `--suspect` uses them too.")
    machines = {one.place.machine for one in series}
    if len(machines) > 1:
        yield (
            f"{len(machines)} machines, each with its own series;"
            " `--all-machines` puts them into one."
        )


def estimate_words(one: Observation) -> str:
    """`41,200/s (40,900/s to 41,400/s)`, with a mark if it is suspect."""
    words, estimate = one.place.metric.words, one.estimate
    doubt = ", suspect" if one.status == "suspect" else ""
    if estimate.low is None or estimate.high is None:
        return f"{words(estimate.value)} (no interval{doubt})"
    interval = f"{words(estimate.low)} to {words(estimate.high)}"
    return f"{words(estimate.value)} ({interval}{doubt})"


def date(unix_s: float) -> str:
    """Date, UTC: `2026-11-21`."""
    try:
        return (_EPOCH + timedelta(seconds=unix_s)).strftime("%Y-%m-%d")
    except (OverflowError, ValueError):
        return "unknown date"


def _interval(point: ChangePoint) -> str:
    """The 95 % interval of a change, in the words of the change itself."""
    if point.interval is None:
        return ""
    low, high = point.interval
    if not -0.9 < point.change < 1:
        return f"95 % CI {times(low + 1)} to {times(high + 1)}; "
    sign = 1 if point.change > 0 else -1
    ends = [significant(end * 100 * sign, 2) for end in sorted((low, high), key=abs)]
    return f"95 % CI {ends[0]} to {ends[1]} %; "


def _relative(change: float) -> str:
    """`8.3 % lower`; `3.5× as high` for a large change."""
    if not -0.9 < change < 1:
        return f"{times(change + 1)} as high"
    return f"{significant(abs(change) * 100, 2)} % {'higher' if change > 0 else 'lower'}"


def _count(number: int, noun: str) -> str:
    plural = noun if number == 1 or noun == "series" else f"{noun}s"
    return f"{number:,} {plural}"
