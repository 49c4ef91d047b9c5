"""What a check found of one deployment, kept beside its installation.

    cache/servers/NAME/DIGEST/checks/DEPLOYMENT.json

A report shows it, and `docs/reference/servers.md` is made of it. Format history:
  1  first version.
"""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from httpdyno.servers.installation.installation import Installation

VERSION = 1

Answer = Literal["yes", "no", "partly"]


class _Row(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class Habit(_Row):
    """One probe of how the server speaks HTTP. `detail` says in a line what was seen."""

    name: str
    answer: Answer
    detail: str


class AnswerRow(_Row):
    """One exchange of a workload and what came of it.

    `required` is false where an answer is only recorded; `agrees` says whether it was the
    contract's, byte for byte; `ok` whether the server may be measured as far as this goes.
    """

    workload: str
    request: str
    why: str
    required: bool
    agrees: bool
    ok: bool
    detail: str


class Conformance(_Row):
    """A whole check of one deployment.

    `checked_at` is UTC in ISO 8601. `contradictions` are sentences: what its `server.toml` says it
    cannot do and the probes saw it do, or the other way round.
    """

    format: int = VERSION
    server: str
    version: str
    deployment: str
    checked_at: str
    workloads: tuple[AnswerRow, ...]
    behaviour: tuple[Habit, ...]
    contradictions: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether every required answer was right."""
        return all(row.ok for row in self.workloads)


def conformance(installation: Installation, deployment: str) -> Conformance | None:
    """What the last check of that deployment found; None when this very version was not checked."""
    try:
        found = Conformance.model_validate_json(_file(installation, deployment).read_bytes())
    except (OSError, ValidationError):
        return None
    same = found.version == installation.version and found.format <= VERSION
    return found if same else None


def keep(installation: Installation, found: Conformance) -> None:
    """Write it where `conformance` finds it."""
    file = _file(installation, found.deployment)
    file.parent.mkdir(parents=True, exist_ok=True)
    scratch = file.with_suffix(".tmp")
    scratch.write_text(found.model_dump_json(indent=2), encoding="utf-8")
    scratch.replace(file)


def now() -> str:
    """The moment, to the second, as `checked_at` writes it."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def _file(installation: Installation, deployment: str) -> Path:
    return installation.prefix / "checks" / f"{deployment}.json"
