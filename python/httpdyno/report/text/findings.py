"""The finding of a chart: a sentence for its title, computed from what it draws.

A sentence claims an order or a difference only where the statistics showed one. Otherwise it gives
the range of the estimates, or the smallest difference that could have been shown.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from httpdyno import units
from httpdyno.doubts import Number
from httpdyno.report.text import words
from httpdyno.result import CellRow, Comparison, Estimate, Ranking

_NAMED = 3
"""More arms than this are counted, not named."""
_TWICE = 2.0


@dataclass(frozen=True)
class Sentences:
    """The words of a metric in a finding."""

    range: str
    """`Requests per second`"""
    one: str
    """`{arm} answers {value}`"""
    best: str
    """`{arm} answers most`"""
    last: str
    """`{arm} least`"""
    form: words.Format


@dataclass(frozen=True)
class Known:
    """The estimate of one arm."""

    arm: str
    estimate: Estimate


def range_of(
    known: Sequence[Known], said: Sentences, *, more_is_better: bool, ranking: Ranking | None
) -> str:
    """The finding of a chart with a row for each arm."""
    if not known:
        return "No result"
    ordered = sorted(known, key=lambda one: one.estimate.value, reverse=more_is_better)
    first, last = ordered[0], ordered[-1]
    if len(known) == 1:
        return said.one.format(arm=first.arm, value=in_full(first.estimate, said.form))
    if ranking is not None and (found := _by_rank(ranking, ordered, said)):
        return found
    if _overlap(known):
        every = "both" if len(known) == 2 else f"all {len(known)}"
        return f"{said.range}: the intervals of {every} overlap, about {_range(ordered, said)}"
    low, high = sorted((first, last), key=lambda one: one.estimate.value)
    return (
        f"{said.range}: from {said.form(low.estimate.value)} ({low.arm}) to "
        f"{said.form(high.estimate.value)} ({high.arm})"
    )


def with_doubts(
    finding: str, cells: Sequence[CellRow], number: Number, *, noun: str = "results"
) -> str:
    """The finding, and how many of the results that it rests on are suspect."""
    found = [cell.status_of(number) for cell in cells if cell.status != "invalid"]
    return count_doubts(finding, [status == "suspect" for status in found], noun=noun)


def count_doubts(finding: str, doubted: Sequence[bool], *, noun: str = "results") -> str:
    """The finding, and how many of these are suspect; alone if none is. `noun`: the things that are
    counted."""
    if not any(doubted):
        return finding
    if all(doubted):
        every = "both" if len(doubted) == 2 else f"all {len(doubted):,}"
        which = "this result is" if len(doubted) == 1 else f"{every} {noun} are"
        return f"{finding}; {which} suspect"
    verb = "is" if sum(doubted) == 1 else "are"
    return f"{finding}; {sum(doubted):,} of {len(doubted):,} {noun} {verb} suspect"


def in_full(estimate: Estimate, form: words.Format) -> str:
    """`12,300/s (12,000 to 12,600)`; without an interval, the value alone."""
    if estimate.low is None or estimate.high is None:
        return form(estimate.value)
    return words.estimate(estimate, form)


def listed(arms: Sequence[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    return " and ".join(filter(None, (", ".join(arms[:-1]), arms[-1]))) if arms else "none"


def _by_rank(ranking: Ranking, ordered: Sequence[Known], said: Sentences) -> str:
    """The first place, if the trials tell who has it."""
    first = [one.arm for one in ranking.arms if one.best == 1]
    if len(ranking.arms) < 2 or len(ranking.arms) != len(ordered):
        return ""
    leader, last = ordered[0], ordered[-1]
    value = said.form(leader.estimate.value)
    if len(first) == 1:
        behind = said.last.format(arm=last.arm)
        return (
            f"{said.best.format(arm=leader.arm)}, {value}; "
            f"{behind}, {said.form(last.estimate.value)}"
        )
    if len(first) == len(ranking.arms) == 2:
        return f"No difference shown between {leader.arm} and {last.arm}, about {value}"
    if len(first) == len(ranking.arms):
        return f"No arm of {len(first)} is shown to be first: {_range(ordered, said)}"
    return (
        f"{len(first)} of {len(ranking.arms)} arms can be first, with about {value}: the trials do "
        "not tell which"
    )


def _range(ordered: Sequence[Known], said: Sentences) -> str:
    low, high = sorted((ordered[0].estimate.value, ordered[-1].estimate.value))
    return _span(said.form(low), said.form(high))


def _span(low: str, high: str) -> str:
    """`10.1 to 10.4 µs`, a shared unit given once."""
    if low == high:
        return low
    unit = high.lstrip("0123456789.,")
    return f"{low.removesuffix(unit) if unit else low} to {high}"


def _overlap(known: Sequence[Known]) -> bool:
    """True if all intervals have a value in common."""
    lows = [one.estimate.low for one in known if one.estimate.low is not None]
    highs = [one.estimate.high for one in known if one.estimate.high is not None]
    return len(lows) == len(highs) == len(known) and max(lows) <= min(highs)


_MORE = {
    "throughput": (
        "answers {} as many requests as",
        "answers {} {} requests than",
        "more",
        "fewer",
    ),
    "capacity": ("has {} the capacity of", "has {} {} capacity than", "more", "less"),
    "p99": ("takes {} as long at p99 as", "is {} {} at p99 than", "slower", "faster"),
    "server CPU per request": (
        "needs {} the CPU time per request of",
        "needs {} {} CPU time per request than",
        "more",
        "less",
    ),
}
"""(with a ratio, with a percentage, words for above one, words for below one)"""


def of_ratios(
    rows: Sequence[Comparison], names: Sequence[str], baseline: str, *, points: bool = False
) -> str:
    """The finding of comparisons of one metric. `names`: the rows' arms, as they are drawn;
    `points`: they are arms at several load points."""
    known = [pair for pair in zip(rows, names, strict=True) if pair[0].outcome != "no result"]
    if len(known) == 1:
        return of_ratio(known[0][0], known[0][1], baseline)
    if not known:
        return "No two arms could be compared"
    told = [pair for pair in known if pair[0].outcome in ("better", "worse")]
    if not told:
        least = [row.smallest_detectable for row, _ in known if row.smallest_detectable]
        more = f"; {_would_show(max(least))}" if least else ""
        if points:
            return f"No difference from {baseline} shown at {len(known)} points{more}"
        return f"No difference shown between {baseline} and {len(known)} other arms{more}"
    parts: list[str] = []
    for outcome in ("better", "worse"):
        if mine := [pair for pair in told if pair[0].outcome == outcome]:
            said = _at_points if points else _of_arms
            parts.append(said(mine, (outcome, baseline), len(known), first=not parts))
    if same := len(known) - len(told):
        noun = "no difference shown at" if points else "no difference shown for"
        parts.append(f"{noun} {same}")
    return "; ".join(parts)


def _would_show(share: float) -> str:
    least = units.difference(share)
    subject = least if share < 1 else f"a difference of {least}"
    return f"{subject} or more would probably have shown"


def of_ratio(row: Comparison, name: str, baseline: str) -> str:
    """`Starlette answers 3.50× as many requests as Tornado (2.50 to 5.00)`."""
    if row.ratio is None or row.outcome not in ("better", "worse"):
        if row.smallest_detectable is None:
            return f"No difference shown between {name} and {baseline}: too few trials to say more"
        least = _would_show(row.smallest_detectable)
        return f"No difference shown between {name} and {baseline}; {least}"
    value = row.ratio.value
    ratio, percent, above, below = _MORE[row.metric]
    interval = words.interval(row.ratio, words.ratio)
    if value >= _TWICE or value < 1 / _TWICE:
        return f"{name} {ratio.format(words.ratio(value))} {baseline} ({interval})"
    share = units.significant(abs(value - 1) * 100, 2)
    said = percent.format(f"{share} %", above if value > 1 else below)
    return f"{name} {said} {baseline} ({words.ratio(value)}, {interval})"


_OUTCOMES = {
    ("throughput", "better"): ("answer more requests than {}", "answer more"),
    ("throughput", "worse"): ("answer fewer requests than {}", "fewer"),
    ("capacity", "better"): ("have more capacity than {}", "have more"),
    ("capacity", "worse"): ("have less capacity than {}", "less"),
    ("p99", "better"): ("are faster than {} at p99", "are faster"),
    ("p99", "worse"): ("are slower than {} at p99", "are slower"),
    ("server CPU per request", "better"): ("need less CPU time per request than {}", "need less"),
    ("server CPU per request", "worse"): ("need more CPU time per request than {}", "need more"),
}
"""(words of the first part of a sentence, words of what follows)"""


_Pairs = Sequence[tuple[Comparison, str]]


def _of_arms(told: _Pairs, how: tuple[str, str], total: int, *, first: bool) -> str:
    """`9 of 12 arms answer more requests than snap, up to 1.61× (axum)`."""
    outcome, baseline = how
    said = _OUTCOMES[(told[0][0].metric, outcome)][0 if first else 1].format(baseline)
    every = "Both arms" if total == 2 else f"All {total} arms"
    count = every if len(told) == total else f"{len(told)} of {total} arms"
    if len(told) == 1:
        verb, space, rest = said.partition(" ")
        said = f"{_SINGULAR.get(verb, verb)}{space}{rest}"
    return f"{count if first else len(told)} {said}, {_extreme(told, outcome)}"


def _at_points(told: _Pairs, how: tuple[str, str], total: int, *, first: bool) -> str:
    """`More requests than snap at 9 of 12 points, up to 1.61× (axum · 100/s)`."""
    outcome, baseline = how
    start, short = _AT_POINTS[(told[0][0].metric, outcome)]
    if first:
        every = "at both points" if total == 2 else f"at all {total} points"
        where = every if len(told) == total else f"at {len(told)} of {total} points"
        return f"{start} {baseline} {where}, {_extreme(told, outcome)}"
    return f"{short} at {len(told)}, {_extreme(told, outcome)}"


def _extreme(told: _Pairs, outcome: str) -> str:
    """`up to 1.61× (axum)`"""
    with_ratio = [(row.ratio.value, name) for row, name in told if row.ratio is not None]
    up = (told[0][0].metric in ("throughput", "capacity")) == (outcome == "better")
    value, name = max(with_ratio) if up else min(with_ratio)
    return f"{'up' if up else 'down'} to {words.ratio(value)} ({name})"


_SINGULAR = {"answer": "answers", "have": "has", "are": "is", "need": "needs"}
_AT_POINTS = {
    ("throughput", "better"): ("More requests than", "more"),
    ("throughput", "worse"): ("Fewer requests than", "fewer"),
    ("capacity", "better"): ("More capacity than", "more"),
    ("capacity", "worse"): ("Less capacity than", "less"),
    ("p99", "better"): ("Shorter p99 than", "shorter"),
    ("p99", "worse"): ("Longer p99 than", "longer"),
    ("server CPU per request", "better"): ("Less CPU time per request than", "less"),
    ("server CPU per request", "worse"): ("More CPU time per request than", "more"),
}
"""(words before the baseline, words of what follows)"""
