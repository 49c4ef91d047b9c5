"""One running server, and the rates that are held on it one after the other."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from httpdyno import engine
from httpdyno.capacity.limits import (
    SETTLE_S,
    connections_for,
    excess_of,
    parse_limits,
    settle_s,
    why_never,
)
from httpdyno.capacity.step import judge_step
from httpdyno.engine_plan import Arrivals, EnginePlan, Segment, Stop
from httpdyno.engine_plan import ClosedLoad as EngineClosedLoad
from httpdyno.errors import InternalFault
from httpdyno.limits.budget import Budget
from httpdyno.limits.thresholds import Threshold
from httpdyno.limits.walk import WalkStep
from httpdyno.measurement import Measurement
from httpdyno.outcome import ServerCost
from httpdyno.plan import Cell, Trial
from httpdyno.running.live.events import Events
from httpdyno.running.machines.site import LiveServer
from httpdyno.running.measuring.ceiling import Ceiling, closed
from httpdyno.running.measuring.engine_plan import engine_plan
from httpdyno.running.measuring.processors import Processors, processors_of
from httpdyno.running.measuring.trial import MeasuredWindow, run_plan
from httpdyno.running.prepare import ReadyArm
from httpdyno.study import CapacityLoad, RequestsLoad
from httpdyno.study.loads import Point
from httpdyno.units import LOWEST_RATE
from httpdyno.verdict import Context, judge
from httpdyno.verdict.contention import Neighbours, in_words, most_contention
from httpdyno.verdict.judge import Verdict
from httpdyno.workloads import Workload

ALONE_S = 1.0
WARM_UP_SHARE = 0.7
FULL_SPEED_S = 0.5


@dataclass(frozen=True)
class HeldStep:
    """A step that held, with its measurement."""

    step: WalkStep
    measured: MeasuredWindow
    verdict: Verdict


@dataclass
class MeasuredStart:
    """Measures one start of a server. It keeps the steps, and the last one that held."""

    trial: Trial
    ready: ReadyArm
    server: LiveServer
    ceiling: Ceiling | None
    events: Events
    steps: list[WalkStep] = field(default_factory=list)
    held: HeldStep | None = None
    why_never: str = ""
    """Why no rate can hold the limits, in words; empty: one may."""
    _runs: int = 0
    _neighbours: Neighbours | None = None

    @property
    def load(self) -> CapacityLoad:
        """The load of the trial."""
        return capacity_load(self.trial.cell)

    @property
    def limits(self) -> tuple[Threshold, ...]:
        """The limits that have to hold."""
        return parse_limits(self.load.limits)

    def warm_up(self, rate_per_s: float) -> None:
        """Warms the server up below a rate, so that no queue of a cold start is left over."""
        if self.trial.cell.warm_up_s > 0:
            seconds = self.trial.cell.warm_up_s + self.ready.workload.pauses_s
            self._measure(self._plan(self._steady(WARM_UP_SHARE * rate_per_s, seconds, 0.0)))

    def step(self, rate_per_s: float) -> WalkStep:
        """Holds a rate for as long as the limits need."""
        return self.hold(rate_per_s, self.step_s(rate_per_s))

    def step_s(self, rate_per_s: float) -> float:
        """The length of a step at a rate."""
        return self.load.step_s(rate_per_s, self.ready.workload.shares)

    def hold(self, rate_per_s: float, seconds: float) -> WalkStep:
        """Holds a rate for some time."""
        settle = settle_s(self.limits) + self.ready.workload.pauses_s
        plan = self._plan(self._steady(rate_per_s, seconds, settle))
        found = self._measure(plan)
        measurement = found.measurement
        verdict = judge(measurement, self._context(plan, found))
        share, disturbed = self._contention(found)
        outcome, use, why = judge_step(
            measurement, verdict.reasons, self.limits, engine.quantiles, disturbed
        )
        step = _walk_step(rate_per_s, measurement, found.cost).model_copy(
            update={
                "outcome": outcome,
                "use": use,
                "why": why,
                "excess": excess_of(self.limits, measurement, engine.quantiles),
                "taken_share": share,
            }
        )
        self.steps.append(step)
        if outcome == "held":
            self.held = HeldStep(step, found, verdict)
        return step

    def _context(self, plan: EnginePlan, found: MeasuredWindow) -> Context:
        """The circumstances of a step, by which its verdict is made."""
        return Context(
            plan,
            ceiling_per_s=self.ceiling and self.ceiling.per_s,
            ceiling_is_bound=self.ceiling is not None and self.ceiling.is_bound,
            shared_cores=self.ready.pinning.shared,
            in_study=True,
            settings="none",  # the search sets the load of each step
            check_command=self.ready.check_command,
            machines=found.machines,
            paths=self.ready.site.paths,
            database=found.database,
            queries=self.ready.workload.queries,
            server_share=found.server_share(len(self.ready.pinning.server)),
            server_cores=self.ready.server_cores,
            budget=Budget.of_limits(self.limits),
        )

    def disturbance(self) -> str:
        """The share of the server's processors that others took over all steps, in words; empty if
        it is too small to matter."""
        seconds = sum(step.seconds for step in self.steps)
        taken_s = sum(step.taken_share * step.seconds for step in self.steps)
        most = most_contention(seconds, len(self._processors.cores))
        return in_words(taken_s / seconds, most) if taken_s > most * seconds else ""

    @property
    def _processors(self) -> Processors:
        return processors_of(self.ready, self.server)

    def _contention(self, found: MeasuredWindow) -> tuple[float, str]:
        """The share of the server's processors that others took, and in words if it is much."""
        processors = self._processors
        if self._neighbours is None:
            self._neighbours = Neighbours(processors.idle())
        engine_s = found.measurement.cpu.user_s + found.measurement.cpu.system_s
        step = processors.contention_shares(found.machines, found.known_s, engine_s)
        share = self._neighbours.share(step, found.measurement.throughput_per_s)
        most = most_contention(found.measurement.window_s, len(processors.cores))
        return share, in_words(share, most) if share > most else ""

    def full_speed_per_s(self) -> float:
        """The throughput of a short closed load on the same connections."""
        warm_up_s = max(SETTLE_S, self.trial.cell.warm_up_s)
        cell = replace(closed(self.trial.cell, FULL_SPEED_S), warm_up_s=warm_up_s)
        measurement = self._measure(self._at_full_speed(cell)).measurement
        return max(LOWEST_RATE, measurement.throughput_per_s)

    def can_hold(self) -> bool:
        """False if no rate can hold the limits: calls that come one at a time break them in two
        tries. Several load generators cannot send one at a time, so they try every rate."""
        if sum("generator" in machine.roles for machine in self.ready.site.machines) > 1:
            return True
        cell = closed(self.trial.cell, ALONE_S)
        cell = replace(cell, point=replace(cell.point, connections=1), warm_up_s=SETTLE_S)
        broken = self._why_never(cell) and self._why_never(cell)
        self.why_never = broken and f" even for calls that come one at a time: {broken}"
        return not broken

    def _why_never(self, cell: Cell) -> str:
        found = self._measure(self._at_full_speed(cell))
        measurement, disturbed = found.measurement, self._contention(found)[1]
        outcome = judge_step(measurement, (), self.limits, engine.quantiles, disturbed).outcome
        if outcome == "held":
            return ""
        return why_never(self.limits, measurement, engine.quantiles, noisy=outcome != "failed")

    def schedule(self, segments: list[Segment], warm_up_s: float, seconds: float) -> Measurement:
        """Offers rates that change, on a schedule."""
        most = max(segment.from_per_s for segment in segments)
        plan = self._plan(self._steady(most, seconds, warm_up_s))
        if isinstance(plan.load, EngineClosedLoad):
            raise InternalFault("an overload is offered at rates")
        arrivals = Arrivals(spacing=self.load.arrivals, segments=segments)
        arrivals = arrivals.with_factor(1 / plan.calls_per_session)
        load, stop = replace(plan.load, arrivals=arrivals), Stop(duration_s=seconds)
        return self._measure(replace(plan, load=load, stop=stop)).measurement

    def _measure(self, plan: EnginePlan) -> MeasuredWindow:
        return run_plan(plan, self.server, self.events, self.ready)

    def _plan(self, cell: Cell) -> EnginePlan:
        return self._plan_of(cell, self.ready.workload)

    def _at_full_speed(self, cell: Cell) -> EnginePlan:
        """The plan of a closed load, in which nobody pauses."""
        return self._plan_of(cell, self.ready.workload.without_pauses)

    def _plan_of(self, cell: Cell, workload: Workload) -> EnginePlan:
        seed = (self.trial.seed + self._runs) % 2**32
        self._runs += 1
        return engine_plan(cell, workload, self.server.target, self.ready.pinning, seed)

    def _steady(self, rate_per_s: float, seconds: float, warm_up_s: float) -> Cell:
        """The cell as an open load with one rate."""
        cell, load, workload = self.trial.cell, self.load, self.ready.workload
        pause_s = workload.pauses_s / workload.calls
        needed = connections_for(self.limits, rate_per_s, pause_s)
        connections = cell.point.connections or needed
        steady = RequestsLoad(
            kind="requests",
            rate=(rate_per_s,),
            connections=connections,
            arrivals=load.arrivals,
            duration=seconds,
            http=load.http,
            streams=load.streams,
            keep_alive=load.keep_alive,
            burst=load.burst,
            timeout=load.timeout,
            connect_timeout=load.connect_timeout,
            first_byte_timeout=load.first_byte_timeout,
            calls_per_connection=load.calls_per_connection,
        )
        point = Point("step", rate_per_s, connections)
        return replace(cell, load=steady, point=point, warm_up_s=warm_up_s)


def capacity_load(cell: Cell) -> CapacityLoad:
    """The load of a cell that is a search for a capacity."""
    if not isinstance(cell.load, CapacityLoad):
        raise InternalFault(f"`{cell.load_name}` is not a capacity load")
    return cell.load


def _walk_step(rate_per_s: float, m: Measurement, cost: ServerCost | None) -> WalkStep:
    replies = m.throughput_per_s * min(cost.window_s, m.window_s) if cost else 0.0
    response = m.times.response
    return WalkStep(
        rate_per_s=rate_per_s,
        outcome="failed",
        use=None,
        seconds=m.window_s,
        throughput_per_s=m.throughput_per_s,
        p50_s=response.p50_ns * 1e-9 if response.count else None,
        p99_s=response.p99_ns * 1e-9 if response.count else None,
        error_share=m.error_share,
        generator_lag_p99_s=m.times.lag.p99_ns * 1e-9,
        server_cpu_s_per_request=cost.cpu_s / replies if cost and replies > 0 else None,
        server_cores_used=cost.cpu_s / cost.window_s if cost and cost.window_s > 0 else None,
        server_rss_bytes=cost.rss_peak_bytes if cost else None,
    )
