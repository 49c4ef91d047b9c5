"""One trial: a fresh server on its cores, the generator on the others; a measurement, a verdict."""

from __future__ import annotations

import time
from typing import NamedTuple

from httpdyno.engine_plan import EnginePlan
from httpdyno.errors import HttpdynoError, NodeFault, TargetError
from httpdyno.limits.budget import Budget
from httpdyno.limits.thresholds import parse_limit
from httpdyno.measurement import Measurement
from httpdyno.outcome import DatabaseUse, MachineUse, ServerCost, TrialOutcome
from httpdyno.plan import Trial
from httpdyno.result import Reason, Status
from httpdyno.running.live.events import Events, PlanBegins
from httpdyno.running.machines.site import LiveServer
from httpdyno.running.measuring.ceiling import Ceiling
from httpdyno.running.measuring.database_use import DatabaseWatch
from httpdyno.running.measuring.engine_plan import engine_plan, longest_s
from httpdyno.running.measuring.processors import processors_of
from httpdyno.running.measuring.server_processors import server_cost
from httpdyno.running.prepare import ReadyArm
from httpdyno.servers import Meter, Usage
from httpdyno.study import AnyLoad
from httpdyno.verdict import Context, judge
from httpdyno.verdict.contention import Contention

NODE_LOST = "node_lost"
"""The code of the reason of a trial that a lost machine made invalid."""


class MeasuredWindow(NamedTuple):
    """A measurement, what the server cost in the window, and what the machines did."""

    measurement: Measurement
    cost: ServerCost | None
    machines: tuple[MachineUse, ...]
    database: DatabaseUse | None = None

    @property
    def known_s(self) -> float | None:
        """CPU time of the server, and of a database on its processors; None: it is not known."""
        database = self.database
        if self.cost is None or database is None or not database.shares_server:
            return None if self.cost is None else self.cost.cpu_s
        return self.cost.cpu_s + (database.cpu_s or 0.0)

    def server_share(self, cores: int) -> float | None:
        """The share of so many processors that the server used."""
        cost = self.cost
        return cost.cpu_s / cost.window_s / cores if cost and cost.window_s > 0 else None


def run_trial(
    trial: Trial,
    ready: ReadyArm,
    ceiling: Ceiling | None,
    events: Events,
) -> TrialOutcome:
    """Measures a trial. A server that fails, or a machine that is lost, gives an invalid outcome.

    Raises EnvironmentFault when this machine prevents the measurement.
    """
    started_at = time.time()
    try:
        with ready.start() as server:
            plan = _plan(trial, ready, server)
            found = run_plan(plan, server, events, ready)
            died, killed = server.exit_code, server.killed_because
            contention = None if died is not None else _contention(ready, server, found)
    except (NodeFault, TargetError) as error:
        return without_result(trial, started_at, error)
    status, reasons = _verdict(trial, ready, found, plan, ceiling, contention)
    if died is not None:
        status, reasons = "invalid", (died_reason(died, killed, ready), *reasons)
    return outcome_of(trial, started_at, status, reasons, found, ceiling)


def _plan(trial: Trial, ready: ReadyArm, server: LiveServer) -> EnginePlan:
    return engine_plan(trial.cell, ready.workload, server.target, ready.pinning, trial.seed)


def run_plan(
    plan: EnginePlan, server: LiveServer, events: Events, ready: ReadyArm
) -> MeasuredWindow:
    """Runs a plan against a running server."""
    site, beside = ready.site, ready.database
    watch = site.watch()
    database = None if beside is None else DatabaseWatch(beside, ready.workload.queries)
    meter = server.usage_meter()
    events.send(PlanBegins(plan, meter))
    before = _usage(meter)
    within_s = longest_s(plan)
    with site.generator.start(plan) as running:
        if plan.warm_up_s > 0 or site.machines:  # others begin some time after this line
            running.follow("measuring", events.on_progress, within_s=within_s)
            watch.begin()
            before = _usage(meter)
            if database is not None:
                database.begin()
        running.follow("draining", events.on_progress, within_s=within_s)
        after = _usage(meter)
        machines = watch.end()
        if database is not None:
            database.end()
        running.follow("done", events.on_progress, within_s=within_s)
        found = running.result()
    use = None if database is None else database.use(found)
    return MeasuredWindow(found, _cost(before, after), machines, use)


