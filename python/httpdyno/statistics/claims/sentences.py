"""Claims in words, for the answer of a study."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from httpdyno.doubts import Number
from httpdyno.listing import both, either
from httpdyno.metrics import COMPARED, ComparedBy
from httpdyno.result import (
    CellRow,
    Comparison,
    Estimate,
    ProtocolComparison,
    RankedArm,
    Ranking,
    few_trials,
)
from httpdyno.statistics.claims.changes import change, is_share, number
from httpdyno.statistics.claims.rankings import ranked_by
from httpdyno.statistics.pace import trials_kept
from httpdyno.units import confidence, counted, detectable, duration, rate, span, times

MOST_NAMED = 5
"""With more arms, the answer names only the lowest and the highest."""

LEAST_DIFFERENCE = 1e-6
"""Trials without any spread would detect every difference: there is nothing to say about it."""

Cells = Mapping[tuple[str, str, str], CellRow]
Spoken = Mapping[str, str]
"""The arms' names in sentences."""


@dataclass(frozen=True)
class _Metric:
    """The words of a metric."""

    name: ComparedBy
    best: str
    """`served the most requests/s`"""
    percent: str
    """`served {} requests/s than`; filled with `14 % fewer`."""
    multiple: str
    """`served {} the requests/s of`"""

    @property
    def noun(self) -> str:
        """`requests/s`"""
        return COMPARED[self.name].noun


_METRICS: dict[str, _Metric] = {
    "throughput": _Metric(
        "throughput",
        "served the most requests/s",
        "served {} requests/s than",
        "served {} the requests/s of",
    ),
    "p99": _Metric("p99", "had the shortest p99", "had a p99 {} than that of", "had {} the p99 of"),
}


def under(load: str) -> str:
    """`Under the load “latency at a fixed rate”`: begins a sentence about one of several loads.

    `load`: its title.
    """
    return f"Under the load “{load}”"


def pair(one: Comparison, spoken: Spoken) -> str:
    """Two arms: `Starlette served 14 % fewer requests/s than Tornado: 0.86×, 95 % CI …`."""
    arm, baseline, metric = spoken[one.arm], spoken[one.baseline], _METRICS[one.metric]
    ratio = one.ratio
    if ratio is None:
        return f"No result for {arm} compared with {baseline}."
    if ratio.low is None or ratio.high is None:
        each = one.in_common or f"{ratio.trials} each"
        values = [number(one.metric, value or 0.0) for value in (one.arm_value, one.baseline_value)]
        few = f"Too few trials to compare {arm} with {baseline} by {metric.noun} ({each})"
        return f"{few}: {' and '.join(values)}."
    trials = f"from {one.in_common or counted(ratio.trials, 'trial') + ' each'}"
    interval = f"{confidence(one.level)} CI {_interval(ratio)}, {trials}"
    if not one.shown:
        found = f"No difference shown between {arm} and {baseline} in {metric.noun}"
        return f"{found}: {times(ratio.value)}, {interval}.{_detectable(one)}"
    if not is_share(ratio.value):
        return f"{arm} {metric.multiple.format(times(ratio.value))} {baseline}: {interval}."
    differs = metric.percent.format(change(one.metric, ratio.value))
    return f"{arm} {differs} {baseline}: {times(ratio.value)}, {interval}."


def protocol(
    one: ProtocolComparison, spoken: Spoken, *, names_work: bool, doubts: Sequence[str]
) -> Iterator[str]:
    """`HTTP/2 costs nginx 1.4× the CPU of HTTP/1.1 per request: 95 % CI …`; nothing without an
    interval. `doubts`: why it is suspect."""
    older, newer = f"HTTP/{one.older.http}", f"HTTP/{one.newer.http}"
    ratio = one.compared.ratio
    if ratio is None or ratio.low is None or ratio.high is None:
        return
    arm, at = spoken[one.of_arm], f" at {one.work}" if names_work else ""
    trials = f"from {one.compared.in_common or counted(ratio.trials, 'trial') + ' each'}"
    interval = f"{confidence(one.compared.level)} CI {_interval(ratio)}, {trials}"
    if one.compared.shown:
        cost = f"{newer} costs {arm} {times(ratio.value)} the CPU of {older} per request"
        yield f"{cost}{at}: {interval}."
    else:
        found = f"No difference shown between {newer} and {older} in the CPU per request"
        yield f"{found} of {arm}{at}: {times(ratio.value)}, {interval}."
    if doubts:
        yield f"This result is suspect: {doubts[0]}."


