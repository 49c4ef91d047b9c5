"""The events of a measurement, in the order in which they happen, and their listeners."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from httpdyno.engine import OnProgress, Progress
    from httpdyno.engine_plan import EnginePlan
    from httpdyno.measurement import Measurement
    from httpdyno.outcome import TrialOutcome
    from httpdyno.servers import Meter
    from httpdyno.sweep import Point
    from httpdyno.verdict import Verdict


Outcome = Literal["complete", "interrupted", "failed"]
"""The end of a run."""


@dataclass(frozen=True)
class RunBegins:
    """The run has its number in the store, and its results folder."""

    run: int
    folder: str
    title: str


@dataclass(frozen=True)
class TrialsPlanned:
    """Of all trials, so many are stored; the checks and the other trials take `left_s` seconds."""

    stored: int
    of: int
    left_s: float


@dataclass(frozen=True)
class Note:
    """A sentence that a person may want to read."""

    text: str


@dataclass(frozen=True)
class Stage:
    """Work before or after the trials begins, such as `checking nginx/1-worker`."""

    text: str
    waits_for: str | None = None
    """An interrupted run has to wait for this before it ends; None: for nothing. During a trial, it
    waits for the server to stop."""


@dataclass(frozen=True)
class ArmFails:
    """An arm cannot be measured."""

    arm: str
    stage: str
    reason: str
    log: str | None


@dataclass(frozen=True)
class RunPauses:
    """The run waits before its next trial, for as long as this file exists."""

    file: str


@dataclass(frozen=True)
class RunContinues:
    """The run is no longer paused."""


@dataclass(frozen=True)
class TrialBegins:
    """Trial `number` (from 1) `of` all begins; the run ends in about `left_s` seconds."""

    number: int
    of: int
    left_s: float
    arm: str
    load: str
    point: str
    block: int = 0
    task: str = "measure"
    only_point: bool = False
    """Its load has one point, whose name says nothing."""


@dataclass(frozen=True)
class PlanBegins:
    """The engine starts a plan. `meter` reads what the server uses, if it can."""

    plan: EnginePlan
    meter: Meter | None = None


@dataclass(frozen=True)
class PlanProgress:
    """The plan has come so far: a few times a second."""

    progress: Progress


@dataclass(frozen=True)
class TrialEnds:
    """The trial is in the store."""

    outcome: TrialOutcome


@dataclass(frozen=True)
class PointEnds:
    """A point of a sweep, which is its trial, was measured."""

    point: Point


@dataclass(frozen=True)
class LoadEnds:
    """The only load of a run was measured."""

    measurement: Measurement
    verdict: Verdict


@dataclass(frozen=True)
class ServersAtWork:
    """About once a second, while servers are installed or checked: the seconds since each began."""

    seconds: Mapping[str, float]


@dataclass(frozen=True)
class ServerEnds:
    """A server was installed or checked, or could not be."""

    server: str
    result: str
    """`ok`, or in a word why not."""
    took_s: float
    reason: str


@dataclass(frozen=True)
class RunEnds:
    """The end of a run that its page can show."""

    outcome: Outcome
    text: str = ""
    """An error, in words."""
    answer: str = ""
    """The answer of the run, in the words of its report."""
    limits: Sequence[tuple[str, str, str]] = ()
    """Sentences that limit the answer: severity, sentence, section of the report."""
    stored: int = 0
    planned: int = 0
    report: str | None = None
    """The file of the report."""


Event = (
    RunBegins
    | TrialsPlanned
    | Note
    | Stage
    | ArmFails
    | RunPauses
    | RunContinues
    | TrialBegins
    | PlanBegins
    | PlanProgress
    | TrialEnds
    | PointEnds
    | LoadEnds
    | ServersAtWork
    | ServerEnds
    | RunEnds
)
Listener = Callable[[Event], None]
"""It must return quickly. One that waits when a trial begins pauses the run."""


class Events:
    """Sends each event to all listeners, in their order.

    A listener that fails is dropped with a note: a closed terminal must not cost a measurement.
    """

    def __init__(self, *listeners: Listener) -> None:
        self._listeners = [*listeners]

    def add(self, listener: Listener) -> None:
        """One more listener, which gets each event after the others."""
        self._listeners.append(listener)

    def send(self, event: Event) -> None:
        """Send it."""
        for listener in tuple(self._listeners):
            try:
                listener(event)
            except Exception as error:
                self._drop(listener, error)

    def note(self, text: str) -> None:
        """Send a note."""
        self.send(Note(text))

    @property
    def on_progress(self) -> OnProgress | None:
        """Sends the progress of a plan; None: nobody listens, so that nobody has to read it."""
        return (lambda progress: self.send(PlanProgress(progress))) if self._listeners else None

    def _drop(self, listener: Listener, error: Exception) -> None:
        if listener in self._listeners:
            self._listeners.remove(listener)
            why = f"{type(error).__name__}: {error}"
            self.note(f"a view of the progress failed and is closed; the run goes on ({why})")
