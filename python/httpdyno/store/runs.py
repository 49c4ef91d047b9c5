"""A run as the store knows it, before and after it was given its number."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

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

    @property
    def digest(self) -> str:
        """Equal for the same study, narrowed in the same way, with the same seed."""
        return digest_of(self.identity)


@dataclass(frozen=True)
class StoredRun:
    """A run in the store. `ended_at` is None until its report is written.

    `folder` and the documents are None in runs of a httpdyno that did not store them.
    """

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
    study_document: str | None
    servers_document: str | None
    facts: tuple[Fact, ...]
    origin: str | None = None
    """Where an imported run was measured; None: here."""
    coordinator: str | None = None
    """Identifies the machine that began it; None: imported, or of an early httpdyno."""
    host: str | None = None
    """The name of that machine."""
    conclusion: str | None = None
    """The conclusion of a comparison from its trials, as JSON that the caller made."""


def digest_of(identity: str) -> str:
    """SHA-256 of everything that decides a plan."""
    return hashlib.sha256(identity.encode()).hexdigest()