def _detectable(one: Comparison) -> str:
    if one.smallest_detectable is None or one.smallest_detectable < LEAST_DIFFERENCE:
        return ""
    drop = COMPARED[one.metric].more_is_better
    least = detectable(one.smallest_detectable, "a difference of ", drop=drop)
    return f" {least[0].upper()}{least[1:]} would probably have been detected."


def order(ranking: Ranking, spoken: Spoken, cells: Cells) -> Iterator[str]:
    """Three arms or more: the leaders, the others relative to them, and those without a rank."""
    metric = _METRICS[ranking.metric]
    values = {
        one.arm: found
        for one in ranking.arms
        if (row := cells.get((one.arm, ranking.load, ranking.point))) is not None
        and (found := getattr(row, COMPARED[ranking.metric].column)) is not None
    }
    first = ranking.first
    among = f"Of the {len(ranking.arms)} ranked arms, " if ranking.unranked else ""
    if len(first) == 1:
        value = values[first[0]]
        yield f"{among}{spoken[first[0]]} {metric.best}: {_in_full(value, metric)}."
    elif len(first) == len(ranking.arms):
        every = f"the {len(first)} {'ranked ' if ranking.unranked else ''}arms"
        span = _span(values.values(), metric)
        yield f"No difference in {metric.noun} is shown between {every}: {span}."
    else:
        names = [spoken[arm] for arm in first]
        which = either(names) if len(names) <= MOST_NAMED else f"one of {len(names)} arms"
        span = _span([values[arm] for arm in first], metric)
        yield (f"{among}{which} {metric.best}, {span}: no difference between them is shown.")
    yield from _behind(ranking, spoken)
    yield from _unranked_arms(ranking, spoken)


def too_few(known: Sequence[CellRow], spoken: Spoken) -> str:
    """Arms with a result, and too few trials for a ranking: the range of their estimates."""
    name = ranked_by(known)
    metric = COMPARED[name]
    found = {row.arm: estimate for row in known if (estimate := getattr(row, metric.column))}
    ends = [pick(found, key=lambda arm: found[arm].value) for pick in (min, max)]
    low, high = (number(name, found[arm].value) for arm in ends)
    counts = {one.trials for one in found.values()}
    each = f"{min(counts)} each" if len(counts) == 1 else f"one has only {min(counts)}"
    few = f"Too few trials to rank the arms by {metric.noun} ({each})"
    if low == high:
        return f"{few}: all {len(found)} have about {low}."
    return f"{few}: they range from {low}, {spoken[ends[0]]}, to {high}, {spoken[ends[1]]}."


def published_ratio(one: Comparison, ratio: float, spoken: Spoken) -> str:
    """The ratio of the published numbers of the same two arms."""
    return (
        f"The published numbers of {spoken[one.arm]} and {spoken[one.baseline]} gave"
        f" {times(ratio)}."
    )


def alone(row: CellRow, arm: str) -> str:
    """The number of a study with nothing to compare; empty: it has none."""
    of = number_of(row)
    found = row.p99_s if of == "p99" else row.throughput_per_s
    if found is None:
        return ""
    if found.low is None or found.high is None:
        sure = f"from {few_trials(found.trials)}"
    else:
        trials = counted(found.trials, "trial")
        sure = f"95 % CI {_between(found, _METRICS[of])}, from {trials}"
    if of == "p99":
        kept, of_trials = trials_kept(row.trials)
        partly = f" (in {kept} of {of_trials} trials)" if kept < of_trials else ""
        p99 = duration(found.value)
        return f"{arm} kept up with {row.point}{partly}, with a p99 of {p99} ({sure})."
    return f"{arm} served {rate(found.value)} ({sure})."


