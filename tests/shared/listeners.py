"""Listeners of a run for tests."""

from __future__ import annotations

from httpdyno.engine import Progress
from httpdyno.outcome import TrialOutcome
from httpdyno.plan import Trial
from httpdyno.result import FailureRow


class Silent:
    """Hears everything, says nothing."""

    def note(self, text: str) -> None:
        pass

    def stage(self, text: str, waits_for: str | None = None) -> None:
        pass

    def failed(self, failure: FailureRow) -> None:
        pass

    def trial_begins(self, trial: Trial, number: int, of: int, left_s: float) -> None:
        pass

    def progress(self, progress: Progress) -> None:
        pass

    def trial_ends(self, outcome: TrialOutcome) -> None:
        pass
