"""The answer in a sentence or two: what was found, how sure, under which load; or nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from httpdyno.plan import Arm
from httpdyno.result import CellRow, Comparison
from httpdyno.study import ClosedLoad, Study
from httpdyno.units import duration, percent, rate, significant

MOST_TOLD = 5
"""With more arms than this, the answer tells the lowest and the highest only."""

Cells = Mapping[tuple[str, str, str], CellRow]


def answer(
    study: Study,
    arms: Sequence[Arm],
    baseline: str,
    cells: Cells,
    comparisons: Sequence[Comparison],
    titles: Mapping[str, str],
) -> str:
    """What a reader came for. `titles`: a server's title by its name."""
    spoken = {arm.name: speak(arm, titles) for arm in arms}
    if not any(row.status != "invalid" for row in cells.values()):
        return "No result: no trial of this study is valid; its reasons are below."
    controls = {arm.name for arm in arms if arm.control_of}
    told = [c for c in comparisons if c.metric == "throughput" and c.arm not in controls]
    told = [c for c in told if c.ratio is not None]
    if not told:
        return _alone(study, spoken, cells)
    best = min(told, key=lambda one: _rank(one, study, arms, cells))
    sentences = [_sentence(best, study, spoken, cells), *_others(best, told, spoken)]
    replayed = {row.load for row in study.published} - {best.load}
    same = [c for c in told if c.load in replayed and c.arm == best.arm]
    return " ".join([*sentences, *(_as_published(one, study) for one in same[:1])])


def speak(arm: Arm, titles: Mapping[str, str]) -> str:
    """`Starlette (1 worker)`."""
    number, dash, noun = arm.deployment.partition("-")
    deployment = f"{number} {noun}" if dash and number.isdigit() else arm.deployment
    title = titles.get(arm.server, arm.server)
    own = arm.name.split("/")[0]
    name = title if own == arm.server else own
    several = f", {arm.workload}" if arm.name.endswith(f" {arm.workload}") else ""
    return f"{name} ({deployment}{several})"


def _rank(
    one: Comparison, study: Study, arms: Sequence[Arm], cells: Cells
) -> tuple[bool, bool, bool, bool, bool, int]:
    """Lower is told first: clear, of trusted cells, steady closed loads, another server."""
    load = study.loads[one.load]
    server = {arm.name: arm.server for arm in arms}
    pair = [cells.get((name, one.load, one.point)) for name in (one.arm, one.baseline)]
    return (
        one.outcome == "no result",
        not isinstance(load, ClosedLoad),
        not all(row is not None and row.status == "valid" for row in pair),
        load.duration is None or not load.keep_alive,
        server[one.arm] == server[one.baseline],
        [arm.name for arm in arms].index(one.arm),
    )


def _sentence(one: Comparison, study: Study, spoken: Mapping[str, str], cells: Cells) -> str:
    arm, baseline = spoken[one.arm], spoken[one.baseline]
    where = _load_words(one, study)
    ratio = one.ratio
    if ratio is None:
        return f"No result for {arm} against {baseline}, {where}."
    restarts = f"{ratio.trials} restart{'s' if ratio.trials != 1 else ''} each"
    if ratio.low is None or ratio.high is None:
        return (
            f"{arm} answered {_times(ratio.value)}× as many requests per second as {baseline} in"
            f" {restarts}: too few for an interval ({where})."
        )
    interval = (
        f"95 % interval {_times(ratio.low)} to {_times(ratio.high)}, from {restarts}, {where}"
    )
    if one.outcome == "no difference shown":
        smallest = percent(one.smallest_detectable or 0)
        return (
            f"No difference shown between {arm} and {baseline} in requests per second: ratio"
            f" {_times(ratio.value)} ({interval}); a difference of {smallest} or more would"
            " probably have been seen."
        )
    return (
        f"{arm} answered {_times(ratio.value)}× as many requests per second as {baseline}:"
        f" {interval}.{_doubt(one, cells)}"
    )


def _doubt(one: Comparison, cells: Cells) -> str:
    """What the reader must know before believing the sentence."""
    rows = [cells.get((name, one.load, one.point)) for name in (one.arm, one.baseline)]
    reasons = [row.reasons for row in rows if row and row.status == "suspect" and row.reasons]
    return f" Take it with care: {reasons[0][0].text}." if reasons else ""


def _others(best: Comparison, told: Sequence[Comparison], spoken: Mapping[str, str]) -> list[str]:
    """The other arms under the same load."""
    place = (best.load, best.point, best.baseline)
    same = [c for c in told if (c.load, c.point, c.baseline) == place and c.arm != best.arm]
    if len(same) > MOST_TOLD:
        ranked = sorted(same, key=lambda c: c.ratio.value if c.ratio else 0.0)
        same = [ranked[0], ranked[-1]]
        return [f"Against the same, of the others: from {_named(same, spoken, ' to ')}."]
    parts = [_named([c], spoken) for c in same]
    return [f"Against the same: {'; '.join(parts)}."] if parts else []


def _times(ratio: float) -> str:
    """Two places, or two digits of a ratio that would be 0.00 or 0.03 otherwise."""
    return f"{ratio:.2f}" if ratio >= 0.1 else significant(ratio, 2)


def _named(same: Sequence[Comparison], spoken: Mapping[str, str], between: str = "") -> str:
    return between.join(f"{spoken[c.arm]} {_ratio_words(c)}" for c in same)


def _ratio_words(one: Comparison) -> str:
    ratio = one.ratio
    if ratio is None:
        return "no result"
    if ratio.low is None or ratio.high is None:
        return f"{_times(ratio.value)}× (too few restarts for an interval)"
    return f"{_times(ratio.value)}× ({_times(ratio.low)} to {_times(ratio.high)})"


def _as_published(one: Comparison, study: Study) -> str:
    """The same pair in the shape of the post, beside the post's own ratio."""
    rows = [row for row in study.published if row.load == one.load and row.requests_per_s]
    numbers = {row.arm: row.requests_per_s for row in reversed(rows)}
    measured = f"In the post's own shape it is {_ratio_words(one)}"
    if one.arm not in numbers or one.baseline not in numbers:
        return f"{measured}."
    return f"{measured}; the post's numbers gave {numbers[one.arm] / numbers[one.baseline]:.2f}×."


def _alone(study: Study, spoken: Mapping[str, str], cells: Cells) -> str:
    """Nothing to compare: the throughput of the first cell that has one."""
    for (arm, load, point), row in cells.items():
        found = row.throughput_per_s
        if found is None or arm not in spoken:
            continue
        sure = (
            "too few restarts for an interval"
            if found.low is None or found.high is None
            else f"95 % interval {rate(found.low)} to {rate(found.high)}"
        )
        title = study.loads[load].title or load
        return (
            f"{spoken[arm]} answered {rate(found.value)} ({sure}, {found.trials} restarts,"
            f" {title}, {point})."
        )
    return "No result: no trial of this study is valid; its reasons are below."


def _load_words(one: Comparison, study: Study) -> str:
    load = study.loads[one.load]
    use = "keep-alive" if load.keep_alive else "a new connection a call"
    length = f", {duration(load.duration)} a trial" if load.duration else ""
    return f"{use}, {one.point}{length}"
