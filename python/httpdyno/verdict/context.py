"""The context of a measurement that is not in itself: its plan, and where it was taken."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from httpdyno.engine_plan import EnginePlan
from httpdyno.limits.budget import NO_BUDGET, Budget
from httpdyno.outcome import DatabaseUse, MachineUse
from httpdyno.result import PathRow
from httpdyno.verdict.contention import Contention
from httpdyno.workloads import Queries

Settings = Literal["flags", "keys", "compare", "none"]
"""The way for the reader to change the load: by flags of `httpdyno load`, by keys of a study, by
flags of `httpdyno compare`, or in a way that hints do not know."""


@dataclass(frozen=True)
class Context:
    """Everything that the rules and the hints know besides the measurement."""

    plan: EnginePlan | None = None
    """The load that was measured. Without it, hints name no flags or keys."""
    ceiling_per_s: float | None = None
    """Requests/s of the load generators together against the reference server."""
    ceiling_is_bound: bool = False
    """They reach at least that."""
    shared_cores: bool = False
    expected_count: int | None = None
    """Calls that had to be measured."""
    in_study: bool = False
    """One trial of several, whose intervals come from restarts."""
    settings: Settings | None = None
    """The settings that hints name. None: keys in a study, flags of `load` elsewhere."""
    as_published: bool = False
    """The load repeats a published one, so its own shortness is no doubt."""
    check_command: str | None = None
    """The command that examines the server's replies one by one."""
    machines: Sequence[MachineUse] = ()
    """The work of the machines in the window."""
    paths: Sequence[PathRow] = ()
    """The networks between machines, if there are several."""
    contention: Contention | None = None
    """The part of the server's processors that others took, where it is known."""
    database: DatabaseUse | None = None
    """The work of the database beside the server, if there is one."""
    queries: Queries | None = None
    """The least work of a database for each reply."""
    server_share: float | None = None
    """The share of its processors that the server used."""
    server_cores: int | None = None
    """Its processors; None: they are not known, as those of a server that ran already."""
    budget: Budget = NO_BUDGET
    """The errors that are allowed."""

    @property
    def terms(self) -> Settings:
        """The settings in whose terms hints are given."""
        return self.settings or ("keys" if self.in_study else "flags")

    @property
    def spin(self) -> bool:
        """The generator busy-waits, so its CPU use says nothing."""
        return self.plan is not None and self.plan.spin


ALONE = Context()
"""Nothing is known besides the measurement."""