def _usage(meter: Meter | None) -> Usage | None:
    return None if meter is None else meter.snapshot()


def _cost(before: Usage | None, after: Usage | None) -> ServerCost | None:
    if before is None or after is None or after.processes == 0:
        return None
    return server_cost(before, after)


def _contention(ready: ReadyArm, server: LiveServer, found: MeasuredWindow) -> Contention:
    """The part of the server's processors that others took."""
    cpu, per_s = found.measurement.cpu, found.measurement.throughput_per_s
    return processors_of(ready, server).share(
        found.machines, found.known_s, cpu.user_s + cpu.system_s, per_s
    )


def _verdict(
    trial: Trial,
    ready: ReadyArm,
    found: MeasuredWindow,
    plan: EnginePlan,
    ceiling: Ceiling | None,
    contention: Contention | None,
) -> tuple[Status, tuple[Reason, ...]]:
    cell = trial.cell
    only_by_count = cell.load.duration is None and not cell.load.in_sessions
    verdict = judge(
        found.measurement,
        Context(
            plan,
            ceiling_per_s=ceiling and ceiling.per_s,
            ceiling_is_bound=ceiling is not None and ceiling.is_bound,
            shared_cores=ready.pinning.shared,
            expected_count=cell.load.count if only_by_count else None,
            in_study=True,
            settings=ready.settings,
            as_published=cell.as_published,
            check_command=ready.check_command,
            machines=found.machines,
            paths=ready.site.paths,
            contention=contention,
            database=found.database,
            queries=ready.workload.queries,
            server_share=found.server_share(len(ready.pinning.server)),
            server_cores=ready.server_cores,
            budget=_budget(cell.load),
        ),
    )
    return verdict.status, verdict.reasons


def _budget(load: AnyLoad) -> Budget:
    return Budget.of_limits(parse_limit(text) for text in load.error_budget)


def died_reason(code: int, killed: str | None, ready: ReadyArm) -> Reason:
    """The reason for a server that ended while it was measured."""
    how = f"signal {-code}" if code < 0 else f"code {code}"
    text = f"the server exited with {how} while it was measured"
    if killed is not None:
        text = f"httpdyno killed the server while it was measured: {killed}"
    return Reason(code="died", status="invalid", text=text, hint=f"read its log: {ready.log}")


def without_result(trial: Trial, started_at: float, error: HttpdynoError) -> TrialOutcome:
    """The outcome of a trial that could not be measured."""
    stage = NODE_LOST if isinstance(error, NodeFault) else getattr(error, "stage", "measure")
    hint = error.hint or "read the server's log"
    reason = Reason(code=stage, status="invalid", text=error.message, hint=hint)
    return outcome_of(trial, started_at, "invalid", (reason,), None, None)


def outcome_of(
    trial: Trial,
    started_at: float,
    status: Status,
    reasons: tuple[Reason, ...],
    found: MeasuredWindow | None,
    ceiling: Ceiling | None,
) -> TrialOutcome:
    """A trial with its cell, which ends now."""
    arm, load, point = trial.cell.key
    return TrialOutcome(
        index=trial.index,
        block=trial.block,
        arm=arm,
        load=load,
        point=point,
        started_at=started_at,
        ended_at=time.time(),
        status=status,
        reasons=reasons,
        measurement=found.measurement if found else None,
        server=found.cost if found else None,
        machines=found.machines if found else (),
        database=found.database if found else None,
        ceiling_per_s=ceiling and ceiling.per_s,
        ceiling_is_bound=ceiling is not None and ceiling.is_bound,
    )
