"""The claims of a history in words, for the terminal, charts and pages: nothing is decided here."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from httpdyno.dates import date
from httpdyno.history.claims import Change, DisjointRuns, NoChangeShown, Others, SingleRun, TooFew
from httpdyno.history.series import Series
from httpdyno.history.steps import FEWEST, ChangePoint
from httpdyno.history.summary import Summary, summary
from httpdyno.statistics.claims.changes import is_share
from httpdyno.units import counted, plain, significant, times

_MULTIPLE = "as high"
_HUGE = 10
"""A step by this factor or more is not worth a number."""


def answer(series: Sequence[Series]) -> str:
    """The changes that matter, or how large one would have shown; and doubts about the newest run,
    in a few sentences."""
    found = summary(series)
    if found.changes:
        text = _newest_change(found)
    elif found.judged:
        among = f"{len(found.judged):,} series over {_span(found)}"
        text = (
            f"No change{_beyond(found.margin)} is shown in {among}.{_small(found)}{_would(found)}"
        )
    else:
        text = (
            f"Too few runs to tell a change: the longest series has"
            f" {counted(found.longest, 'run')}, expected {FEWEST} or more ({_span(found)})."
        )
        text += f" {apart_words(found.apart)}" if found.apart else ""
    hidden = _hidden_note(found)
    if hidden:
        text += f" {hidden[0].upper()}{hidden[1:]}: `httpdyno history --valid-only`."
    return f"{text}{_newest_doubts(found)}"


def _newest_change(found: Summary) -> str:
    one, latest = found.changes[0]
    what = (
        f"{place_words(one)}: {change_words(one, latest)} from {_when(latest)} on. {likely(latest)}"
    )
    at = len({(change.before.run, change.after.run) for _, change in found.changes})
    counts = f"{counted(len(found.changes), 'change')}{_beyond(found.margin)} at"
    among = f"{len(found.judged):,} series over {_span(found)}"
    return f"{counts} {counted(at, 'run')}, in {among}. The latest is {what}{_small(found)}"


def _hidden_note(found: Summary) -> str:
    """The changes that suspect numbers hide; empty if they hide none."""
    if not found.hidden:
        return ""
    numbers = "suspect number" if found.suspect == 1 else f"{found.suspect:,} suspect numbers"
    show = "shows" if found.hidden == 1 else "show"
    return f"without the {numbers}, {counted(found.hidden, 'change')} {show}"


def _newest_doubts(found: Summary) -> str:
    text = ""
    if gaps := found.newest_gaps:
        cause = f" ({gaps[0].reason})" if gaps[0].reason else ""
        text += f" Run {gaps[0].run}, the newest, has no result in {len(gaps)} of"
        text += f" {len(found.series)} series{cause}."
    if found.newest_suspect:
        text += f" The newest number of {found.newest_suspect} of {len(found.series)} series is"
        text += " suspect."
    return text


def title(series: Sequence[Series], newest: str) -> str:
    """The title of a chart. `newest` is the newest change that matters, if there is one."""
    found = summary(series)
    if found.changes:
        more = f"; {len(found.changes)} changes in all" if len(found.changes) > 1 else ""
        return f"{newest}, {_when(found.changes[0][1])}{more}"
    if not found.judged:
        return f"{counted(found.longest, 'run')}: too few to tell a change, expected {FEWEST}"
    up_to = "up to " if len(found.judged) > 1 else ""
    runs = f"in {up_to}{counted(found.longest, 'run')}"
    count, would = len(found.judged), ""
    if count == 1 and found.would_show:
        would = f"; {_both(found.would_show)} would probably have shown"
    elif count > 1 and found.margin:
        where = "each series" if found.powered == count else f"{found.powered} of {count} series"
        would = f"; one would probably have shown in {where}"
    small = f"; {counted(found.small, 'smaller one')}" if found.small else ""
    hidden = f"; {_hidden_note(found)}" if found.hidden else ""
    return f"No change{_beyond(found.margin)} shown {runs}{small}{hidden or would}"


def verdict_words(series: Series) -> str:
    """The verdict on a series in a few words, for a cell of a table."""
    return "; ".join(filter(None, (_verdict(series), hidden_words(series))))


def hidden_words(series: Series) -> str:
    """`without the suspect number, 1 change shows`; empty if its suspect numbers hide none."""
    return _hidden_note(summary([series]))


def _verdict(series: Series) -> str:
    verdict = series.verdict
    if isinstance(verdict, SingleRun):
        return "one run only"
    if isinstance(verdict, TooFew):
        return "too few runs"
    if isinstance(verdict, NoChangeShown):
        return "none shown"
    small = sum(change.outcome == "small" for change in series.changes)
    large = [str(len(series.changes) - small)] if small < len(series.changes) else []
    return " and ".join([*large, *([f"{small} small"] if small else [])])


def would_show(series: Series) -> str:
    """The smallest change for the worse that would probably have shown; empty if none is known."""
    verdict = series.verdict
    if not isinstance(verdict, NoChangeShown) or verdict.factor is None:
        return ""
    if verdict.factor > _HUGE:
        return f"only over {_HUGE}×"
    if series.place.metric.more_is_better:
        return f"a fall {_fall(verdict.factor)}"
    return f"a rise {_rise(verdict.factor)}"


def place_words(series: Series) -> str:
    """`nginx/1-worker, full · 10 connections`."""
    return f"{series.place.arm}, {series.place.load} · {series.place.point}"


def change_words(series: Series, change: Change) -> str:
    """`requests per second 8.3 % lower (95 % CI 8.0 to 8.6 %; 41,200/s → 37,800/s), worse`."""
    metric, point = series.place.metric, change.point
    before, after = metric.words(point.before), metric.words(point.after)
    means = f"{_interval(point)}{before} → {after}"
    outcome = outcome_words(series, change)
    return f"{metric.title} {relative(point.change)} ({means}), {outcome}"


def outcome_words(series: Series, change: Change) -> str:
    """`worse`, `better`, or `within the margin of 5 %`."""
    if change.outcome == "small":
        return f"within the margin of {_percent(series.margin)}"
    return change.outcome


def grounds(series: Series, change: Change) -> Iterator[str]:
    """The weak points of a change: suspect runs, and too few to show it by their order alone."""
    if change.suspect:
        newest = change.suspect[-1]
        cause = f": {newest.reasons[0].clause}" if newest.reasons else ""
        are = "is" if len(change.suspect) == 1 else "are"
        yield (
            f"{len(change.suspect)} of the {change.runs} runs that it rests on {are} suspect"
            f" (run {newest.run}{cause})."
        )
    if not change.by_order:
        yield (
            f"It rests on {counted(len(series.observations), 'run')}: few enough for runs that jump"
            " between two levels to look the same."
        )


def likely(change: Change) -> str:
    """The probable cause of a change, as far as it is recorded."""
    kinds = {one.kind for one in change.differences}
    others = change.others
    if others.alike and others.alike == sum(others):
        fact = f"All {others.alike + 1} servers of this run changed alike"
        return f"{fact}: the machine is the likelier cause{_what_else(kinds)}."
    beside = _beside(others)
    if kinds == {"server"}:
        return f"The server's version changed, nothing else that is recorded{beside}."
    if not kinds:
        return f"Nothing that is recorded changed with it{beside}."
    named = ", ".join(sorted(_OF[kind] for kind in kinds))
    return f"Changed with it: {named}{beside}."


def causes(change: Change) -> Iterator[str]:
    """One line for each circumstance that differs: `kernel: Linux 6.1 → Linux 6.6`."""
    for one in change.differences:
        before, after = one.before or "not recorded", one.after or "not recorded"
        yield f"{one.what}: {before} → {after}"


def apart_words(apart: DisjointRuns) -> str:
    """Two runs that differ, although they are too few to say if the number changed."""
    before, after = apart
    than = f"higher than that of run {before.run}, which is 0"
    if before.estimate.value:
        change = relative(after.estimate.value / before.estimate.value - 1)
        than = f"{change} {'as' if change.endswith(_MULTIPLE) else 'than'} that of run {before.run}"
    return (
        f"{after.place.arm}, {after.place.load} · {after.place.point}: the"
        f" {after.place.metric.title} of run {after.run} is {than}, and their intervals do not"
        " overlap. Two runs cannot tell a change from the usual spread between runs."
    )


def gap_words(series: Series) -> str:
    """The newest run of a series that has no number of it; empty if it has one."""
    gap = series.newest_gap
    if gap is None:
        return ""
    return f"no result in run {gap.run}{f': {gap.reason}' if gap.reason else ''}"


def relative(change: float) -> str:
    """`8.3 % lower`; `3.50× as high` for a large change; `up from 0`."""
    if math.isinf(change):
        return "up from 0"
    if not is_share(change + 1):
        return f"{times(change + 1)} {_MULTIPLE}"
    return f"{significant(abs(change) * 100, 2)} % {'higher' if change > 0 else 'lower'}"


_OF = {
    "server": "the server's version",
    "start": "the start of the server",
    "httpdyno": "httpdyno",
    "machine": "the machine",
}


def _what_else(kinds: set[str]) -> str:
    if "machine" in kinds:
        return ", and facts about it changed"
    if "httpdyno" in kinds:
        return ", or httpdyno, whose version changed"
    return ", although nothing that is recorded about it changed"


def _beside(others: Others) -> str:
    """The other servers of the run, at the end of a sentence."""
    count = sum(others)
    if not count:
        return ""
    parts = (
        (others.alike, "changed alike"),
        (others.opposite, "changed the other way"),
        (others.steady, "did not change with it"),
        (others.unclear, "may or may not have changed with it"),
    )
    known = [(number, what) for number, what in parts if number]
    if len(known) == 1:
        return f"; the other server{'' if count == 1 else 's'} of this run {known[0][1]}"
    of_each = ", ".join(f"{number} {what}" for number, what in known)
    return f"; of the {count} other servers of this run, {of_each}"


def _span(found: Summary) -> str:
    runs = found.runs
    first, last = (date(at) for at, _ in (runs[0], runs[-1]))
    return (
        f"{counted(len(runs), 'run')}{f', {first} to {last}' if first != last else f' on {last}'}"
    )


def _when(change: Change) -> str:
    """`run 7 (2026-11-21)`: the first run of a change."""
    return f"run {change.after.run} ({date(change.after.at)})"


def _beyond(margin: float) -> str:
    return f" of more than {_percent(margin)}" if margin else ""


def _small(found: Summary) -> str:
    if not found.small:
        return ""
    are = "is" if found.small == 1 else "are"
    return f" {counted(found.small, 'smaller change')} {are} shown."


def _would(found: Summary) -> str:
    """The power of a history without a change that matters."""
    count = len(found.judged)
    if count > 1 and found.margin:
        return _of_the_margin(found.powered, count)
    if found.would_show is None:
        return ""
    where = "In each series" if count > 1 else "In it"
    return f" {where}, {_both(found.would_show)} would probably have shown; a smaller one may not."


def _of_the_margin(powered: int, count: int) -> str:
    if powered == count:
        return " One would probably have shown in each of them."
    if not powered:
        return " Their runs are too few, or too far apart, to show one of that size in any of them."
    return f" One would probably have shown in {powered} of them; in the others, only a larger one."


def _both(factor: float) -> str:
    if factor > _HUGE:
        return f"only a lasting step of more than {_HUGE}×"
    return f"a lasting rise {_rise(factor)} or fall {_fall(factor)}"


def _rise(factor: float) -> str:
    return f"of {_ceiling(factor - 1)} %" if factor < 2 else f"to {times(factor)}"


def _fall(factor: float) -> str:
    return f"of {_ceiling(1 - 1 / factor)} %" if factor < 2 else f"to {times(1 / factor)}"


def _ceiling(share: float) -> str:
    """A share in percent, rounded up to two digits, and to 0.1 at least."""
    percent = max(share * 100, 0.1)
    step = 10.0 ** (math.floor(math.log10(percent)) - 1)
    return significant(math.ceil(percent / step - 1e-9) * step, 2)


def _percent(share: float) -> str:
    return f"{plain(float(f'{share * 100:.3g}'))} %"


def _interval(point: ChangePoint) -> str:
    """The 95 % interval of a change, in the words of the change itself."""
    if point.interval is None:
        return ""
    low, high = point.interval
    if not all(is_share(one + 1) for one in (point.change, low, high)) or low <= 0 <= high:
        return f"95 % CI {times(low + 1)} to {times(high + 1)}; "
    sign = 1 if point.change > 0 else -1
    ends = [significant(end * 100 * sign, 2) for end in sorted((low, high), key=abs)]
    return f"95 % CI {ends[0]} to {ends[1]} %; "
