"""One trial of a capacity load: a climb, a confirmation or a profile, on a fresh server."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from typing import TypeVar

from httpdyno.capacity.limits import bracket_step_s, confirm_s
from httpdyno.capacity.search import Bracket, bracket, climb, descend, first_rate
from httpdyno.errors import NodeFault, TargetError
from httpdyno.limits.walk import Walk, WalkStep
from httpdyno.outcome import TrialOutcome
from httpdyno.plan import Trial
from httpdyno.result import Reason, Status
from httpdyno.running.live.events import Events
from httpdyno.running.measuring.capacity.measured_start import (
    HeldStep,
    MeasuredStart,
    capacity_load,
)
from httpdyno.running.measuring.capacity.overload import fits, overload
from httpdyno.running.measuring.capacity.reasons import disturbance, reasons
from httpdyno.running.measuring.ceiling import Ceiling
from httpdyno.running.measuring.trial import died_reason, outcome_of, without_result
from httpdyno.running.prepare import ReadyArm
from httpdyno.statistics.capacity.rows import confirmed_rate, known_capacities, settled_capacities
from httpdyno.study.loads.capacity import PROFILE_SHARES, PROFILE_STEP_S
from httpdyno.units import HIGHEST_RATE

CEILING_SHARE = 0.8
"""The search ends at this share of the generator's ceiling; the verdict has the same limit."""
NEVER = 2
"""Starts that hold no rate, after which the others are not searched."""
MOST_REPEATED = 1
"""Climbs of a trial that the machine disturbed and that are repeated, each on a fresh start."""
_WORST_FIRST: tuple[Status, ...] = ("invalid", "suspect", "valid")
_Finding = TypeVar("_Finding")
DISTURBED = {"disturbed", "contradicted"}
STAYS_BUSY = (
    "The machine disturbed two searches in a row: stop other programs now. Or press Ctrl-C, and"
    " continue later with the same command and `--resume`"
)
OWN_RULES = {"ceiling", "too_short", "too_few", "unsent", "backlog"}
"""Reasons of a verdict for which a search has its own rules: where it ends, how long a step is, and
how many calls may wait. Those that wait count in the limits, at their age when the step ended, and
a queue that is left over makes the limits harder to hold."""


def run_capacity_trial(
    trial: Trial,
    ready: ReadyArm,
    ceiling: Ceiling | None,
    events: Events,
    earlier: Sequence[TrialOutcome],
    near: Callable[[float], None] = lambda _: None,
) -> TrialOutcome:
    """Measures a trial. `earlier`: the trials of the same cell. `near` is called with a rate near
    the capacity once it is known, long before the first trial ends. Never raises for a server that
    fails or a machine that is lost. Raises EnvironmentFault when this machine prevents the
    measurement."""
    started_at = time.time()
    most = most_per_s(trial, ceiling)
    starts = _Starts(trial, ready, ceiling, events)
    try:
        walk = _search(starts, earlier, most, near)
    except (NodeFault, TargetError) as error:
        return without_result(trial, started_at, error)
    if stays_busy(walk, earlier):
        events.note(STAYS_BUSY)
    is_bound = ceiling is not None and ceiling.is_bound
    found = reasons(walk, capacity_load(trial.cell), most, ceiling_is_bound=is_bound)
    if starts.died is not None:
        found.insert(0, starts.died)
    held = starts.last.held if starts.last else None
    return _outcome(trial, started_at, walk, held, ceiling, found)


class _Starts:
    """Starts of the server for one trial, one after the other."""

    def __init__(
        self, trial: Trial, ready: ReadyArm, ceiling: Ceiling | None, events: Events
    ) -> None:
        self.trial, self.ready, self.events = trial, ready, events
        self.ceiling = ceiling
        self.died: Reason | None = None
        """Why the last start ended by itself, if it did."""
        self.last: MeasuredStart | None = None

    def run_task(self, task: Callable[[MeasuredStart], _Finding]) -> _Finding:
        """Runs a task on a fresh start, and returns its finding."""
        with self.ready.start() as server:
            self.last = start = MeasuredStart(
                self.trial, self.ready, server, self.ceiling, self.events
            )
            found = task(start)
            code, killed = server.exit_code, server.killed_because
        self.died = None if code is None else died_reason(code, killed, self.ready)
        return found


def _search(
    starts: _Starts,
    earlier: Sequence[TrialOutcome],
    most: float,
    near: Callable[[float], None],
) -> Walk:
    """The walk of a trial; the first climb has a bracket before it, on a start of its own."""
    trial, found = starts.trial, None
    if trial.task == "climb" and not known_capacities(earlier):
        if sum(one.walk is not None and one.walk.ended == "never" for one in earlier) >= NEVER:
            why = f"not searched, because {NEVER} starts before it held no rate"
            cores = len(starts.ready.pinning.server)
            return Walk(task="climb", cores=cores, ended="skipped", why=why)
        started = starts.run_task(lambda start: _begin(start, most))
        if isinstance(started, Walk):
            return started
        found = started
        near(found.good or most)

    def task(start: MeasuredStart) -> Walk:
        return _TASKS[trial.task](start, found, earlier, most)

    def note(text: str) -> None:
        starts.events.note(f"{trial.cell.arm.name}: {text}")

    restarted = starts.ready.installation.server.running_at is None
    return repeat_if_disturbed(lambda: starts.run_task(task), note, restarted=restarted)


