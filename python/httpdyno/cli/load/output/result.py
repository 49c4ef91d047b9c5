"""A load as a result for other programs, with its thresholds as checks."""

from __future__ import annotations

from collections.abc import Sequence

from httpdyno import __version__, engine
from httpdyno.cli.load.output.answer import answer, failure
from httpdyno.cli.load.output.doubts import mark_threshold
from httpdyno.cli.load.output.words import describe_load, describe_stop
from httpdyno.cli.serve.recording import own_command
from httpdyno.engine_plan import EnginePlan
from httpdyno.export import Check
from httpdyno.host.facts import machine_facts
from httpdyno.limits.thresholds import ThresholdCheck
from httpdyno.measurement import Measurement
from httpdyno.outcome import ServerCost
from httpdyno.output.printable import printable
from httpdyno.output.secrets import masked_url
from httpdyno.result import LoadInfo, StudyResult
from httpdyno.statistics.single import SingleMeasurement, Subject, result_of_singles
from httpdyno.verdict import Verdict

__all__ = ["checks", "load_info", "result"]


def result(
    url: str,
    plan: EnginePlan,
    m: Measurement,
    verdict: Verdict,
    thresholds: Sequence[ThresholdCheck],
    server: ServerCost | None,
) -> StudyResult:
    """The load as a result with one cell."""
    failed = failure(m, verdict, thresholds)
    answered = answer(m, verdict)
    subject = Subject(
        verb="load",
        url=printable(masked_url(url)),
        load=load_info(plan, m),
        answer=answered if failed in (None, answered) else f"{failed} {answered}",
        command=own_command(),
        httpdyno_version=__version__,
        seed=plan.seed,
        complete=m.stopped_by != "interrupt",
        machine=machine_facts(),
    )
    single = SingleMeasurement(
        point=_point(plan),
        rate_per_s=_rate_per_s(plan, m),
        measurement=m,
        status=verdict.status,
        reasons=verdict.reasons,
        server=server,
    )
    return result_of_singles(subject, [single], engine.quantiles)


def load_info(plan: EnginePlan, m: Measurement) -> LoadInfo:
    """The load of a plan, without the point."""
    name = "closed load" if not m.is_open else "sessions" if m.in_sessions else "open load"
    return LoadInfo(
        name=name,
        kind=m.load if m.is_open else "closed",
        title=name,
        description=f"{describe_load(plan)}, {describe_stop(plan)}",
        calls_per_arrival=plan.load.calls_per_arrival,
    )


def checks(thresholds: Sequence[ThresholdCheck], verdict: Verdict) -> list[Check]:
    """The thresholds; of an invalid measurement none is passed or failed."""
    return [_check(checked, verdict) for checked in thresholds]


def _check(checked: ThresholdCheck, verdict: Verdict) -> Check:
    text = checked.comparison + mark_threshold(verdict, checked.threshold)
    name = checked.threshold.in_words
    if verdict.status == "invalid":
        return Check(name, "no result", text)
    return Check(name, "passed" if checked.passed else "failed", text)


def _point(plan: EnginePlan) -> str:
    schedule = plan.load.schedule
    if schedule is not None:
        return schedule.in_words()
    return ", ".join(plan.load.in_words(plan.scripts)).removeprefix("closed load, ")


def _rate_per_s(plan: EnginePlan, m: Measurement) -> float | None:
    """The rate of the plan; the mean of one that changes."""
    schedule = plan.load.schedule
    if schedule is None or not m.is_open:
        return None
    return schedule.segments[0].from_per_s if schedule.has_one_rate else m.offered_per_s
