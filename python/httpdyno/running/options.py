"""How a study is to be run, and who is told about it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from httpdyno.engine import Progress
from httpdyno.outcome import TrialOutcome
from httpdyno.plan import Trial
from httpdyno.result import FailureRow


@dataclass(frozen=True)
class RunOptions:
    """What is not the study's own: where things go, and whether a run is gone on with."""

    folder: Path
    """For the logs of the servers; the report goes there too."""
    command: str
    """As the user typed it."""
    resume: bool = False
    servers: Sequence[Path] = ()
    """`server.toml` files outside the catalogue."""
    store_url: str | None = None
    """None: the user's own database."""


class Listener(Protocol):
    """Hears what happens, in the order in which it happens. Must return quickly."""

    def note(self, text: str) -> None:
        """Something a person may want to know."""

    def failed(self, failure: FailureRow) -> None:
        """An arm is left out."""

    def trial_begins(self, trial: Trial, number: int, of: int, left_s: float) -> None:
        """Trial `number` (from 1) `of` so many; roughly `left_s` seconds are left."""

    def progress(self, progress: Progress) -> None:
        """A few times a second, while a trial is measured."""

    def trial_ends(self, outcome: TrialOutcome) -> None:
        """The trial is committed."""


class Silent:
    """Hears everything, says nothing."""

    def note(self, text: str) -> None:
        """Say nothing."""

    def failed(self, failure: FailureRow) -> None:
        """Say nothing."""

    def trial_begins(self, trial: Trial, number: int, of: int, left_s: float) -> None:
        """Say nothing."""

    def progress(self, progress: Progress) -> None:
        """Say nothing."""

    def trial_ends(self, outcome: TrialOutcome) -> None:
        """Say nothing."""
