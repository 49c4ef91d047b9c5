"""The comparison that was requested: arms, loads and options."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from httpdyno.comparison.arms.baseline import SavedArm
from httpdyno.comparison.arms.sides import Commands
from httpdyno.comparison.loads import Loads
from httpdyno.comparison.study import Work
from httpdyno.metrics import ComparedBy
from httpdyno.servers.subjects import Subject


@dataclass(frozen=True)
class ArmSpecification:
    """One of the arms as the user gave it: a subject, its name, and how it is started."""

    subject: Subject
    name: str
    commands: Commands


@dataclass(frozen=True)
class Specification:
    """A comparison before anything is copied, built or measured."""

    baseline: ArmSpecification | SavedArm
    changed: ArmSpecification
    canary: ArmSpecification | None
    work: Work
    loads: Loads
    """Without the load at the same rate, unless its rate is known. The first is at full speed."""
    paced_s: float | None
    """The duration of the load whose rate is still to be chosen; None: none is."""
    margins: Mapping[ComparedBy, float]
    blocks: int
    seed: int
    warm_up: float
    other_machine: bool = False
    """A saved baseline from another machine will do."""

    @property
    def saved(self) -> SavedArm | None:
        """The baseline, if it was measured earlier."""
        return self.baseline if isinstance(self.baseline, SavedArm) else None

    @property
    def arms(self) -> list[ArmSpecification]:
        """Those that are measured now: perhaps the baseline, the changed one, perhaps a canary."""
        every = (None if isinstance(self.baseline, SavedArm) else self.baseline, self.changed)
        return [one for one in (*every, self.canary) if one is not None]
