"""Listeners of a run for tests."""

from __future__ import annotations

from pathlib import Path

from httpdyno.engine import EnginePlan, Progress
from httpdyno.outcome import TrialOutcome
from httpdyno.plan import Trial
from httpdyno.result import FailureRow
from httpdyno.servers import Meter


class Silent:
    """Hears everything, says nothing."""

    def run_begins(self, run_id: int, folder: Path, title: str) -> None:
        pass

    def planned(self, stored: int, of: int, left_s: float) -> None:
        pass

    def note(self, text: str) -> None:
        pass

    def stage(self, text: str, waits_for: str | None = None) -> None:
        pass

    def failed(self, failure: FailureRow) -> None:
        pass

    def trial_begins(self, trial: Trial, number: int, of: int, left_s: float) -> None:
        pass

    def measuring(self, plan: EnginePlan, meter: Meter | None) -> None:
        pass

    def progress(self, progress: Progress) -> None:
        pass

    def trial_ends(self, outcome: TrialOutcome) -> None:
        pass
