"""The load generator of a run: the engine of this machine, or those of several as if one."""

from __future__ import annotations

from typing import Protocol

from httpdyno import engine
from httpdyno.engine import Running
from httpdyno.engine_plan import EnginePlan

__all__ = ["LOCAL", "Generator"]


class Generator(Protocol):
    """Sends the load of a plan."""

    @property
    def is_here(self) -> bool:
        """It is on this machine, so that loopback addresses are those of this one."""

    def start(self, plan: EnginePlan) -> Running:
        """Starts a run of `plan`."""


class _Local:
    """The engine of this machine."""

    is_here = True

    def start(self, plan: EnginePlan) -> Running:
        """Starts a run of `plan` on the engine's own threads."""
        return engine.start(plan)


LOCAL: Generator = _Local()
