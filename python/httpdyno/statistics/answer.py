"""The answer in a few sentences: the outcome, its interval and its load; or no result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from httpdyno.plan import Arm
from httpdyno.result import CellRow, Comparison, Estimate, Ranking, Reason
from httpdyno.statistics.capacity.answer import capacity_answer
from httpdyno.study import ClosedLoad, Study
from httpdyno.units import confidence, difference, duration, rate, significant, times

MOST_NAMED = 5
"""With more arms, the answer names only the lowest and the highest."""

Cells = Mapping[tuple[str, str, str], CellRow]


@dataclass(frozen=True)
class Answer:
    """The answer of a study."""

    text: str
    load: str = ""
    """The load that its first sentence is about; empty: a capacity, or there is no result."""
    point: str = ""


def answer(
    study: Study,
    arms: Sequence[Arm],
    baseline: str,
    cells: Cells,
    comparisons: Sequence[Comparison],
    rankings: Sequence[Ranking],
    titles: Mapping[str, str],
) -> Answer:
    """The answer of a study. `titles`: a server's title by its name."""
    spoken = {arm.name: speak(arm, titles) for arm in arms}
    searched = [row for row in cells.values() if row.capacity is not None]
    capacities = [capacity_answer(searched, spoken)] if searched else []
    if searched and len(searched) == len(cells):
        return Answer(capacities[0])
    others = {key: row for key, row in cells.items() if row.capacity is None}
    first = _compared(study, arms, others, comparisons, rankings, spoken)
    return Answer(" ".join([first.text, *capacities]), first.load, first.point)


def _compared(
    study: Study,
    arms: Sequence[Arm],
    cells: Cells,
    comparisons: Sequence[Comparison],
    rankings: Sequence[Ranking],
    spoken: Mapping[str, str],
) -> Answer:
    if not any(row.status != "invalid" for row in cells.values()):
        return Answer(_no_result(cells))
    controls = {arm.name for arm in arms if arm.control_of}
    told = [c for c in comparisons if c.metric == "throughput" and c.arm not in controls]
    told = [c for c in told if c.ratio is not None]
    if not told:
        return _alone(study, spoken, cells)
    best = min(told, key=lambda one: _rank(one, study, arms, cells))
    sentences = [
        _sentence(best, study, spoken, cells),
        *_others(best, told, spoken, cells),
        *_first_places(best, rankings, spoken),
    ]
    replayed = {row.load for row in study.published} - {best.load}
    same = [c for c in told if c.load in replayed and c.arm == best.arm]
    sentences += [_as_published(one, study, cells) for one in same[:1]]
    return Answer(" ".join(sentences), best.load, best.point)


def speak(arm: Arm, titles: Mapping[str, str]) -> str:
    """`Starlette (1 worker)`."""
    several = f", {arm.workload}" if arm.name.endswith(f" {arm.workload}") else ""
    if arm.alone:
        name = titles.get(arm.server, arm.server)
        return f"{name} ({arm.workload})" if several else name
    number, dash, noun = arm.deployment.partition("-")
    deployment = f"{number} {noun}" if dash and number.isdigit() else arm.deployment
    title = titles.get(arm.server, arm.server)
    own = arm.name.split("/")[0]
    name = title if own == arm.server else own
    return f"{name} ({deployment}{several})"


def _rank(
    one: Comparison, study: Study, arms: Sequence[Arm], cells: Cells
) -> tuple[bool, bool, bool, bool, bool, int]:
    """Sort key, best first: a clear outcome, valid cells, steady closed loads, another server."""
    load = study.loads[one.load]
    server = {arm.name: arm.server for arm in arms}
    pair = [cells.get((name, one.load, one.point)) for name in (one.arm, one.baseline)]
    return (
        one.outcome == "no result",
        not isinstance(load, ClosedLoad),
        not all(row is not None and row.status_of("throughput") == "valid" for row in pair),
        load.duration is None or not load.keep_alive,
        server[one.arm] == server[one.baseline],
        [arm.name for arm in arms].index(one.arm),
    )


def _sentence(one: Comparison, study: Study, spoken: Mapping[str, str], cells: Cells) -> str:
    arm, baseline = spoken[one.arm], spoken[one.baseline]
    load = f"Load: {_load_words(one, study)}.{_doubt(one, cells)}"
    ratio = one.ratio
    if ratio is None:
        return f"No result for {arm} compared with {baseline}. {load}"
    each = f"{ratio.trials} trial{'s' if ratio.trials != 1 else ''} each"
    trials = f"from {one.in_common or each}"
    if ratio.low is None or ratio.high is None:
        return (
            f"{arm} served {_difference(ratio.value)} {baseline}, {trials}: too few for a"
            f" confidence interval. {load}"
        )
    interval = f"{confidence(one.level)} CI {_interval(ratio)}, {trials}"
    if one.outcome == "no difference shown":
        smallest = difference(one.smallest_detectable or 0)
        return (
            f"No difference shown between {arm} and {baseline} in requests/s:"
            f" {times(ratio.value)}, {interval}. A difference of {smallest} or more would"
            f" probably have been detected. {load}"
        )
    known = f"{times(ratio.value)}, {interval}" if _is_share(ratio.value) else interval
    return f"{arm} served {_difference(ratio.value)} {baseline}: {known}. {load}"


