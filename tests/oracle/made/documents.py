"""Made studies as the program's own documents: a study, the outcomes of its trials, a result."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from httpdyno.limits.walk import Walk, WalkStep
from httpdyno.measurement import Measurement
from httpdyno.outcome import ServerCost, TrialOutcome
from httpdyno.plan import Plan
from httpdyno.result import PublishedRow, Reason, Status, StudyResult
from httpdyno.statistics.summarise import RunFacts, summarise
from httpdyno.study import Study
from httpdyno.study.read import parse_study
from measurement_document import measurement_document, time_summary

from oracle.made.studies import RUNS_ALREADY
from oracle.raw import Doubt, Key, Lab, Load, Trial

TITLE = "A made study"
COMMAND = "httpdyno run made.toml"


def result(lab: Lab) -> StudyResult:
    """The result that the program makes of these trials."""
    made = declared(lab)
    published = [
        PublishedRow(arm=arm, load=_published_load(lab), requests_per_s=rate, note="")
        for arm, rate in lab.published.items()
    ]
    facts = RunFacts(
        command=COMMAND,
        httpdyno_version="0.1.0",
        seed=lab.seed,
        started_at=1_790_000_000.0,
        ended_at=1_790_000_300.0,
        machine=(),
        failures=(),
        titles={_server(arm.name): arm.spoken.split(" (")[0] for arm in lab.rivals},
        versions={_server(arm.name): "1.2.3" for arm in lab.rivals},
        published=published,
    )
    found = summarise(Plan(made), outcomes(lab), facts, quantiles)
    assert {(one.arm, one.load, one.point) for one in found.cells} == set(lab.trials)
    return found


def declared(lab: Lab) -> Study:
    """The study of a lab."""
    lines = [f'title = "{TITLE}"', f"blocks = {lab.blocks}", f'baseline = "{lab.baseline}"']
    if lab.until is not None:
        lines.append(f'until = "{100 * lab.until:g}%"')
    if len(lab.rivals) < len(lab.arms):
        lines.append("aa_control = true")
    for at, arm in enumerate(lab.rivals):
        if arm.name in RUNS_ALREADY:
            own = f'name = "{arm.name}"\nurl = "http://127.0.0.1:{8000 + at}/"'
        else:
            server, deployment = arm.short.split("/")
            own = f'server = "{server}"\ndeployments = ["{deployment}"]'
        lines += ["[[arms]]", own, *([f'workload = "{arm.workload}"'] if arm.workload else [])]
    for load in lab.loads:
        lines += [f"[loads.{load.name}]", f'kind = "{load.kind}"', *_keys(load)]
    for name, rate in lab.published.items():
        lines += ["[[published]]", f'arm = "{name}"', f'load = "{_published_load(lab)}"']
        lines += [f"requests_per_s = {rate}"]
    return parse_study("\n".join(lines), Path("made.toml"))


def outcomes(lab: Lab) -> list[TrialOutcome]:
    """Every trial as it is stored."""
    every = [(key, trial) for key, trials in lab.trials.items() for trial in trials]
    every.sort(key=lambda one: one[1].block)
    return [outcome(at, key, lab.load(key[1]), one) for at, (key, one) in enumerate(every)]


def outcome(index: int, key: Key, load: Load, trial: Trial) -> TrialOutcome:
    """One trial as it is stored."""
    status: Status = "valid"
    if trial.doubts:
        status = "suspect" if trial.usable else "invalid"
    return TrialOutcome.model_construct(
        index=index,
        block=trial.block,
        arm=key[0],
        load=key[1],
        point=key[2],
        started_at=float(index),
        ended_at=float(index + 1),
        status=status,
        reasons=tuple(map(reason, trial.doubts)),
        measurement=measurement(load, trial),
        server=_server_cost(trial),
        ceiling_per_s=1e7,
        walk=_walk(trial) if load.kind == "capacity" else None,
        machines=(),
    )


def reason(doubt: Doubt) -> Reason:
    """A doubt as the verdict gives it."""
    status: Status = "invalid" if doubt.is_invalid else "suspect"
    numbers: Any = tuple(doubt.numbers) if doubt.numbers else None
    extra = {} if numbers is None else {"doubts": numbers}
    return Reason(code=doubt.code, status=status, text=doubt.text, hint="look at it", **extra)


@cache
def _template() -> Measurement:
    times = ("response", "service", "first_byte", "lag", "connect")
    template = measurement_document(times={name: time_summary(hdr="1 1") for name in times})
    return Measurement.model_validate(template)


def measurement(load: Load, trial: Trial) -> Measurement:
    """The engine's document of a trial."""
    bare = _template()
    p50, p99 = (round(value * 1e9) for value in (trial.p50_s, trial.p99_s))
    due = trial.ok + trial.failed if trial.due is None else trial.due
    calls = {
        "due": due,
        "sent": due - trial.unsent,
        "ok": trial.ok,
        "wrong_status": trial.failed,
        "unsent": trial.unsent,
        "waited": trial.waited,
    }
    time = bare.times.response.model_copy(
        update={
            "count": trial.ok,
            "mean_ns": p50,
            "p50_ns": p50,
            "p75_ns": p50,
            "p90_ns": p99,
            "p99_ns": p99,
            "p999_ns": p99,
            "p9999_ns": p99,
            "max_ns": p99,
            "hdr": f"{p50} {p99}",
        }
    )
    is_open = load.kind != "closed"
    return bare.model_copy(
        update={
            "load": "requests" if load.kind == "capacity" else load.kind,
            "window_s": trial.window_s,
            "calls": bare.calls.model_copy(update=calls),
            "completed_in_window": trial.ok,
            "offered_per_s": due / trial.window_s if is_open else None,
            "throughput_per_s": trial.ok / trial.window_s,
            "statuses": {"200": trial.ok},
            "body_bytes": 13 * trial.ok,
            "times": bare.times.model_copy(update={"response": time}),
            "intervals": [_second(at, ok, p50, p99) for at, ok in enumerate(trial.seconds)],
        }
    )


