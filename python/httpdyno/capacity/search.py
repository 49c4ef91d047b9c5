"""The search on one start of a server: a bracket once for each arm, then one climb for each start.

A climb goes up only, in steps of 5 %, because an overloaded process is not the same afterwards: its
queues and its heap have grown. One failure alone is tried again, because a garbage collection or
another program can fail a step by chance (an inversion): a rate that failed once has to hold twice,
and two failures end the climb. Where chance decides a step, more of them around the end are fitted
(`fit.py`). A rate far above the end has to fail, or the climb begins again from there.

`measure` holds a rate on the running server and returns the step.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from httpdyno.capacity import fit
from httpdyno.limits.walk import Ending, StepOutcome

UP = 1.05
"""The ratio of neighbouring rates of a climb."""
DOWN = 0.8
"""The way down when the first rate of a climb does not hold."""
MOST_DOWN = 6
"""Most steps down of a climb."""
MOST_QUARTERS = 3
"""Most times that a bracket goes down to a quarter: to 1/512 of the throughput at full speed."""
MOST_STEPS = 60
MOST_DESCENTS = 12
"""Down to 56 % of the rate to confirm."""
TRIES = 2
"""Failures at one rate that end a climb; a rate that failed once has to hold twice."""
FIRST_OF_BRACKET = 0.85
"""Where the first climb begins, as a share of the bracket's lower end."""
FIRST = 0.93
"""Where later climbs begin, as a share of the median capacity of the earlier ones."""
NARROW = 1.2
"""A bracket is halved until its ends are so near to each other."""
FEWEST_DOUBLINGS = 8
"""The doubling begins at this part of the throughput at full speed."""
MOST_DISTURBED = 3
"""Disturbed steps of a climb at one rate that are repeated; one more ends the climb."""
MOST_REFUTED = 2
"""Times that a climb begins again because a rate far above its end held."""
REFUTING = 1.25
"""The rate that has to fail, as a share of the capacity; a goodput that refutes it."""
FEWEST_MORE, MOST_MORE = 2, 8
"""Steps around the capacity, where late calls grow gradually."""
BELOW = 0.94
"""Every other one is below it: a climb has few steps there if it began too high by chance."""
PRECISE = 0.03
"""A smaller standard error of the capacity of one start needs no more steps: starts are several."""
LARGEST_USE = 20.0
"""A use beyond this says no more about where the limit was crossed."""


class Step(Protocol):
    """The part of a step that the search reads; see `WalkStep`."""

    @property
    def rate_per_s(self) -> float:
        """The rate that was held."""

    @property
    def outcome(self) -> StepOutcome:
        """The outcome of the limits: they held, or failed, or the generator may be the cause."""

    @property
    def use(self) -> float | None:
        """The largest of value ÷ limit."""

    @property
    def seconds(self) -> float:
        """Its length."""

    @property
    def excess(self) -> float | None:
        """The share of late calls ÷ the share that the limit allows."""


Measure = Callable[[float], Step]
UNDECIDED = {"held", "disturbed"}
"""Outcomes of a step that do not end a climb."""


@dataclass(frozen=True)
class Bracket:
    """The highest rate that held and the lowest that did not; None: there was none."""

    good: float | None
    bad: float | None
    at_ceiling: bool = False
    """The next rate would be too near the generator's ceiling."""


@dataclass(frozen=True)
class Climb:
    """The end of a climb."""

    ended: Ending
    capacity_per_s: float | None = None
    at_least_per_s: float | None = None
    fitted: bool = False
    """From several steps around it, so that no two of them alone can end it too early."""


def bracket(measure: Measure, full_speed_per_s: float, most_per_s: float) -> Bracket:
    """Doubles the rate from an eighth of the throughput at full speed to the first failure, then
    halves the interval. Where the first rate fails, it goes down by quarters instead: a server that
    holds the limits only far below its full speed is rare, and slow to judge there."""
    rate = min(full_speed_per_s, most_per_s) / FEWEST_DOUBLINGS
    good: float | None = None
    bad: float | None = None
    for _ in range(1 + MOST_QUARTERS):
        outcome = _outcome(measure, rate)
        if outcome == "held":
            good = rate
            break
        if outcome == "disturbed":
            return Bracket(None, bad)
        bad, rate = rate, rate / 4
    if good is None:
        return Bracket(None, bad)
    while bad is None:
        if good * 2 > most_per_s:
            if good >= most_per_s * 0.999:
                return Bracket(good, None, at_ceiling=True)
            rate = most_per_s
        else:
            rate = good * 2
        good, bad = (rate, None) if _outcome(measure, rate) == "held" else (good, rate)
    while bad > good * NARROW:
        rate = math.sqrt(good * bad)
        good, bad = (rate, bad) if _outcome(measure, rate) == "held" else (good, rate)
    return Bracket(good, bad)


def _outcome(measure: Measure, rate: float) -> StepOutcome:
    """`held` if a rate holds, at once or in a second try: one pause must not end a bracket. Of the
    other outcomes, the last."""
    for _ in range(TRIES):
        outcome = measure(rate).outcome
        if outcome == "held":
            break
    return outcome


