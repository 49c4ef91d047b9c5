"""The plan of a study: its trials, block by block, each block shuffled with a seed.

The same study and seed give the same plan.

A block is one pass over all cells in a fresh random order. So whatever drifts (heat, other
programs, a clock) affects all arms alike.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import assert_never

from httpdyno.capacity.limits import bracket_step_s, confirm_s, parse_limits, step_s
from httpdyno.capacity.limits import in_words as limits_in_words
from httpdyno.capacity.limits import settle_s as lead_s
from httpdyno.limits.walk import Task
from httpdyno.study import AnyLoad, CapacityLoad, ClosedLoad, RequestsLoad, SessionsLoad, Study
from httpdyno.study.abilities import ANY, START_AND_STOP_S, Abilities, connections, refusal
from httpdyno.study.names import arm_name
from httpdyno.study.precision import FEWEST_LOOKED_AT, plus_minus
from httpdyno.units import rate, roughly

AA_SUFFIX = " (A/A)"

GUESSED_RATE = 1500.0
"""Replies/s of a server that is not measured yet, for the estimate only."""
CEILING_S, SHORTEST_CEILING_S = 1.5, 0.2
"""The longest and the shortest window in which the generator's ceiling is measured."""
CEILING_TRIES = 2
"""Other programs can only lower a ceiling: the higher of two is nearer to the truth."""
AROUND_CEILING_S = 0.7
"""The time around the measurements of one ceiling, for the estimate only."""

BRACKET_S, STEPS_OF_A_BRACKET = 2.5, 10
"""The steps of a bracket, and the time before them, for the estimate only."""
STEPS_OF_A_CLIMB = {"constant": 7, "uniform": 9, "exponential": 9}
"""The steps of a climb by the spacing of its arrivals, for the estimate only."""
BETWEEN_S = 0.1
"""The time between two steps, for the estimate only."""
PROFILE_SHARES, PROFILE_STEP_S, OVERLOAD_S = (0.25, 0.5, 0.8), 2.0, 21.0
"""The steps of a profile, and the time of the overload after them."""

NO_LIMITS: Mapping[str, Abilities] = {}
Rates = Mapping[tuple[str, str, str], float]
"""Capacities that are known, by the key of their cell."""
NO_RATES: Rates = {}


@dataclass(frozen=True)
class Arm:
    """Server, deployment and workload. `control_of`: the arm of which this is the A/A control."""

    name: str
    server: str
    deployment: str
    workload: str
    control_of: str | None = None
    warm_up_s: float = 0.0
    """The least warm-up it needs, under loads that do not set their own."""
    alone: bool = False
    """One of the user's own, whose name has no deployment."""


@dataclass(frozen=True)
class Point:
    """One point of a load: its rate (open loads) and its connections (closed, requests)."""

    label: str
    rate_per_s: float | None
    connections: int | None


@dataclass(frozen=True)
class Cell:
    """An arm at a load point: one trial measures it, and every block repeats it."""

    arm: Arm
    load_name: str
    load: AnyLoad
    point: Point
    warm_up_s: float
    refused: str | None = None
    """Why it is not measured: its server does not support the load. None: it is measured."""
    notes: tuple[str, ...] = ()
    """Changes to the load for this cell alone, because of its server's limits."""
    around_s: float = START_AND_STOP_S
    """Starting, checking and stopping the server, for the estimate only."""
    as_published: bool = False
    """Its load repeats a published one, whose shape is history's own."""

    @property
    def key(self) -> tuple[str, str, str]:
        """Names the cell within its study."""
        return (self.arm.name, self.load_name, self.point.label)

    @property
    def count(self) -> int | None:
        """Measured arrivals after which a trial stops; None: it stops by duration."""
        if isinstance(self.load, CapacityLoad):
            return None
        return self.load.sessions if isinstance(self.load, SessionsLoad) else self.load.requests

    @property
    def expected_s(self) -> float:
        """The expected length of the measured part of a trial; of a climb, that of a step."""
        if isinstance(self.load, CapacityLoad):
            return length_s(self.load, GUESSED_RATE)
        ends = [] if self.load.duration is None else [self.load.duration]
        if self.count is not None:
            ends.append(self.count / (self.point.rate_per_s or GUESSED_RATE))
        return min(ends)

    @property
    def ceiling_s(self) -> float:
        """The window in which the generator's ceiling is measured: no longer than a trial, unless
        a search ends at the ceiling."""
        if isinstance(self.load, CapacityLoad):
            return CEILING_S
        return min(CEILING_S, max(SHORTEST_CEILING_S, self.expected_s))


def length_s(load: CapacityLoad, rate_per_s: float) -> float:
    """The length of a step of a search."""
    return step_s(parse_limits(load.limits), rate_per_s, load.least_step_s, load.arrivals)


