"""A run as the store knows it, before and after it was given its number."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from pydantic import TypeAdapter

from httpdyno.result import Fact


@dataclass(frozen=True)
class NewRun:
    """A run about to begin. `identity` is everything that decides its plan: it finds the run again.

    The two documents are JSON that the caller makes: the study as it is measured, and what is known
    of its servers. Together with the trials they are enough to write the report.
    """

    study: str
    identity: str
    study_text: str
    seed: int
    command: str
    httpdyno_version: str
    started_at: float
    facts: Sequence[Fact]
    folder: str
    study_document: str
    servers_document: str
    coordinator: str | None = None
    """Identifies the machine that begins it."""
    host: str | None = None
    """The name of that machine."""
    project: str = ""
    """Tells studies of the same name apart: a digest; empty: built in."""
    study_folder: str = ""
    """The folder of the study; empty: built in."""

    @property
    def digest(self) -> str:
        """Equal for the same study, narrowed in the same way, with the same seed."""
        return digest_of(self.identity)


@dataclass(frozen=True)
class StoredRun:
    """A run in the store. `ended_at` is None until its report is written; `folder` is None in an
    imported run."""

    id: int
    study: str
    digest: str
    study_text: str
    seed: int
    command: str
    httpdyno_version: str
    started_at: float
    ended_at: float | None
    folder: str | None
    study_document: str
    servers_document: str
    facts: tuple[Fact, ...]
    origin: str | None = None
    """Where an imported run was measured; None: here."""
    coordinator: str | None = None
    """Identifies the machine that began it; None: imported."""
    host: str | None = None
    """The name of that machine."""
    conclusion: str | None = None
    """The conclusion of a comparison from its trials, as JSON that the caller made."""
    project: str = ""
    """As in `NewRun`."""
    study_folder: str = ""
    """On the machine that began it; empty: built in, or imported."""


def checked_run(values: Mapping[str, Any]) -> StoredRun:
    """The run with these values. Raises ValidationError for a value of another type: a column of
    SQLite may hold any."""
    return _stored_runs().validate_python(values)


@cache
def _stored_runs() -> TypeAdapter[StoredRun]:
    return TypeAdapter(StoredRun)


@dataclass(frozen=True)
class Home:
    """The place that a study belongs to; both are empty for one that is built in."""

    project: str
    folder: str


@dataclass(frozen=True)
class KnownStudy:
    """A study that has runs: its name and its project identify it."""

    name: str
    project: str
    run: int
    """Its newest run."""
    folder: str
    """The folder of the study in that run."""
    origin: str | None = None
    """Where that run was measured; None: here."""

    @property
    def home(self) -> Home:
        """The place that it belongs to."""
        return Home(self.project, self.folder)


def digest_of(identity: str) -> str:
    """SHA-256 of everything that decides a plan."""
    return hashlib.sha256(identity.encode()).hexdigest()
