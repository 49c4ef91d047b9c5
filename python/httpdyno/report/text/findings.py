"""The finding of a chart: a sentence for its title.

A sentence turns a claim of the statistics into words: a ranking, or the outcomes of comparisons.
Where there is none, it gives the range of the estimates, which claims no order.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from httpdyno import units
from httpdyno.doubts import Number
from httpdyno.listing import both, either
from httpdyno.metrics import COMPARED, ComparedBy
from httpdyno.report.text import words
from httpdyno.result import CellRow, Comparison, Estimate, Lack, Ranking
from httpdyno.statistics.claims.changes import change, is_share
from httpdyno.statistics.claims.sentences import LEAST_DIFFERENCE

_NAMED = 3
"""More arms than this are counted, not named."""
_UNRANKED: dict[Lack, str] = {
    "too few trials": "too few trials to rank {}",
    "bounds": "no rank for {}: some starts gave only a lower bound",
    "sustained": "no rank for {}: fresh starts held less than the climbs reached",
}


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
    """`{arm} answers least`"""
    form: words.Format


@dataclass(frozen=True)
class ArmEstimate:
    """The estimate of one arm."""

    arm: str
    estimate: Estimate


def range_of(
    known: Sequence[ArmEstimate],
    sentences: Sentences,
    *,
    ranking: Ranking | None = None,
    without: Sequence[str] = (),
    among: str = "",
) -> str:
    """The finding of a chart with a row for each arm.

    `ranking`: of the same arms, by the names that are drawn. `without`: the arms without a number.
    `among`: the words before the first arm, if there are others that may have more.
    """
    if not known:
        return "No result"
    if len(known) == 1:
        found = sentences.one.format(
            arm=known[0].arm, value=in_full(known[0].estimate, sentences.form)
        )
    elif ranking is None:
        found = _spread(known, sentences)
    else:
        found = _by_rank(ranking, known, sentences, among)
    return with_lost(found, without)


def of_workload(finding: str, workload: str | None) -> str:
    """The finding, and the workload that it is about; None: the study has only one."""
    return finding if workload is None else f"Workload {workload}: {finding}"


def with_alike(finding: str, compared: Sequence[Comparison]) -> str:
    """The finding, and the arms that are not shown to differ from the baseline."""
    alike = [one.arm for one in compared if one.outcome == "no difference shown"]
    if not alike:
        return finding
    baseline = compared[0].baseline
    if len(compared) == 1:
        return f"{finding}; no difference shown between {baseline} and {alike[0]}"
    which = few(alike) if len(alike) < len(compared) else "any other arm"
    return f"{finding}; no difference from {baseline} shown for {which}"


def with_lost(finding: str, without: Sequence[str]) -> str:
    """The finding, and the arms without a result."""
    return f"{finding}; no result for {few(without)}" if without else finding


def with_doubts(
    finding: str, cells: Sequence[CellRow], number: Number | None, *, noun: str = "results"
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


def few(names: Sequence[str]) -> str:
    """The names of arms; many are counted."""
    return both(names) if len(names) <= _NAMED else f"{len(names)} arms"


def _spread(known: Sequence[ArmEstimate], sentences: Sentences) -> str:
    """The lowest and the highest estimate: `Peak memory: 21.0 MiB (a) to 48.2 MiB (b)`."""
    low = min(known, key=lambda one: one.estimate.value)
    high = max(known, key=lambda one: one.estimate.value)
    low_said, high_said = sentences.form(low.estimate.value), sentences.form(high.estimate.value)
    if low_said == high_said:
        return (
            f"{sentences.range}: {low_said} in {'both' if len(known) == 2 else f'all {len(known)}'}"
        )
    return f"{sentences.range}: {low_said} ({low.arm}) to {high_said} ({high.arm})"


def _by_rank(
    ranking: Ranking, known: Sequence[ArmEstimate], sentences: Sentences, among: str
) -> str:
    """The arms that can be first, the last one, and those without a rank."""
    values = {one.arm: one.estimate.value for one in known}
    first = [arm for arm in ranking.first if arm in values]
    ranked = [one.arm for one in ranking.arms if one.arm in values]
    lacks = list(_lacks(ranking, values))
    if len(first) == len(ranked):
        which = both(ranked) if len(ranked) <= _NAMED else f"{len(ranked)} arms"
        found = f"No difference shown between {which}, {_span(ranked, values, sentences)}"
        return "; ".join([found, *lacks])
    among = f"Of {len(ranked)} ranked arms, " if lacks else among
    parts = [f"{among}{_best(first, values, sentences)}"]
    last = ranking.last
    worst = sentences.form(values[last]) if last is not None and last in values else ""
    # Shown to be behind, but by less than the digits of a title tell.
    if worst and worst not in {sentences.form(values[arm]) for arm in first}:
        parts.append(f"{sentences.last.format(arm=last)}, {worst}")
    return "; ".join([*parts, *lacks])


def _lacks(ranking: Ranking, values: Mapping[str, float]) -> Iterator[str]:
    """The arms that have a number and no rank, by the reason."""
    for why, sentence in _UNRANKED.items():
        if names := [a for a, lack in ranking.unranked.items() if lack == why and a in values]:
            yield sentence.format(few(names))


def _best(first: Sequence[str], values: dict[str, float], sentences: Sentences) -> str:
    """`b answers most, 200/s`, or `b or c answers most, 190 to 200/s: no difference shown`."""
    if len(first) == 1:
        return f"{sentences.best.format(arm=first[0])}, {sentences.form(values[first[0]])}"
    which = either(first) if len(first) <= _NAMED else f"one of {len(first)} arms"
    span = _span(first, values, sentences)
    return f"{sentences.best.format(arm=which)}, {span}, with no difference shown between them"


def _span(arms: Sequence[str], values: dict[str, float], sentences: Sentences) -> str:
    """`10.1 to 10.4 µs`, a shared unit given once."""
    low, high = (sentences.form(pick(values[arm] for arm in arms)) for pick in (min, max))
    if low == high:
        return f"about {low}"
    return units.span(low, high)


@dataclass(frozen=True)
class _Ratio:
    """The words of a metric in a finding about ratios."""

    multiple: str
    """With a ratio: `answers {} as many requests as`"""
    percent: str
    """With a percentage and `more` or `less`: `answers {} requests than`"""
    better: tuple[str, str]
    """Of several arms: `answer more requests than {}`, and short."""
    worse: tuple[str, str]


_RATIOS = {
    "throughput": _Ratio(
        "answers {} as many requests as",
        "answers {} requests than",
        ("answer more requests than {}", "answer more"),
        ("answer fewer requests than {}", "fewer"),
    ),
    "capacity": _Ratio(
        "has {} the capacity of",
        "has {} capacity than",
        ("have more capacity than {}", "have more"),
        ("have less capacity than {}", "less"),
    ),
    "p99": _Ratio(
        "takes {} as long at p99 as",
        "has a p99 {} than that of",
        ("have a shorter p99 than {}", "have a shorter one"),
        ("have a longer p99 than {}", "a longer one"),
    ),
    "server CPU per request": _Ratio(
        "needs {} the CPU time per request of",
        "needs {} CPU time per request than",
        ("need less CPU time per request than {}", "need less"),
        ("need more CPU time per request than {}", "need more"),
    ),
}
_SINGULAR = {"answer": "answers", "have": "has", "need": "needs"}
_Pairs = Sequence[tuple[Comparison, str]]


def of_ratios(
    rows: Sequence[Comparison],
    names: Sequence[str],
    baseline: str,
    *,
    points: bool = False,
    elsewhere: Sequence[Comparison] = (),
) -> str:
    """The finding of comparisons of one metric. `names`: the rows' arms, as they are drawn.

    `points`: they are arms at several load points. `elsewhere`: the comparisons at the same points
    that are by another metric.
    """
    pairs = list(zip(rows, names, strict=True))
    known = [pair for pair in pairs if pair[0].outcome != "no result"]
    if not known:
        return "No two arms could be compared"
    others = [row for row in elsewhere if row.outcome != "no result"]
    total = len(pairs) + len(elsewhere)
    lost = total - len(known) - len(others)
    rest = [f"no result {'at' if points else 'for'} {lost}"] if lost else []
    rest += [f"{len(others)} compared by {others[0].metric}"] if others else []
    if len(known) == 1:
        return "; ".join([of_ratio(known[0][0], known[0][1], baseline), *rest])
    if not any(row.shown for row, _ in known):
        return "; ".join([_none_shown(known, baseline, points=points), *rest])
    parts = list(_outcome_sentences(known, total, baseline, points=points))
    if same := sum(not row.shown for row, _ in known):
        parts.append(f"no difference shown {'at' if points else 'for'} {same}")
    return "; ".join([*parts, *rest])


def _outcome_sentences(known: _Pairs, total: int, baseline: str, *, points: bool) -> Iterator[str]:
    words_of, first = (_at_points if points else _of_arms), True
    for outcome in ("better", "worse"):
        if mine := [pair for pair in known if pair[0].outcome == outcome]:
            yield words_of(mine, (outcome, baseline), total, first=first)
            first = False


def _none_shown(known: _Pairs, baseline: str, *, points: bool) -> str:
    if points:
        found = f"No difference from {baseline} shown at {len(known)} points"
    else:
        found = f"No difference shown between {baseline} and {len(known)} other arms"
    least = max((row.smallest_detectable or 0.0 for row, _ in known), default=0.0)
    more = f"; {_would_show(least, known[0][0].metric)}" if least >= LEAST_DIFFERENCE else ""
    return f"{found}{more}"


def _would_show(share: float, metric: ComparedBy) -> str:
    subject = "" if share < 1 else "a difference of "
    least = units.detectable(share, subject, drop=COMPARED[metric].more_is_better)
    return f"{least} would probably have shown"


def of_ratio(row: Comparison, name: str, baseline: str) -> str:
    """`Starlette answers 3.50× as many requests as Tornado (2.50 to 5.00)`."""
    if row.ratio is None or not row.shown:
        if not row.smallest_detectable or row.smallest_detectable < LEAST_DIFFERENCE:
            return f"No difference shown between {name} and {baseline}"
        least = _would_show(row.smallest_detectable, row.metric)
        return f"No difference shown between {name} and {baseline}; {least}"
    value, sentences = row.ratio.value, _RATIOS[row.metric]
    interval = words.interval(row.ratio, words.ratio)
    if not is_share(value):
        return f"{name} {sentences.multiple.format(words.ratio(value))} {baseline} ({interval})"
    known = f"({words.ratio(value)}, {interval})"
    return f"{name} {sentences.percent.format(change(row.metric, value))} {baseline} {known}"


def _of_arms(mine: _Pairs, how: tuple[str, str], total: int, *, first: bool) -> str:
    """`9 of 12 arms answer more requests than snap, up to 1.61× (axum)`."""
    outcome, baseline = how
    metric = _RATIOS[mine[0][0].metric]
    long, short = metric.better if outcome == "better" else metric.worse
    sentence = long.format(baseline) if first else short
    every = "Both arms" if total == 2 else f"All {total} arms"
    count = every if len(mine) == total else f"{len(mine)} of {total} arms"
    if len(mine) == 1:
        verb, space, rest = sentence.partition(" ")
        sentence = f"{_SINGULAR.get(verb, verb)}{space}{rest}"
    return f"{count if first else len(mine)} {sentence}, {_extreme(mine, outcome)}"


def _at_points(mine: _Pairs, how: tuple[str, str], total: int, *, first: bool) -> str:
    """`More requests than snap at 9 of 12 points, up to 1.61× (axum · 100/s)`."""
    outcome, baseline = how
    metric = COMPARED[mine[0][0].metric]
    short = metric.more if metric.more_is_better == (outcome == "better") else metric.less
    if first:
        every = "at both points" if total == 2 else f"at all {total} points"
        where = every if len(mine) == total else f"at {len(mine)} of {total} points"
        start = f"{short.capitalize()} {metric.noun.removesuffix('/s')} than {baseline}"
        return f"{start} {where}, {_extreme(mine, outcome)}"
    return f"{short} at {len(mine)}, {_extreme(mine, outcome)}"


def _extreme(mine: _Pairs, outcome: str) -> str:
    """`up to 1.61× (axum)`"""
    with_ratio = [(row.ratio.value, name) for row, name in mine if row.ratio is not None]
    up = COMPARED[mine[0][0].metric].more_is_better == (outcome == "better")
    value, name = max(with_ratio) if up else min(with_ratio)
    return f"{'up' if up else 'down'} to {words.ratio(value)} ({name})"
