"""From a study to its trials: cells, shuffled by block, seeded.

Pure: the same study and seed give the same plan.

A block is one pass over all cells in a fresh random order, so that whatever drifts (heat, other
programs, a clock) hits all arms alike.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import assert_never

from httpdyno.study import ClosedLoad, RequestsLoad, SessionsLoad, Study
from httpdyno.study.names import arm_name
from httpdyno.units import rate

AA_SUFFIX = " (A/A)"

START_AND_STOP_S = 1.6
"""What a fresh server costs around its measurement, for the estimate only."""
GUESSED_RATE = 1500.0
"""Replies a second of a server not measured yet, for the estimate only."""
CEILING_S = 3.0


@dataclass(frozen=True)
class Arm:
    """Server, deployment and workload. `control_of`: the arm of which this is the A/A control."""

    name: str
    server: str
    deployment: str
    workload: str
    control_of: str | None = None


@dataclass(frozen=True)
class Point:
    """One point of a load: its rate (open loads) and its connections (closed, requests)."""

    label: str
    rate_per_s: float | None
    connections: int | None


@dataclass(frozen=True)
class Cell:
    """An arm at a load point: what one trial measures, and what all blocks repeat."""

    arm: Arm
    load_name: str
    load: ClosedLoad | RequestsLoad | SessionsLoad
    point: Point
    warm_up_s: float

    @property
    def key(self) -> tuple[str, str, str]:
        """Names the cell within its study."""
        return (self.arm.name, self.load_name, self.point.label)

    @property
    def count(self) -> int | None:
        """Measured arrivals after which a trial stops; None: it stops by duration."""
        return self.load.sessions if isinstance(self.load, SessionsLoad) else self.load.requests


@dataclass(frozen=True)
class Trial:
    """One measurement of one cell on a fresh server. `seed` is for the engine."""

    index: int
    block: int
    cell: Cell
    seed: int


def plan(study: Study, seed: int) -> list[Trial]:
    """The trials in their order: each block has each cell once, freshly shuffled."""
    every = cells(study)
    trials: list[Trial] = []
    for block in range(study.blocks):
        source = random.Random(f"{seed}:{block}")  # noqa: S311 - an order, not a secret
        order = every.copy()
        source.shuffle(order)
        trials += [
            Trial(len(trials) + number, block, cell, source.randrange(1, 2**32))
            for number, cell in enumerate(order)
        ]
    return trials


def cells(study: Study) -> list[Cell]:
    """Every arm at every load point that it is measured at, in the order of the file."""
    return [
        Cell(arm, name, load, point, study.warm_up if load.warm_up is None else load.warm_up)
        for name, load in study.loads.items()
        for point in points(load)
        for arm in arms(study)
        if load.arms is None or (arm.control_of or arm.name) in load.arms
    ]


def arms(study: Study) -> list[Arm]:
    """Every arm, in the order of the file; the A/A control right behind the baseline."""
    several = len({group.workload or study.workload for group in study.arms}) > 1
    found: list[Arm] = []
    for group in study.arms:
        workload = group.workload or study.workload
        for deployment in group.deployments:
            shown = workload if several else None
            name = arm_name(group.name or group.server, deployment, shown)
            found.append(Arm(name, group.server, deployment, workload))
    if study.aa_control:
        at = next(i for i, arm in enumerate(found) if arm.name == baseline(study, found))
        one = found[at]
        control = Arm(one.name + AA_SUFFIX, one.server, one.deployment, one.workload, one.name)
        found.insert(at + 1, control)
    return found


def baseline(study: Study, among: Sequence[Arm]) -> str:
    """The arm that others are compared with: the declared one, else the first."""
    names = [arm.name for arm in among]
    return study.baseline if study.baseline in names else names[0]


def points(load: ClosedLoad | RequestsLoad | SessionsLoad) -> list[Point]:
    """The points of a load, in the order of the file."""
    match load:
        case ClosedLoad():
            return [Point(_connections(one), None, one) for one in load.connections]
        case RequestsLoad():
            return [Point(rate(one), one, load.connections) for one in load.rate]
        case SessionsLoad():
            return [Point(f"{rate(one)} sessions", one, load.max_open) for one in load.rate]
        case _:
            assert_never(load)


def estimate(trials: Sequence[Trial]) -> float:
    """Roughly how many seconds these trials take, server starts and ceilings included."""
    shapes = {(trial.cell.load_name, trial.cell.point.connections) for trial in trials}
    return CEILING_S * len(shapes) + sum(_trial_s(trial.cell) for trial in trials)


def _trial_s(cell: Cell) -> float:
    ends = [] if cell.load.duration is None else [cell.load.duration]
    if cell.count is not None:
        ends.append(cell.count / (cell.point.rate_per_s or GUESSED_RATE))
    return START_AND_STOP_S + cell.warm_up_s + min(ends)


def _connections(count: int) -> str:
    return f"{count:,} connection" + ("s" if count != 1 else "")