def repeat_if_disturbed(
    measure: Callable[[], Walk], note: Callable[[str], None], *, restarted: bool
) -> Walk:
    """The walk, repeated if it was disturbed or contradicts itself, but not for ever.

    `restarted`: on a fresh start of the server.
    """
    where = " on a fresh start" if restarted else ""
    for repeated in range(MOST_REPEATED + 1):
        walk = measure().model_copy(update={"repeated": repeated})
        if walk.ended not in DISTURBED:
            break
        if repeated < MOST_REPEATED:
            note(f"{disturbance(walk)}: the climb is repeated{where}")
    return walk


def stays_busy(walk: Walk, earlier: Sequence[TrialOutcome]) -> bool:
    """True if the machine disturbed this search, and the one before it or its repetition as well.

    `earlier`: the trials of the same cell.
    """
    before = earlier[-1].walk if earlier else None
    again = walk.repeated > 0 or (before is not None and before.ended in DISTURBED)
    return walk.ended in DISTURBED and again


def most_per_s(trial: Trial, ceiling: Ceiling | None) -> float:
    """Where the search ends."""
    ends = [HIGHEST_RATE, capacity_load(trial.cell).rate_max or HIGHEST_RATE]
    return min([*ends, CEILING_SHARE * ceiling.per_s] if ceiling and ceiling.per_s else ends)


def _begin(start: MeasuredStart, most: float) -> Bracket | Walk:
    """The bracket of an arm; or a walk without a capacity, where no rate held."""
    found = _bracket(start, most)
    if found.good is not None:
        return found
    noisy = not start.why_never and any(step.outcome == "disturbed" for step in start.steps)
    return _walk(start, ended="disturbed" if noisy else "never", why=start.why_never)


def _bracket(start: MeasuredStart, most: float) -> Bracket:
    def measure(rate_per_s: float) -> WalkStep:
        return start.hold(rate_per_s, bracket_step_s(start.step_s(rate_per_s)))

    full_speed_per_s = start.full_speed_per_s()
    if not start.can_hold():
        return Bracket(None, None)
    return bracket(measure, full_speed_per_s, most)


def _climb(
    start: MeasuredStart, found: Bracket | None, earlier: Sequence[TrialOutcome], most: float
) -> Walk:
    jitter = random.Random(start.trial.seed).random()  # noqa: S311 - a rate, not a secret
    first = first_rate(found, known_capacities(earlier), jitter)
    start.warm_up(first)
    ended = climb(start.step, first, most)
    if ended.ended == "limit" and (why := start.disturbance()):
        return _walk(start, ended="disturbed", why=why)
    return _walk(
        start,
        ended=ended.ended,
        capacity_per_s=ended.capacity_per_s,
        at_least_per_s=ended.at_least_per_s,
    )


def _confirm(
    start: MeasuredStart, _: Bracket | None, earlier: Sequence[TrialOutcome], _most: float
) -> Walk:
    rate_per_s = confirmed_rate(earlier)
    if rate_per_s is None:
        return _walk(start)
    start.warm_up(rate_per_s)
    seconds = confirm_s(start.step_s(rate_per_s))
    found = descend(lambda rate: start.hold(rate, seconds), rate_per_s)
    return _walk(start, held=found.held, sustained_per_s=found.sustained_per_s)


def _profile(
    start: MeasuredStart, _: Bracket | None, earlier: Sequence[TrialOutcome], _most: float
) -> Walk:
    known = sorted(settled_capacities(earlier))
    if not known:
        return _walk(start)
    capacity = known[len(known) // 2]
    start.warm_up(capacity)
    for share in PROFILE_SHARES:
        rate_per_s = share * capacity
        start.hold(rate_per_s, max(PROFILE_STEP_S, start.step_s(rate_per_s)))
    seconds = (
        overload(start, capacity) if fits(capacity, start.ceiling and start.ceiling.per_s) else ()
    )
    return _walk(start, overload=seconds)


_TASKS: dict[
    str, Callable[[MeasuredStart, Bracket | None, Sequence[TrialOutcome], float], Walk]
] = {
    "climb": _climb,
    "confirm": _confirm,
    "profile": _profile,
}


def _walk(start: MeasuredStart, **found: object) -> Walk:
    cores = len(start.ready.pinning.server)
    return Walk.model_validate(
        {"task": start.trial.task, "cores": cores, "steps": tuple(start.steps), **found}
    )


def _outcome(
    trial: Trial,
    started_at: float,
    walk: Walk,
    held: HeldStep | None,
    ceiling: Ceiling | None,
    found: list[Reason],
) -> TrialOutcome:
    """The outcome with the measurement of the last step that held, and what its verdict doubts."""
    if held is not None:
        found += [one for one in held.verdict.reasons if one.code not in OWN_RULES]
    statuses = {one.status for one in found}
    status = next((one for one in _WORST_FIRST if one in statuses), _WORST_FIRST[-1])
    measured = held.measured if held else None
    outcome = outcome_of(trial, started_at, status, tuple(found), measured, ceiling)
    return outcome.model_copy(update={"walk": walk})