@dataclass(frozen=True)
class Trial:
    """One measurement of one cell on a fresh server. `seed` is for the engine."""

    index: int
    block: int
    cell: Cell
    seed: int
    task: Task = "measure"

    @property
    def follows(self) -> bool:
        """True if it follows the blocks of its study."""
        return self.task in ("confirm", "profile")


def plan(study: Study, seed: int, abilities: Mapping[str, Abilities] = NO_LIMITS) -> list[Trial]:
    """All trials in order: each block has each cell once, freshly shuffled.

    It includes refused cells, so that a trial's index does not depend on the servers' limits.
    """
    every = cells(study, abilities)
    trials: list[Trial] = []
    for block in range(study.blocks):
        source = random.Random(f"{seed}:{block}")  # noqa: S311 - a shuffle, not a secret
        shuffled = [cell for cell in every if cell.load.blocks is None or block < cell.load.blocks]
        source.shuffle(shuffled)
        trials += [
            Trial(len(trials) + number, block, cell, source.randrange(1, 2**32), _task(cell))
            for number, cell in enumerate(shuffled)
        ]
    return [*trials, *_follow_ups(every, study.blocks, seed, len(trials))]


def _task(cell: Cell) -> Task:
    return "climb" if isinstance(cell.load, CapacityLoad) else "measure"


def _follow_ups(every: Sequence[Cell], blocks: int, seed: int, index: int) -> list[Trial]:
    """The trials after the blocks: round by round, each shuffled."""
    trials: list[Trial] = []
    for number in range(max((len(follow_ups(cell)) for cell in every), default=0)):
        source = random.Random(f"{seed}:{blocks + number}")  # noqa: S311 - as above
        due = [cell for cell in every if number < len(follow_ups(cell))]
        source.shuffle(due)
        for cell in due:
            task, place = follow_ups(cell)[number], index + len(trials)
            trials.append(Trial(place, blocks + number, cell, source.randrange(1, 2**32), task))
    return trials


def follow_ups(cell: Cell) -> list[Task]:
    """The tasks for a cell after its blocks: a capacity is confirmed and profiled."""
    if not isinstance(cell.load, CapacityLoad):
        return []
    confirm: list[Task] = ["confirm"] * cell.load.confirm
    return [*confirm, "profile"] if cell.load.profile else confirm


def cells(study: Study, abilities: Mapping[str, Abilities] = NO_LIMITS) -> list[Cell]:
    """Every arm at every load point that it is declared for, in the order of the file.

    `abilities`, by arm: a cell that exceeds its server's limits is refused, or gets a smaller load.
    """
    return [
        _fitted(
            Cell(
                arm,
                name,
                load,
                point,
                _warm_up_s(study, load, arm),
                as_published=is_published(study, name),
            ),
            abilities.get(arm.control_of or arm.name, ANY),
        )
        for name, load in study.loads.items()
        for point in points(load)
        for arm in arms(study)
        if load.arms is None or (arm.control_of or arm.name) in load.arms
    ]


def is_published(study: Study, load: str) -> bool:
    """True if a load repeats one that a post has numbers for."""
    return any(row.load == load for row in study.published)


def _warm_up_s(study: Study, load: AnyLoad, arm: Arm) -> float:
    """The load's own warm-up; else the study's, but no less than the arm needs."""
    return max(study.warm_up, arm.warm_up_s) if load.warm_up is None else load.warm_up


def _fitted(cell: Cell, abilities: Abilities) -> Cell:
    """The cell within its server's limits."""
    asked = cell.point.connections
    given = connections(cell.load, asked, abilities)
    notes: tuple[str, ...] = ()
    if given is not None and asked is not None and given < asked:
        notes = (
            f"given {_connections(given)} instead of {asked:,}: the server handles no more at once,"
            " and with keep-alive the others would wait for ever",
        )
    return replace(
        cell,
        point=replace(cell.point, connections=given),
        refused=refusal(cell.load, abilities),
        notes=notes,
        around_s=abilities.around_s,
    )


def arms(study: Study) -> list[Arm]:
    """Every arm, in the order of the file, with the A/A control right after the baseline."""
    found: list[Arm] = []
    for group in study.arms:
        workload = group.workload or study.workload
        for deployment in group.deployments:
            shown = workload if study.names_workloads else None
            alone = group.own_kind is not None
            name = arm_name(group.name or group.server, None if alone else deployment, shown)
            warm_up_s = group.warm_up or 0.0
            arm = Arm(name, group.server, deployment, workload, warm_up_s=warm_up_s, alone=alone)
            found.append(arm)
    if study.aa_control:
        at = next(i for i, arm in enumerate(found) if arm.name == baseline(study, found))
        one = found[at]
        control = replace(one, name=one.name + AA_SUFFIX, control_of=one.name)
        found.insert(at + 1, control)
    return found


def baseline(study: Study, among: Sequence[Arm]) -> str:
    """The name of the arm that others are compared with: the declared one, else the first."""
    names = [arm.name for arm in among]
    return study.baseline if study.baseline in names else names[0]


