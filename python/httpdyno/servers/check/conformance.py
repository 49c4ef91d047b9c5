"""The conformance of one deployment: the results of its last check, kept beside its installation.

    cache/servers/NAME/DIGEST/checks/DEPLOYMENT.json

Reports show it, and `docs/reference/servers.md` is made from it. Format history:
  1  first version.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Literal

from pydantic import ValidationError

from httpdyno.choices import HttpVersion
from httpdyno.dates import iso
from httpdyno.output.files import write_file
from httpdyno.servers.check.probes import ProbeResult
from httpdyno.servers.installation.installation import Installation
from httpdyno.value import Value


class AnswerRow(Value):
    """One exchange of a workload and the server's answer to it.

    `required` is false for an answer that is only recorded. `agrees`: it was the contract's, byte
    for byte. `ok`: it does not keep the server from being measured.
    """

    workload: str
    request: str
    why: str
    required: bool
    agrees: bool
    ok: bool
    detail: str
    http: HttpVersion = "1.1"

    @property
    def named(self) -> str:
        """The request in words: `GET /pong`, or `GET /pong over HTTP/2`."""
        return self.request if self.http == "1.1" else f"{self.request} over HTTP/{self.http}"


class Conformance(Value):
    """A whole check of one deployment.

    `checked_at` is UTC in ISO 8601. `contradictions` are sentences, each about a capability where
    `[cannot]` of the `server.toml` and the probes disagree.
    """

    format: Literal[1] = 1
    server: str
    version: str
    deployment: str
    checked_at: str
    workloads: tuple[AnswerRow, ...]
    probes: tuple[ProbeResult, ...]
    probed_path: str
    """The path that the probes requested, with credentials masked."""
    contradictions: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """True when every required answer was right."""
        return all(row.ok for row in self.workloads)


def conformance(installation: Installation, deployment: str) -> Conformance | None:
    """The last check of that deployment; None when the installed version was not checked, or
    another httpdyno wrote it in a format of its own."""
    try:
        found = Conformance.model_validate_json(_file(installation, deployment).read_bytes())
    except (OSError, ValidationError):
        return None
    return found if found.version == installation.version else None


def keep(installation: Installation, found: Conformance) -> None:
    """Write it where `conformance` finds it. Raises EnvironmentFault when that fails."""
    file = _file(installation, found.deployment)
    file.parent.mkdir(parents=True, exist_ok=True)
    write_file(file, found.model_dump_json(indent=2))


def now() -> str:
    """The current second in UTC, in the format of `checked_at`."""
    return iso(time.time())


def _file(installation: Installation, deployment: str) -> Path:
    return installation.prefix / "checks" / f"{deployment}.json"