def number_of(row: CellRow) -> Number:
    """The number that says most of a cell alone: p99 at a rate that it kept up with."""
    return "p99" if row.pace == "kept up" and row.p99_s is not None else "throughput"


def no_result(cells: Cells) -> str:
    """A study without a single result."""
    if any(row.reasons for row in cells.values()):
        return "No result: every trial is invalid or failed. The verdicts say why."
    return "No result: nothing was measured."


def _behind(ranking: Ranking, spoken: Spoken) -> Iterator[str]:
    """The arms that are shown to be behind some other one, relative to the first."""
    leader = spoken[ranking.arms[0].arm]
    behind = [one for one in ranking.arms if one.best > 1]
    if not behind:
        return
    rest = [one for one in behind if one.ratio is not None]
    levels = sorted({confidence(one.level) for one in rest if one.ratio and one.ratio.low})
    level = f" ({levels[0]} CI{' or wider' if len(levels) > 1 else ''})" if levels else ""
    if len(rest) > MOST_NAMED:
        ends = sorted(rest, key=lambda one: one.ratio.value if one.ratio else 0.0)
        low, high = (_relative(one, spoken) for one in (ends[0], ends[-1]))
        yield f"Relative to {leader}{level}, {len(rest)} arms range from {low} to {high}."
        return
    parts = [_relative(one, spoken) for one in behind]
    yield f"Relative to {leader}{level}: {'; '.join(parts)}."


def _relative(one: RankedArm, spoken: Spoken) -> str:
    """`Node.js 0.49× (0.25 to 0.95)`"""
    ratio = one.ratio
    if ratio is None:
        return f"{spoken[one.arm]} not known (too few blocks in common)"
    tied = ratio.low is not None and ratio.high is not None and ratio.low <= 1 <= ratio.high
    more = ", no difference shown" if tied else ""
    return f"{spoken[one.arm]} {times(ratio.value)} ({_interval(ratio)}{more})"


def _unranked_arms(ranking: Ranking, spoken: Spoken) -> Iterator[str]:
    lacks = ranking.unranked
    yield from without([arm for arm, lack in lacks.items() if lack == "no result"], spoken)
    if few := [arm for arm, lack in lacks.items() if lack == "too few trials"]:
        yield f"Too few trials to rank {_list(few, spoken)}."


def without(arms: Sequence[str], spoken: Spoken) -> Iterator[str]:
    """The arms without a result, if there are any."""
    if arms:
        yield f"No result for {_list(arms, spoken)}."


def _list(arms: Sequence[str], spoken: Spoken) -> str:
    return both([spoken[arm] for arm in arms]) if len(arms) <= MOST_NAMED else f"{len(arms)} arms"


def _interval(ratio: Estimate) -> str:
    """`0.83 to 0.90`."""
    if ratio.low is None or ratio.high is None:
        return few_trials(ratio.trials)
    return f"{times(ratio.low)} to {times(ratio.high)}".replace("×", "")


def _in_full(found: Estimate, metric: _Metric) -> str:
    if found.low is None or found.high is None:
        return number(metric.name, found.value)
    return f"{number(metric.name, found.value)} (95 % CI {_between(found, metric)})"


def _between(found: Estimate, metric: _Metric) -> str:
    return _range(found.low or 0.0, found.high or 0.0, metric)


def _span(found: Iterable[Estimate], metric: _Metric) -> str:
    values = sorted(one.value for one in found)
    return _range(values[0], values[-1], metric)


def _range(low: float, high: float, metric: _Metric) -> str:
    """`2,960 to 3,040/s`, a shared unit given once."""
    ends = number(metric.name, low), number(metric.name, high)
    return ends[0] if ends[0] == ends[1] else span(*ends)
