"""The context of a measurement that is not in itself: its plan, and where it was taken."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from httpdyno.engine_plan import EnginePlan
from httpdyno.limits.budget import NO_BUDGET, Budget
from httpdyno.outcome import MachineUse
from httpdyno.result import PathRow
from httpdyno.verdict.taken import TakenShare

Settings = Literal["flags", "keys", "compare", "none"]
"""The way for the reader to change the load: by flags of `httpdyno load`, by keys of a study, by
flags of `httpdyno compare`, or in a way that hints do not know."""


@dataclass(frozen=True)
class Context:
    """Everything that the rules and the hints know besides the measurement; see `judge`."""

    plan: EnginePlan | None = None
    ceiling_per_s: float | None = None
    ceiling_is_bound: bool = False
    shared_cores: bool = False
    expected_count: int | None = None
    in_study: bool = False
    settings: Settings = "flags"
    as_published: bool = False
    check_command: str | None = None
    machines: Sequence[MachineUse] = ()
    paths: Sequence[PathRow] = ()
    taken: TakenShare | None = None
    budget: Budget = NO_BUDGET

    @property
    def spin(self) -> bool:
        """The generator busy-waits, so its CPU use says nothing."""
        return self.plan is not None and self.plan.spin
