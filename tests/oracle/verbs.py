"""The sentences of `sweep`, `history`, `compare` and of verdicts, rendered by the program."""

from __future__ import annotations

from collections.abc import Iterator

from httpdyno.cli.history.words import answer as history_answer
from httpdyno.cli.history.words import change_words, likely
from httpdyno.comparison.answer import answer as decision
from httpdyno.comparison.arms.sides import Commands
from httpdyno.comparison.arms.subjects import Subject
from httpdyno.comparison.compare import Compared, decisions
from httpdyno.comparison.loads import full_speed, same_rate
from httpdyno.comparison.margins import DEFAULT
from httpdyno.comparison.study import comparison_study, get_path
from httpdyno.comparison.wanted import Named, Wanted
from httpdyno.history import Observation, Place, follow
from httpdyno.history.metrics import METRICS
from httpdyno.report.charts.figures.history import history as history_chart
from httpdyno.report.charts.figures.sweep import sweep as sweep_chart
from httpdyno.result import Estimate, Status
from httpdyno.run import Ended
from httpdyno.running.options import RunOptions
from httpdyno.statistics.summarise import RunFacts, summarise
from httpdyno.study import ArmGroup
from httpdyno.sweep import Point, SweepRecord, answer, point_of
from httpdyno.verdict import Verdict, judge

from oracle.made.documents import measurement, outcomes, quantiles, reason
from oracle.raw import Lab, Load, Trial
from oracle.reading import Said, sentences


def swept(lab: Lab) -> Iterator[Said]:
    """The answer of a sweep in the terminal, and the title of its chart."""
    (load,) = lab.loads
    points = [point for one in load.points for point in _points(lab, load, one.label, one.rate)]
    for text in sentences(answer(points, "response", len(load.points))):
        yield Said("sweep", text, "sweep")
    record = SweepRecord(
        httpdyno_version="0.1.0",
        command=["sweep"],
        url="http://127.0.0.1/",
        unit="requests",
        times="response",
        log_rates=True,
        complete=len(points) == len(load.points),
        points=points,
    )
    title = sweep_chart(record, log=False).title
    if title != "Replies, response time and failures":
        yield Said("sweep", title, "sweep chart")


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


def decided(lab: Lab) -> Iterator[Said]:
    """The decision of a comparison."""
    pair = (lab.arms[0].name, lab.arms[1].name)
    loads = {**full_speed(10, 2.0), **same_rate(lab.loads[1].points[0].rate or 1.0, 2.0)}
    subjects = [Named(Subject(name, "revision", name), name, Commands()) for name in pair]
    arms = [ArmGroup.model_validate({"name": name, "start": "./s {port}"}) for name in pair]
    work = get_path("/", any_body=False)
    study = comparison_study(arms, pair, work, loads, blocks=lab.blocks, seed=1, warm_up=1.0)
    wanted = Wanted(
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
    facts = RunFacts("httpdyno compare A B", "0.1.0", 1, 0.0, 200.0, (), (), {}, {})
    result = summarise(study, outcomes(lab), facts, quantiles)
    compared = Compared(wanted, Ended(40, 40, result), study, pair, decisions(wanted, result, pair))
    for text in decision(compared, RunOptions(["compare", *pair])):
        for one in sentences(text):
            yield Said("compare", one, "compare")


def verdict(lab: Lab, load: Load, trial: Trial) -> Iterator[Said]:
    """The reasons that the verdict of a trial gives."""
    for one in judge(measurement(load, trial)).reasons:
        yield Said("verdict", one.text, one.code)
