"""The load generator of a run: the engine of this machine, or those of several as if one."""

from __future__ import annotations

import math
from types import TracebackType
from typing import TYPE_CHECKING, Protocol

from httpdyno import engine
from httpdyno.engine import EVERY_S, OnProgress, Phase, Progress
from httpdyno.engine_plan import EnginePlan
from httpdyno.measurement import Measurement

if TYPE_CHECKING:
    from httpdyno.measurement.call_log import CallLog

__all__ = ["LOCAL", "Generation", "Generator"]


class Generation(Protocol):
    """A run under way. `engine.Running` is one; its docstrings describe the methods."""

    def __enter__(self) -> Generation:
        """The run itself; an error inside the block ends it."""

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...

    def wait(self, phase: Phase, timeout_s: float) -> bool:
        """Waits at most `timeout_s`; True once the run is in `phase` or a later one."""

    def follow(
        self,
        phase: Phase,
        on_progress: OnProgress | None = None,
        every_s: float = EVERY_S,
        within_s: float = math.inf,
    ) -> None:
        """Waits for `phase` and reports progress every `every_s`."""

    def progress(self) -> Progress:
        """A snapshot of the run."""

    def stop(self) -> None:
        """Stops the run in whatever phase it is: no new calls."""

    def abandon(self) -> None:
        """Ends the run at once; there is no result."""

    def result(self) -> Measurement:
        """The measurement; waits for the end of the run."""

    def call_log(self) -> CallLog:
        """The call log; waits for the end of the run."""


class Generator(Protocol):
    """Sends the load of a plan."""

    @property
    def is_here(self) -> bool:
        """It is on this machine, so that loopback addresses are those of this one."""

    def start(self, plan: EnginePlan) -> Generation:
        """Starts a run of `plan`."""


class _Local:
    """The engine of this machine."""

    is_here = True

    def start(self, plan: EnginePlan) -> Generation:
        """Starts a run of `plan` on the engine's own threads."""
        return engine.start(plan)


LOCAL: Generator = _Local()
