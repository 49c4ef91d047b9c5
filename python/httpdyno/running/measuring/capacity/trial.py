"""One trial of a capacity load: a climb, a confirmation or a profile, on a fresh server."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence

from httpdyno.capacity.limits import confirm_s
from httpdyno.capacity.search import Bracket, bracket, climb, descend, first_rate
from httpdyno.errors import NodeFault, TargetError
from httpdyno.limits.walk import Walk, WalkStep
from httpdyno.outcome import TrialOutcome
from httpdyno.plan import Trial
from httpdyno.result import Reason, Status
from httpdyno.running.listener import Listener
from httpdyno.running.measuring.capacity.overload import fits, overload
from httpdyno.running.measuring.capacity.reasons import reasons
from httpdyno.running.measuring.capacity.rig import Rig, capacity_load
from httpdyno.running.measuring.trial import died_reason, outcome_of, without_result
from httpdyno.running.prepare import ReadyArm
from httpdyno.statistics.capacity.rows import confirmed_rate, known_capacities, settled_capacities
from httpdyno.study.model import HIGHEST_RATE

CEILING_SHARE = 0.8
"""The search ends at this share of the generator's ceiling; the verdict has the same limit."""
BRACKET_SHARE = 1 / 3
"""The length of a step of the bracket, as a share of a step of a climb."""
LEAST_BRACKET_S = 0.4
PROFILE_SHARES = (0.25, 0.5, 0.8)
PROFILE_STEP_S = 2.0
OWN_RULES = {"ceiling", "too_short", "too_few", "unsent", "backlog"}
"""Reasons of a verdict for which a search has its own rules: where it ends, how long a step is, and
how many calls may wait. Those that wait count in the limits, at their age when the step ended, and
a queue that is left over makes the limits harder to hold."""


def run_capacity_trial(
    trial: Trial,
    ready: ReadyArm,
    ceiling_per_s: float | None,
    listener: Listener,
    earlier: Sequence[TrialOutcome],
) -> TrialOutcome:
    """Measures a trial. `earlier`: the trials of the same cell. Never raises for a server that
    fails or a machine that is lost. Raises EnvironmentFault when this machine prevents the
    measurement."""
    started_at = time.time()
    most = most_per_s(trial, ceiling_per_s)
    try:
        found, walk = None, None
        if trial.task == "climb" and not known_capacities(earlier):
            with ready.start() as server:
                rig = Rig(trial, ready, server, ceiling_per_s, listener)
                found = _bracket(rig, most)
                died, killed = server.exit_code, server.killed_because
            if found.good is None:
                walk = _walk(rig, ended="never")
        if walk is None:
            with ready.start() as server:
                rig = Rig(trial, ready, server, ceiling_per_s, listener)
                walk = _TASKS[trial.task](rig, found, earlier, most)
                died, killed = server.exit_code, server.killed_because
    except (NodeFault, TargetError) as error:
        return without_result(trial, started_at, error)
    found_reasons = reasons(walk, rig.load, most, rig.why_never)
    if died is not None:
        found_reasons.insert(0, died_reason(died, killed, ready))
    return _outcome(trial, started_at, walk, rig, found_reasons)


def most_per_s(trial: Trial, ceiling_per_s: float | None) -> float:
    """Where the search ends."""
    ends = [HIGHEST_RATE, capacity_load(trial.cell).rate_max or HIGHEST_RATE]
    return min([*ends, CEILING_SHARE * ceiling_per_s] if ceiling_per_s else ends)


def _bracket(rig: Rig, most: float) -> Bracket:
    def measure(rate_per_s: float) -> WalkStep:
        return rig.hold(rate_per_s, max(LEAST_BRACKET_S, BRACKET_SHARE * rig.step_s(rate_per_s)))

    full_speed_per_s = rig.full_speed_per_s()
    if not rig.can_hold():
        return Bracket(None, None)
    return bracket(measure, full_speed_per_s, most)


def _climb(rig: Rig, found: Bracket | None, earlier: Sequence[TrialOutcome], most: float) -> Walk:
    jitter = random.Random(rig.trial.seed).random()  # noqa: S311 - a rate, not a secret
    first = first_rate(found, known_capacities(earlier), jitter)
    rig.warm_up(first)
    ended = climb(rig.step, first, most)
    return _walk(
        rig,
        ended=ended.ended,
        capacity_per_s=ended.capacity_per_s,
        at_least_per_s=ended.at_least_per_s,
    )


def _confirm(rig: Rig, _: Bracket | None, earlier: Sequence[TrialOutcome], _most: float) -> Walk:
    rate_per_s = confirmed_rate(earlier)
    if rate_per_s is None:
        return _walk(rig)
    rig.warm_up(rate_per_s)
    seconds = confirm_s(rig.step_s(rate_per_s))
    found = descend(lambda rate: rig.hold(rate, seconds), rate_per_s)
    return _walk(rig, held=found.held, sustained_per_s=found.sustained_per_s)


def _profile(rig: Rig, _: Bracket | None, earlier: Sequence[TrialOutcome], _most: float) -> Walk:
    known = sorted(settled_capacities(earlier))
    if not known:
        return _walk(rig)
    capacity = known[len(known) // 2]
    rig.warm_up(capacity)
    for share in PROFILE_SHARES:
        rate_per_s = share * capacity
        rig.hold(rate_per_s, max(PROFILE_STEP_S, rig.step_s(rate_per_s)))
    seconds = overload(rig, capacity) if fits(capacity, rig.ceiling_per_s) else ()
    return _walk(rig, overload=seconds)


_TASKS: dict[str, Callable[[Rig, Bracket | None, Sequence[TrialOutcome], float], Walk]] = {
    "climb": _climb,
    "confirm": _confirm,
    "profile": _profile,
}


def _walk(rig: Rig, **found: object) -> Walk:
    cores = len(rig.ready.pinning.server)
    return Walk.model_validate(
        {"task": rig.trial.task, "cores": cores, "steps": tuple(rig.steps), **found}
    )


def _outcome(
    trial: Trial, started_at: float, walk: Walk, rig: Rig, found: list[Reason]
) -> TrialOutcome:
    held = rig.held
    statuses: set[Status] = {one.status for one in found}
    if held is not None:
        others = [one for one in held.verdict.reasons if one.code not in OWN_RULES]
        found += others
        statuses |= {held.verdict.status} if others else set()
    worst: Status = "suspect" if "suspect" in statuses else "valid"
    status: Status = "invalid" if "invalid" in statuses else worst
    outcome = outcome_of(
        trial,
        started_at,
        status,
        tuple(found),
        held.measured if held else None,
        rig.ceiling_per_s,
    )
    return outcome.model_copy(update={"walk": walk})