def _difference(ratio: float) -> str:
    """`14 % fewer requests/s than`, or `3.53× the requests/s of`."""
    if not _is_share(ratio):
        return f"{times(ratio)} the requests/s of"
    change = significant(abs(ratio - 1) * 100, 2)
    return f"{change} % {'more' if ratio >= 1 else 'fewer'} requests/s than"


def _is_share(ratio: float) -> bool:
    """True for a ratio that people quote as a percentage; others they quote as a multiple."""
    return 0.1 <= ratio < 2


def _interval(ratio: Estimate) -> str:
    """`0.83 to 0.90`."""
    if ratio.low is None or ratio.high is None:
        return "too few trials for a confidence interval"
    return f"{times(ratio.low)} to {times(ratio.high)}".replace("×", "")


def _doubt(one: Comparison, cells: Cells) -> str:
    """The first reason why the throughput of a compared cell is suspect; empty: none is."""
    reasons = _doubts(one, cells)
    return f" This result is suspect: {reasons[0].text}." if reasons else ""


def _doubts(one: Comparison, cells: Cells) -> list[Reason]:
    rows = [cells.get((name, one.load, one.point)) for name in (one.arm, one.baseline)]
    return [
        reason
        for row in rows
        if row is not None and row.status_of("throughput") == "suspect"
        for reason in row.reasons_of("throughput")
    ]


def _others(
    best: Comparison, told: Sequence[Comparison], spoken: Mapping[str, str], cells: Cells
) -> list[str]:
    """The other arms under the same load."""
    place = (best.load, best.point, best.baseline)
    same = [c for c in told if (c.load, c.point, c.baseline) == place and c.arm != best.arm]
    if len(same) > MOST_NAMED:
        ranked = sorted(same, key=lambda c: c.ratio.value if c.ratio else 0.0)
        ends = f"{_named(ranked[0], spoken, cells)} to {_named(ranked[-1], spoken, cells)}"
        return [f"The other {len(same)} arms range from {ends}."]
    parts = [_named(c, spoken, cells) for c in same]
    return [f"Relative to the same baseline: {'; '.join(parts)}."] if parts else []


def _named(one: Comparison, spoken: Mapping[str, str], cells: Cells) -> str:
    return f"{spoken[one.arm]} {_ratio_words(one, cells)}"


def _ratio_words(one: Comparison, cells: Cells) -> str:
    ratio = one.ratio
    doubt = ", suspect" if _doubts(one, cells) else ""
    return "no result" if ratio is None else f"{times(ratio.value)} ({_interval(ratio)}{doubt})"


def _first_places(
    best: Comparison, rankings: Sequence[Ranking], spoken: Mapping[str, str]
) -> list[str]:
    """The arms that may rank first under the same load; nothing for two arms."""
    place = (best.load, best.point)
    for ranking in rankings:
        names = [one.arm for one in ranking.arms]
        if (ranking.load, ranking.point) != place or best.arm not in names or len(names) < 3:
            continue
        first = [spoken[one.arm] for one in ranking.arms if one.best == 1]
        if len(first) == 1:
            return [f"Only {first[0]} can rank first of these {len(names)} arms."]
        which = f"{', '.join(first[:-1])} and {first[-1]}"
        shown = which if len(first) <= MOST_NAMED else f"{len(first)} of these {len(names)} arms"
        return [f"{shown} may each rank first: no difference between them is shown."]
    return []


def _as_published(one: Comparison, study: Study, cells: Cells) -> str:
    """The same pair under the published load, beside the published ratio."""
    rows = [row for row in study.published if row.load == one.load and row.requests_per_s]
    numbers = {row.arm: row.requests_per_s for row in reversed(rows)}
    measured = f"Under the published load: {_ratio_words(one, cells)}"
    if one.arm not in numbers or one.baseline not in numbers:
        return f"{measured}."
    return (
        f"{measured}; the published numbers gave {times(numbers[one.arm] / numbers[one.baseline])}."
    )


def _alone(study: Study, spoken: Mapping[str, str], cells: Cells) -> Answer:
    """Nothing to compare: the throughput of the first cell that has one."""
    for (arm, load, point), row in cells.items():
        found = row.throughput_per_s
        if found is None or arm not in spoken:
            continue
        trials = f"{found.trials} trial{'s' if found.trials != 1 else ''}"
        sure = (
            f"from {trials}: too few for a confidence interval"
            if found.low is None or found.high is None
            else f"95 % CI {rate(found.low)} to {rate(found.high)}, from {trials}"
        )
        title = study.loads[load].title or load
        reasons = row.reasons_of("throughput") if row.status != "invalid" else []
        doubt = f" This result is suspect: {reasons[0].text}." if reasons else ""
        said = f"{spoken[arm]} served {rate(found.value)} ({sure}). Load: {title}, {point}.{doubt}"
        return Answer(said, load, point)
    return Answer(_no_result(cells))


def _no_result(cells: Cells) -> str:
    if any(row.reasons for row in cells.values()):
        return "No result: every trial is invalid or failed. The verdicts say why."
    return "No result: nothing was measured."


def _load_words(one: Comparison, study: Study) -> str:
    load = study.loads[one.load]
    use = "keep-alive" if load.keep_alive else "one connection per request"
    length = f", {duration(load.duration)} per trial" if load.duration else ""
    return f"{use}, {one.point}{length}"
