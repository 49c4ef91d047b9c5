"""The check results of many servers in one file: `docs/reference/conformance.json` is one.

Answers that agree with the contract are named, not repeated. Format history:
  1  first version.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from httpdyno.errors import UsageError
from httpdyno.output.files import write_file
from httpdyno.servers.check.conformance import AnswerRow, Conformance
from httpdyno.servers.check.probes import Answer

VERSION = 1


class DeploymentResult(BaseModel):
    """The check of one deployment. `probes` maps a probe's name to its result and what was
    observed; `differs` has the answers that were not the contract's."""

    model_config = ConfigDict(frozen=True, defer_build=True)

    server: str
    version: str
    deployment: str
    checked_at: str
    ok: bool
    workloads: tuple[str, ...]
    differs: tuple[AnswerRow, ...]
    probes: dict[str, tuple[Answer, str]]
    contradictions: tuple[str, ...]


class CheckResults(BaseModel):
    """Checks and the machine they ran on. `failures`: per unchecked server, the reason."""

    model_config = ConfigDict(frozen=True, defer_build=True)

    format: int = VERSION
    machine: str
    entries: tuple[DeploymentResult, ...]
    failures: dict[str, str]


def result_of(found: Conformance) -> DeploymentResult:
    """One check as an entry of the file."""
    return DeploymentResult(
        server=found.server,
        version=found.version,
        deployment=found.deployment,
        checked_at=found.checked_at,
        ok=found.ok,
        workloads=tuple(dict.fromkeys(row.workload for row in found.workloads)),
        differs=tuple(row for row in found.workloads if not row.agrees),
        probes={probe.name: (probe.answer, probe.detail) for probe in found.probes},
        contradictions=found.contradictions,
    )


def write(results: CheckResults, file: Path) -> None:
    """Write the results, one entry a line, so that a change is a line of a diff.

    Raises EnvironmentFault when the file cannot be written.
    """
    lines = ",\n".join(entry.model_dump_json() for entry in results.entries)
    head = results.model_dump_json(exclude={"entries"})[:-1]
    write_file(file, f'{head},"entries":[\n{lines}\n]}}\n')


def read(file: Path) -> CheckResults | None:
    """The results; None without the file. Raises UsageError for another format."""
    if not file.is_file():
        return None
    found = CheckResults.model_validate_json(file.read_bytes())
    if found.format != VERSION:
        raise UsageError(f"`{file}` has format {found.format}: expected {VERSION}")
    return found


def latest(entries: Iterable[DeploymentResult]) -> str:
    """The day of the newest check, such as `2026-01-31`."""
    return max((entry.checked_at for entry in entries), default="").partition("T")[0]
