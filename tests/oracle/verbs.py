"""The sentences of `sweep`, `history`, `compare` and of verdicts, rendered by the program."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from types import SimpleNamespace
from typing import cast

from httpdyno.cli.load.output.times import table
from httpdyno.comparison.answer import answer as decision
from httpdyno.comparison.arms.sides import Commands
from httpdyno.comparison.compare import CompareOutcome, decisions
from httpdyno.comparison.loads import full_speed, same_rate
from httpdyno.comparison.margins import DEFAULT
from httpdyno.comparison.specification import ArmSpecification, Specification
from httpdyno.comparison.study import comparison_keys, comparison_study, get_path
from httpdyno.history import Observation, Place, follow
from httpdyno.history.words import answer as history_answer
from httpdyno.history.words import change_words, likely
from httpdyno.metrics import METRICS
from httpdyno.plan import Plan
from httpdyno.report.charts.figures.history import history as history_chart
from httpdyno.report.charts.figures.sweep import sweep as sweep_chart
from httpdyno.result import Estimate, Status, StudyResult
from httpdyno.run import RunOutcome
from httpdyno.running.options import RunOptions
from httpdyno.servers import load_catalogue
from httpdyno.servers.subjects import Subject
from httpdyno.statistics.summarise import RunFacts, summarise
from httpdyno.store import StoredRun
from httpdyno.study import Study
from httpdyno.sweep import Point, SweepRecord, answer, point_of
from httpdyno.verdict import Verdict, judge
from httpdyno.web.pages.compare import Side, lines

from oracle.made.documents import measurement, outcomes, quantiles, reason
from oracle.raw import Lab, Load
from oracle.reading import Said, sentences


def swept(lab: Lab) -> Iterator[Said]:
    """The answer of a sweep in the terminal, and the title of its chart."""
    (load,) = lab.loads
    points = [point for one in load.points for point in _points(lab, load, one.label, one.rate)]
    whole = answer(points, "response", len(load.points))
    for text in sentences(whole):
        yield Said("sweep", text, "sweep", whole=whole)
    record = SweepRecord(
        httpdyno_version="0.1.0",
        command=["sweep"],
        url="http://127.0.0.1/",
        unit="requests",
        times="response",
        log_rates=True,
        complete=len(points) == len(load.points),
        planned=len(load.points),
        points=points,
    )
    title = sweep_chart(record, log=False).title
    if title != "Replies, response time and failures":
        for text in title.split("; "):
            yield Said("sweep", text, "sweep chart", whole=title)


def _points(lab: Lab, load: Load, label: str, rate: float | None) -> Iterator[Point]:
    for trial in lab.of(("server", "l0", label)):
        status: Status = "valid"
        if trial.doubts:
            status = "suspect" if trial.usable else "invalid"
        verdict = Verdict(status, tuple(map(reason, trial.doubts)))
        yield point_of(rate or 0.0, measurement(load, trial), verdict, "response")


def followed(lab: Lab) -> Iterator[Said]:
    """The answer of a history, its chart, and the words of each change."""
    series = follow(_observations(lab))
    for text in sentences(history_answer(series)):
        yield Said("history", text, "history")
    yield Said("history", history_chart(series).title, "history chart")
    for one in series:
        for change in one.changes:
            yield Said("history", change_words(one, change), f"change {one.place.arm}")
            for text in sentences(likely(change)):
                yield Said("history", text, f"cause {one.place.arm}")


def _observations(lab: Lab) -> Iterator[Observation]:
    (metric,) = [one for one in METRICS if one.name == "throughput"]
    for arm in lab.arms:
        for trial in lab.of((arm.name, "l0", "10 connections")):
            yield Observation(
                place=Place("nightly", arm.name, "l0", "10 connections", metric, "m", "d"),
                run=trial.block,
                at=trial.block * 86_400.0,
                estimate=Estimate(value=trial.ok / trial.window_s, low=None, high=None, trials=5),
                status="valid",
                server=arm.name,
                load_words="closed",
                machine_words="X",
                circumstances={},
            )


def summary(lab: Lab) -> StudyResult:
    """The result of a comparison."""
    return _summarised(_study(lab), lab)


def _summarised(study: Study, lab: Lab) -> StudyResult:
    facts = RunFacts("httpdyno compare A B", "0.1.0", 1, 0.0, 200.0, (), (), {}, {})
    return summarise(Plan(study), outcomes(lab), facts, quantiles)


def _study(lab: Lab) -> Study:
    pair = (lab.arms[0].name, lab.arms[1].name)
    loads = {**full_speed(10, 2.0), **same_rate(lab.loads[1].points[0].rate or 1.0, 2.0)}
    arms = [{"name": name, "start": "./s {port}"} for name in pair]
    work = get_path("/", any_body=False)
    keys = comparison_keys(arms, pair, work, loads, blocks=lab.blocks, seed=1, warm_up=1.0)
    return comparison_study(keys, pair, load_catalogue())


def decided(lab: Lab) -> Iterator[Said]:
    """The decision of a comparison."""
    pair = (lab.arms[0].name, lab.arms[1].name)
    subjects = [
        ArmSpecification(Subject(name, "revision", name), name, Commands()) for name in pair
    ]
    study, work = _study(lab), get_path("/", any_body=False)
    spec = Specification(
        baseline=subjects[0],
        changed=subjects[1],
        canary=None,
        work=work,
        loads=full_speed(10, 2.0),
        paced_s=2.0,
        margins=DEFAULT,
        blocks=lab.blocks,
        seed=1,
        warm_up=1.0,
    )
    result = _summarised(study, lab)
    compared = CompareOutcome(
        spec, RunOutcome(40, 40, result), study, pair, decisions(spec, result, pair)
    )
    for text in decision(compared, RunOptions(["compare", *pair])):
        for one in sentences(text):
            yield Said("compare", one, "compare")


def unsent(lab: Lab) -> Iterator[Said]:
    """The reason of a verdict on calls that were never sent."""
    for key, trials in lab.trials.items():
        for trial in trials:
            for one in judge(measurement(lab.load(key[1]), trial)).reasons:
                if one.code == "unsent":
                    yield Said("load", one.text, "verdict")


def beside(lab: Lab) -> Iterator[Said]:
    """The page of `serve` that compares two arms of a run."""
    result, run = summary(lab), cast("StoredRun", SimpleNamespace(id=1))
    sides = [Side(run, result, arm.name) for arm in lab.arms]
    for line in lines(*sides):
        if line.metric == "p99" and line.change:
            yield Said("compare", f"p99 {line.change}, {line.outcome}", "serve")


def times(lab: Lab) -> Iterator[Said]:
    """The table of times of a load: the row of the response, and the least service."""
    ((key, (trial,)),) = lab.trials.items()
    made = measurement(lab.load(key[1]), trial)
    lost = (trial.due or 0) - trial.ok
    ages = {"censored": lost, "censored_min_ns": 333_000} if lost else {}
    response = made.times.response.model_copy(
        update={"count": trial.due, "min_ns": 333_000 if lost else 4_020_000, **ages}
    )
    service = made.times.response.model_copy(update={"min_ns": 4_020_000})
    both = made.times.model_copy(update={"response": response, "service": service})
    # A histogram gives the upper end of a bucket, which can be above the longest call.
    shown = table(made.model_copy(update={"times": both}), _upper_end, 80).lines()
    names, *rows = [line.split() for line in shown]
    found = {row[0]: dict(zip(names[1:], row[1:], strict=False)) for row in rows}
    one = found["response"]
    parts = [f"{name} {one[name]}" for name in ("min", "p50", "p95", "p99", "max")]
    yield Said("load", f"response {' '.join(parts)}; service min {found['service']['min']}", "load")


def _upper_end(hdr: str, shares: Sequence[float]) -> list[int]:
    return [round(1.002 * value) for value in quantiles(hdr, shares)]
