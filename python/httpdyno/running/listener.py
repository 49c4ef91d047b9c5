"""Who is told what happens during a run."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Protocol

from httpdyno.engine import EnginePlan, Progress
from httpdyno.outcome import TrialOutcome
from httpdyno.plan import Trial
from httpdyno.result import FailureRow
from httpdyno.servers import Meter


class Listener(Protocol):
    """Hears what happens, in the order in which it happens. Must return quickly."""

    def run_begins(self, run_id: int, folder: Path, title: str) -> None:
        """The run has its number in the store, and its results folder."""

    def planned(self, stored: int, of: int, left_s: float) -> None:
        """Of all trials, so many are stored; the checks and the other trials take `left_s` s."""

    def note(self, text: str) -> None:
        """A sentence that a person may want to read."""

    def stage(self, text: str, waits_for: str | None = None) -> None:
        """Work before or after the trials begins, such as `checking nginx/1-worker`.

        An interrupted run has to wait for `waits_for` (None: for nothing) before it ends; during a
        trial, for the server to stop.
        """

    def failed(self, failure: FailureRow) -> None:
        """An arm cannot be measured."""

    def trial_begins(self, trial: Trial, number: int, of: int, left_s: float) -> None:
        """Trial `number` (from 1) `of` all begins; the run ends in about `left_s` seconds.

        It may wait here: that is how a run is paused.
        """

    def measuring(self, plan: EnginePlan, meter: Meter | None) -> None:
        """The engine starts a plan of the trial. `meter` reads what the server uses, if it can."""

    def progress(self, progress: Progress) -> None:
        """A few times a second, while a trial is measured."""

    def trial_ends(self, outcome: TrialOutcome) -> None:
        """The trial is in the store."""


class Guarded:
    """A listener whose failures end nothing: a closed terminal must not cost a measurement."""

    def __init__(self, listener: Listener) -> None:
        self._listener = listener

    def run_begins(self, run_id: int, folder: Path, title: str) -> None:
        """Pass it on."""
        with suppress(Exception):
            self._listener.run_begins(run_id, folder, title)

    def planned(self, stored: int, of: int, left_s: float) -> None:
        """Pass it on."""
        with suppress(Exception):
            self._listener.planned(stored, of, left_s)

    def note(self, text: str) -> None:
        """Pass it on."""
        with suppress(Exception):
            self._listener.note(text)

    def stage(self, text: str, waits_for: str | None = None) -> None:
        """Pass it on."""
        with suppress(Exception):
            self._listener.stage(text, waits_for)

    def failed(self, failure: FailureRow) -> None:
        """Pass it on."""
        with suppress(Exception):
            self._listener.failed(failure)

    def trial_begins(self, trial: Trial, number: int, of: int, left_s: float) -> None:
        """Pass it on."""
        with suppress(Exception):
            self._listener.trial_begins(trial, number, of, left_s)

    def measuring(self, plan: EnginePlan, meter: Meter | None) -> None:
        """Pass it on."""
        with suppress(Exception):
            self._listener.measuring(plan, meter)

    def progress(self, progress: Progress) -> None:
        """Pass it on."""
        with suppress(Exception):
            self._listener.progress(progress)

    def trial_ends(self, outcome: TrialOutcome) -> None:
        """Pass it on."""
        with suppress(Exception):
            self._listener.trial_ends(outcome)
