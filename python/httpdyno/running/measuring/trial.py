"""One trial: a fresh server on its cores, the generator on the others; a measurement, a verdict."""

from __future__ import annotations

import time

from httpdyno.engine_plan import EnginePlan
from httpdyno.errors import HttpdynoError, TargetError
from httpdyno.measurement import Measurement
from httpdyno.outcome import ServerCost, TrialOutcome
from httpdyno.plan import Trial
from httpdyno.result import Reason, Status
from httpdyno.running.generator import LOCAL, Generator
from httpdyno.running.listener import Listener
from httpdyno.running.measuring.engine_plan import engine_plan, longest_s
from httpdyno.running.prepare import ReadyArm
from httpdyno.servers import AttachedServer, RunningServer, Usage, UsageMeter
from httpdyno.study import SessionsLoad
from httpdyno.verdict import judge

Server = RunningServer | AttachedServer


def run_trial(
    trial: Trial,
    ready: ReadyArm,
    ceiling_per_s: float | None,
    listener: Listener,
    generator: Generator = LOCAL,
) -> TrialOutcome:
    """Measures a trial. A server that fails gives an invalid outcome, not an error.

    Raises EnvironmentFault when this machine prevents the measurement.
    """
    started_at = time.time()
    try:
        with ready.start() as server:
            plan = _plan(trial, ready, server)
            measurement, cost = measured(plan, server, listener, generator)
            died, killed = server.exit_code, server.killed_because
    except TargetError as error:
        return without_result(trial, started_at, error)
    status, reasons = _verdict(trial, ready, measurement, plan, ceiling_per_s)
    if died is not None:
        status, reasons = "invalid", (died_reason(died, killed, ready), *reasons)
    return outcome_of(trial, started_at, status, reasons, measurement, cost, ceiling_per_s)


def _plan(trial: Trial, ready: ReadyArm, server: Server) -> EnginePlan:
    return engine_plan(trial.cell, ready.workload, server.target, ready.pinning, trial.seed)


def measured(
    plan: EnginePlan, server: Server, listener: Listener, generator: Generator = LOCAL
) -> tuple[Measurement, ServerCost | None]:
    """Runs a plan against a running server; with what the server cost in the window."""
    meter = server.usage_meter()
    before = _usage(meter)
    within_s = longest_s(plan)
    with generator.start(plan) as running:
        if plan.warm_up_s > 0:
            running.follow("measuring", listener.progress, within_s=within_s)
            before = _usage(meter)
        running.follow("draining", listener.progress, within_s=within_s)
        after = _usage(meter)
        running.follow("done", listener.progress, within_s=within_s)
        return running.result(), _cost(before, after)


def _usage(meter: UsageMeter | None) -> Usage | None:
    return None if meter is None else meter.snapshot()


def _cost(before: Usage | None, after: Usage | None) -> ServerCost | None:
    if before is None or after is None or after.processes == 0:
        return None
    return ServerCost(
        window_s=after.at - before.at,
        cpu_user_s=after.cpu_user_s - before.cpu_user_s,
        cpu_system_s=after.cpu_system_s - before.cpu_system_s,
        rss_peak_bytes=after.rss_peak_bytes,
        threads=after.threads,
        processes=after.processes,
        voluntary_switches=after.voluntary_switches - before.voluntary_switches,
        involuntary_switches=after.involuntary_switches - before.involuntary_switches,
    )


def _verdict(
    trial: Trial,
    ready: ReadyArm,
    measurement: Measurement,
    plan: EnginePlan,
    ceiling_per_s: float | None,
) -> tuple[Status, tuple[Reason, ...]]:
    cell = trial.cell
    only_by_count = cell.load.duration is None and not isinstance(cell.load, SessionsLoad)
    verdict = judge(
        measurement,
        plan,
        ceiling_per_s=ceiling_per_s,
        shared_cores=ready.pinning.shared,
        expected_count=cell.count if only_by_count else None,
        in_study=True,
        settings=ready.settings,
        as_published=cell.as_published,
        check_command=ready.check_command,
    )
    return verdict.status, verdict.reasons


def died_reason(code: int, killed: str | None, ready: ReadyArm) -> Reason:
    """The reason for a server that ended while it was measured."""
    how = f"signal {-code}" if code < 0 else f"code {code}"
    text = f"the server exited with {how} while it was measured"
    if killed is not None:
        text = f"httpdyno killed the server while it was measured: {killed}"
    return Reason(code="died", status="invalid", text=text, hint=f"read its log: {ready.log}")


def without_result(trial: Trial, started_at: float, error: HttpdynoError) -> TrialOutcome:
    """The outcome of a trial that could not be measured."""
    stage = getattr(error, "stage", "measure")
    hint = error.hint or "read the server's log"
    reason = Reason(code=stage, status="invalid", text=error.message, hint=hint)
    return outcome_of(trial, started_at, "invalid", (reason,), None, None, None)


def outcome_of(
    trial: Trial,
    started_at: float,
    status: Status,
    reasons: tuple[Reason, ...],
    measurement: Measurement | None,
    cost: ServerCost | None,
    ceiling_per_s: float | None,
) -> TrialOutcome:
    """A trial with its cell."""
    arm, load, point = trial.cell.key
    return TrialOutcome(
        index=trial.index,
        block=trial.block,
        arm=arm,
        load=load,
        point=point,
        started_at=started_at,
        status=status,
        reasons=reasons,
        measurement=measurement,
        server=cost,
        ceiling_per_s=ceiling_per_s,
    )