def _second(at: int, ok: int, p50: int, p99: int) -> Any:
    from httpdyno.measurement import Interval

    times = {"p50_ns": p50, "p99_ns": p99, "max_ns": p99}
    return Interval(second=at, due=ok, sent=ok, ok=ok, failed=0, sessions=0, **times)


def _server_cost(trial: Trial) -> ServerCost | None:
    if trial.cpu_s is None:
        return None
    return ServerCost.model_construct(
        window_s=trial.window_s,
        cpu_s=trial.cpu_s * trial.ok,
        rss_peak_bytes=trial.memory,
        threads=1,
        processes=1,
        voluntary_switches=1,
        involuntary_switches=1,
    )


def _walk(trial: Trial) -> Walk:
    most = trial.capacity if trial.capacity is not None else trial.at_least or 1.0
    steps = [
        WalkStep(rate_per_s=0.9 * most, outcome="held", use=0.5, p50_s=1e-3, p99_s=0.005),
        WalkStep(rate_per_s=1.05 * most, outcome="failed", use=4.0, p50_s=1e-3, p99_s=0.09),
    ]
    bound = trial.capacity is None
    return Walk(
        task="climb",
        cores=1,
        steps=tuple(steps[:1] if bound else steps),
        ended="ceiling" if bound else "limit",
        capacity_per_s=trial.capacity,
        at_least_per_s=trial.at_least,
    )


def _keys(load: Load) -> list[str]:
    rates = ", ".join(f"{point.rate!r}" for point in load.points if point.rate is not None)
    only = ", ".join(f'"{arm}"' for arm in load.arms)
    own = [f"arms = [{only}]"] if load.arms else []
    if load.kind == "capacity":
        limits = load.limits.replace(" ≤ ", "<").replace(" ms", "ms")
        return [*own, f'limits = ["{limits}"]', "confirm = 0", "profile = false"]
    if load.burst > 1:
        own.append(f"burst = {load.burst}")
    if load.calls:
        own.append(f"calls_per_connection = {load.calls}")
    if load.kind == "closed":
        counts = ", ".join(point.label.split(" ")[0] for point in load.points)
        return [*own, f"connections = [{counts}]", 'duration = "2s"']
    return [*own, f"rate = [{rates}]", 'duration = "2s"']


def _published_load(lab: Lab) -> str:
    return next((load.name for load in lab.loads if load.published), lab.loads[0].name)


def _server(arm: str) -> str:
    return arm.split("/", maxsplit=1)[0]


def quantiles(hdr: str, shares: Sequence[float]) -> list[int]:
    """The values of a made histogram at these shares."""
    p50, p99 = (int(part) for part in hdr.split())
    return [p50 if share <= 0.5 else p99 for share in shares]