def first_rate(found: Bracket | None, earlier: Sequence[float], jitter: float) -> float:
    """Where a climb begins: below the earlier capacities, else below the bracket.

    `jitter`, 0 to 1, moves the rates of each climb by a part of a step: otherwise every climb
    would share the rounding of one grid.
    """
    known = sorted(earlier)
    if known:
        base = known[len(known) // 2] * FIRST
    elif found is not None and found.good is not None:
        base = found.good * FIRST_OF_BRACKET
    else:
        raise ValueError("a climb needs a bracket or an earlier capacity")
    return base / math.pow(UP, jitter)


def climb(measure: Measure, first_per_s: float, most_per_s: float) -> Climb:
    """Goes up until two failures at one rate, and finds the capacity around it. A rate far above it
    then has to fail: if it holds, the climb ended too early, and begins again from there."""
    first, good = first_per_s, None
    for _ in range(MOST_REFUTED + 1):
        found = _climb(measure, first, most_per_s, good)
        if found.ended != "limit" or found.capacity_per_s is None or found.fitted:
            return found
        above = found.capacity_per_s * REFUTING
        if above > most_per_s:
            return found
        probe = measure(above)
        if probe.outcome != "held":
            return found
        first, good = above * UP, probe
    return Climb("contradicted")


def _climb(measure: Measure, first_per_s: float, most_per_s: float, good: Step | None) -> Climb:
    rate, downs, steps = min(first_per_s, most_per_s * 1.001), 0, list[Step]()
    for _ in range(MOST_STEPS):
        if rate > most_per_s * 1.001:
            return Climb("ceiling", at_least_per_s=good.rate_per_s if good else None)
        tries = tries_at(measure, rate)
        steps += tries
        if tries[-1].outcome == "disturbed":
            return Climb("disturbed")
        if tries[-1].outcome == "held":
            good, rate = tries[-1], rate * UP
        elif good is not None:
            return _end_climb(measure, good, tries, steps)
        elif downs == MOST_DOWN:
            break
        else:
            rate, downs = rate * DOWN, downs + 1
    if good is None:
        return Climb("never")
    return Climb("longest", at_least_per_s=good.rate_per_s)


def tries_at(measure: Measure, rate: float) -> list[Step]:
    """One step that held, or two of three after a failure; the last one decides.

    Disturbed steps do not count. If there are too many, the last one is disturbed, and nothing is
    decided.
    """
    tries: list[Step] = []
    held = failed = disturbed = 0
    while failed < TRIES and held < (TRIES if failed else 1) and disturbed <= MOST_DISTURBED:
        tries.append(measure(rate))
        outcome = tries[-1].outcome
        disturbed += outcome == "disturbed"
        held += outcome == "held"
        failed += outcome in {"failed", "generator"}
    return tries


@dataclass(frozen=True)
class Descent:
    """The end of a confirmation. `held` None: too many steps were disturbed to say."""

    held: bool | None
    sustained_per_s: float | None = None


def descend(measure: Measure, first_per_s: float) -> Descent:
    """The highest rate that holds, going down from `first_per_s` in steps of 5 %.

    For rates that a climb found with steps that were too short. An overloaded process is not the
    same afterwards, so it is a cautious answer.
    """
    rate = first_per_s
    last = tries_at(measure, rate)[-1].outcome
    if last == "held":
        return Descent(True, rate)
    if last == "disturbed":
        return Descent(None)
    for _ in range(MOST_DESCENTS):
        rate /= UP
        if measure(rate).outcome == "held":
            return Descent(False, rate)
    return Descent(False)


def _end_climb(measure: Measure, good: Step, tries: Sequence[Step], steps: Sequence[Step]) -> Climb:
    failed = [one for one in tries if one.outcome not in UNDECIDED]
    if any(step.outcome == "generator" for step in failed):
        return Climb("generator", at_least_per_s=good.rate_per_s)
    return _narrow(measure, crossing(good, failed), failed, steps)


def _narrow(
    measure: Measure, found_per_s: float, failed: Sequence[Step], steps: Sequence[Step]
) -> Climb:
    """The capacity; where late calls grow gradually with the rate, from more steps around it."""
    known = [one for one in steps if one.outcome in {"held", "failed"}]
    if not fit.is_gradual(known, failed):
        return Climb("limit", found_per_s)
    best = fit.crossing(known, found_per_s)
    for count in range(MOST_MORE):
        if count >= FEWEST_MORE and (best is None or best.error <= PRECISE):
            break
        at = found_per_s if best is None else best.rate_per_s
        more = measure(at if count % 2 else at * BELOW)
        known += [more] if more.outcome in {"held", "failed"} else []
        best = fit.crossing(known, found_per_s)
    if best is None:
        return Climb("limit", found_per_s)
    return Climb("limit", best.rate_per_s, fitted=True)


def crossing(good: Step, failed: Sequence[Step]) -> float:
    """The rate at which the limit was crossed, by interpolation of the logarithms.

    The use of the failed rate is the geometric mean of its tries. A server that fell behind
    counts with the largest use. Without uses on both sides of 1, it is the middle of the step.
    """
    low, high = math.log(good.rate_per_s), math.log(failed[0].rate_per_s)
    below = _log_use(good)
    above = sum(map(_log_use, failed)) / len(failed)
    share = -below / (above - below) if below <= 0 < above else 0.5
    return math.exp(low + share * (high - low))


def _log_use(step: Step) -> float:
    use = LARGEST_USE if step.use is None else step.use
    return math.log(min(LARGEST_USE, max(1 / LARGEST_USE, use)))
