"""The plan of a study: its arms, its cells, and its trials, block by block, each block shuffled.

The same study and seed give the same plan.

A block is one pass over all cells in a fresh random order. So whatever drifts (heat, other
programs, a clock) affects all arms alike.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import cached_property

from httpdyno.limits.walk import Task
from httpdyno.study import AnyLoad, Study
from httpdyno.study.abilities import ANY, START_AND_STOP_S, Abilities, connections, refusal
from httpdyno.study.loads.shape import Point, TrialFacts
from httpdyno.study.precision import FEWEST_LOOKED_AT, plus_minus
from httpdyno.units import counted, roughly

AA_SUFFIX = " (A/A)"

CEILING_TRIES = 2
"""Other programs can only lower a ceiling: the higher of two is nearer to the truth."""
AROUND_CEILING_S = 0.7
"""The time around the measurements of one ceiling, for the estimate only."""

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
    def ceiling_s(self) -> float:
        """The window in which the generator's ceiling is measured."""
        return self.load.ceiling_s(self.point)


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


@dataclass(frozen=True)
class Plan:
    """A study with its arms, cells, baselines and trials; each is found once."""

    study: Study
    abilities: Mapping[str, Abilities] = field(default_factory=dict)
    """By arm: a cell that exceeds its server's limits is refused, or gets a smaller load."""

    @property
    def sequential(self) -> bool:
        """True if the study looks at its precision after each block, to stop early."""
        return self.study.until is not None

    @cached_property
    def arms(self) -> tuple[Arm, ...]:
        """Every arm, in the order of the file, with the A/A control right after the baseline."""
        found = list(_declared_arms(self.study))
        if self.study.aa_control:
            at = found.index(_baseline(self.study, found))
            one = found[at]
            control = replace(one, name=one.name + AA_SUFFIX, control_of=one.name)
            found.insert(at + 1, control)
        return tuple(found)

    @cached_property
    def baselines(self) -> Mapping[str, str]:
        """The baseline of each workload, because arms of different workloads are not compared.

        For a workload other than the declared baseline's, it is the arm with the same server and
        deployment, else the first arm.
        """
        first = _baseline(self.study, self.arms)
        found = {first.workload: first.name}
        for alike in (True, False):
            for arm in self.arms:
                same = (arm.server, arm.deployment) == (first.server, first.deployment)
                if arm.control_of is None and (same or not alike):
                    found.setdefault(arm.workload, arm.name)
        return found

    @cached_property
    def published_loads(self) -> Set[str]:
        """The loads that repeat one that a post has numbers for."""
        return frozenset(row.load for row in self.study.published)

    @cached_property
    def cells(self) -> tuple[Cell, ...]:
        """Every arm at every load point that it is declared for, in the order of the file."""
        return tuple(
            _fit(
                Cell(
                    arm,
                    name,
                    load,
                    point,
                    _warm_up_s(self.study, load, arm),
                    as_published=name in self.published_loads,
                ),
                self.abilities.get(arm.control_of or arm.name, ANY),
            )
            for name, load in self.study.loads.items()
            for point in load.points()
            for arm in self.arms
            if load.arms is None or (arm.control_of or arm.name) in load.arms
        )

    @cached_property
    def trials(self) -> tuple[Trial, ...]:
        """All trials in order: each block has each cell once, freshly shuffled.

        It includes refused cells, so that a trial's index does not depend on the servers' limits.
        """
        seed, blocks = self.study.seed, self.study.blocks
        trials: list[Trial] = []
        for block in range(blocks):
            source = random.Random(f"{seed}:{block}")  # noqa: S311 - a shuffle, not a secret
            shuffled = [
                cell for cell in self.cells if cell.load.blocks is None or block < cell.load.blocks
            ]
            source.shuffle(shuffled)
            trials += [
                Trial(len(trials) + number, block, cell, source.randrange(1, 2**32), cell.load.task)
                for number, cell in enumerate(shuffled)
            ]
        return (*trials, *_follow_ups(self.cells, blocks, seed, len(trials)))

    @cached_property
    def measured(self) -> tuple[Trial, ...]:
        """The trials of the cells that are not refused."""
        return tuple(trial for trial in self.trials if trial.cell.refused is None)


def _follow_ups(every: Sequence[Cell], blocks: int, seed: int, index: int) -> list[Trial]:
    """The trials after the blocks: round by round, each shuffled."""
    trials: list[Trial] = []
    for number in range(max((len(cell.load.follow_ups()) for cell in every), default=0)):
        source = random.Random(f"{seed}:{blocks + number}")  # noqa: S311 - as above
        due = [cell for cell in every if number < len(cell.load.follow_ups())]
        source.shuffle(due)
        for cell in due:
            task, place = cell.load.follow_ups()[number], index + len(trials)
            trials.append(Trial(place, blocks + number, cell, source.randrange(1, 2**32), task))
    return trials


def _warm_up_s(study: Study, load: AnyLoad, arm: Arm) -> float:
    """The load's own warm-up; else the study's, but no less than the arm needs."""
    warm_up_s = study.warm_up_of(load)
    return max(warm_up_s, arm.warm_up_s) if load.warm_up is None else warm_up_s


def _fit(cell: Cell, abilities: Abilities) -> Cell:
    """The cell within its server's limits, with the version of HTTP that its server speaks."""
    load, notes = cell.load, cell.notes
    if load.http is None and abilities.http != load.version:
        notes += (f"over HTTP/{abilities.http}, because the load names no version",)
        load = load.model_copy(update={"http": abilities.http})
    asked = cell.point.connections
    given = connections(load, asked, abilities)
    if given is not None and asked is not None and given < asked:
        notes += (
            f"given {counted(given, 'connection')} instead of {asked:,}: the server handles no more"
            " at once, and with keep-alive the others would wait for ever",
        )
    return replace(
        cell,
        load=load,
        point=replace(cell.point, connections=given),
        refused=refusal(load, abilities),
        notes=notes,
        around_s=abilities.around_s,
    )


def _declared_arms(study: Study) -> Iterator[Arm]:
    """The arms of the file, in its order."""
    for group in study.arms:
        workload, alone = study.workload_of(group), group.own_kind is not None
        for deployment in group.deployments:
            name = group.arm_name(deployment, workload if study.names_workloads else None)
            warm_up_s = group.warm_up or 0.0
            yield Arm(name, group.server, deployment, workload, warm_up_s=warm_up_s, alone=alone)


def _baseline(study: Study, among: Sequence[Arm]) -> Arm:
    """The arm that others are compared with: the declared one, else the first."""
    return next((arm for arm in among if arm.name == study.baseline), among[0])


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
    facts = TrialFacts(trial.task, cell.point, trial.block == 0, cell.around_s, rate_per_s)
    return cell.around_s + cell.warm_up_s + cell.load.trial_s(facts)