def baselines(study: Study, among: Sequence[Arm]) -> dict[str, str]:
    """The baseline of each workload, because arms of different workloads are not compared.

    For a workload other than the declared baseline's, it is the arm with the same server and
    deployment, else the first arm.
    """
    first = next(arm for arm in among if arm.name == baseline(study, among))
    found = {first.workload: first.name}
    for alike in (True, False):
        for arm in among:
            same = (arm.server, arm.deployment) == (first.server, first.deployment)
            if arm.control_of is None and (same or not alike):
                found.setdefault(arm.workload, arm.name)
    return found


def points(load: AnyLoad) -> list[Point]:
    """The points of a load, in the order of the file; a capacity has one."""
    match load:
        case ClosedLoad():
            return [Point(_connections(one), None, one) for one in load.connections]
        case RequestsLoad():
            return [Point(_label(one), one, load.connections) for one in load.rate]
        case CapacityLoad():
            return [Point(limits_in_words(parse_limits(load.limits)), None, load.connections)]
        case SessionsLoad():
            return [Point(f"{_label(one)} sessions", one, load.max_open) for one in load.rate]
        case _:
            assert_never(load)


def _label(per_second: float) -> str:
    """A rate in three digits, or in all of them if three would be another rate's label too."""
    short = rate(per_second)
    if float(short.removesuffix("/s").replace(",", "")) == per_second:
        return short
    return f"{per_second:,}".removesuffix(".0") + "/s"


def trials_s(trials: Sequence[Trial], rates: Rates = NO_RATES) -> float:
    """The estimated time of these trials, with server starts. `rates`: the capacities that are
    known, on which the lengths of steps depend."""
    measured = (trial for trial in trials if trial.cell.refused is None)
    return sum(_trial_s(trial, rates.get(trial.cell.key)) for trial in measured)


def total_s(trials: Sequence[Trial]) -> float:
    """The estimated time of a run of these trials, once the servers are installed.

    Before the trials, each arm is checked, and the generator's ceiling for each shape is measured.
    """
    measured = [trial.cell for trial in trials if trial.cell.refused is None]
    around = {cell.arm.name: cell.around_s for cell in measured}
    windows: dict[object, float] = {}
    for cell in measured:
        shape = cell.load_name, cell.point.connections, cell.arm.workload
        windows[shape] = max(cell.ceiling_s, windows.get(shape, 0.0))
    ceilings = sum(AROUND_CEILING_S + ceiling_trials_s(window) for window in windows.values())
    return sum(around.values()) + ceilings + trials_s(trials)


def ceiling_warm_up_s(window_s: float) -> float:
    """The warm-up before the window of a ceiling."""
    return min(0.3, window_s)


def ceiling_trials_s(window_s: float) -> float:
    """The time of the measurements of one ceiling."""
    return CEILING_TRIES * (ceiling_warm_up_s(window_s) + window_s)


def in_words(trials: Sequence[Trial], until: float | None = None) -> str:
    """`24 trials, about 2 min`. `until`: the precision that may end the study earlier."""
    noun = "trial" if len(trials) == 1 else "trials"
    words = f"{len(trials):,} {noun}, about {roughly(total_s(trials))}"
    if until is None:
        return words
    blocks = max((trial.block + 1 for trial in trials), default=0)
    return (
        f"at most {blocks} blocks ({words}); it ends once each difference is known to"
        f" {plus_minus(until)}, after block {FEWEST_LOOKED_AT} at the earliest"
    )


def _trial_s(trial: Trial, rate_per_s: float | None) -> float:
    cell = trial.cell
    if isinstance(cell.load, CapacityLoad):
        return cell.around_s + cell.warm_up_s + _search_s(trial, cell.load, rate_per_s)
    return cell.around_s + cell.warm_up_s + cell.expected_s


def _search_s(trial: Trial, load: CapacityLoad, known_per_s: float | None) -> float:
    """The estimated time of a climb or what follows it; the first climb has a bracket before it."""
    rate_per_s = known_per_s or GUESSED_RATE
    settle_s, each_s = lead_s(parse_limits(load.limits)) + BETWEEN_S, length_s(load, rate_per_s)
    if trial.task == "confirm":
        return confirm_s(each_s) + settle_s
    if trial.task == "profile":
        steps = (max(PROFILE_STEP_S, length_s(load, x * rate_per_s)) for x in PROFILE_SHARES)
        return OVERLOAD_S + sum(steps) + len(PROFILE_SHARES) * settle_s
    climb_s = STEPS_OF_A_CLIMB[load.arrivals] * (each_s + settle_s)
    if trial.block > 0:
        return climb_s
    bracket_s = BRACKET_S + STEPS_OF_A_BRACKET * (bracket_step_s(each_s) + settle_s)
    return climb_s + bracket_s + trial.cell.around_s


def _connections(count: int) -> str:
    return f"{count:,} connection" + ("s" if count != 1 else "")
