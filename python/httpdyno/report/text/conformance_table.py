"""HTTP conformance of the servers of a study: servers × probes, a sign in each field."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from httpdyno.dates import moment
from httpdyno.result import ConformanceRow, ProbeRow, StudyResult

SIGNS = {"yes": "✓", "partly": "◐", "no": "✗"}


@dataclass(frozen=True)
class Field:
    """One field of the table."""

    sign: str
    answer: str
    """`yes`, `partly`, `no`, or `not probed`."""
    detail: str


@dataclass(frozen=True)
class ProbedServer:
    """One server in one deployment, and its answers in the order of the columns."""

    name: str
    version: str
    checked: str
    """Date and time of its check, UTC."""
    fields: Sequence[Field]


def probe_names(result: StudyResult) -> list[str]:
    """The columns: every probe that any server was given, in the order of the probes."""
    return list(dict.fromkeys(probe.name for row in result.conformance for probe in row.habits))


def probed_servers(result: StudyResult) -> list[ProbedServer]:
    """The rows: one for each server and deployment that was checked."""
    names = probe_names(result)
    return [_server(row, names) for row in result.conformance]


def unprobed(result: StudyResult) -> list[str]:
    """The servers and deployments of the arms without a check."""
    probed = {(row.server, row.deployment) for row in result.conformance}
    return list(
        dict.fromkeys(
            f"{arm.server}/{arm.deployment}"
            for arm in result.arms
            if (arm.server, arm.deployment) not in probed
        )
    )


def _server(row: ConformanceRow, names: Sequence[str]) -> ProbedServer:
    found = {probe.name: probe for probe in row.habits}
    return ProbedServer(
        name=f"{row.server}/{row.deployment}",
        version=row.version,
        checked=moment(row.checked_at),
        fields=[_field(found.get(name)) for name in names],
    )


def _field(probe: ProbeRow | None) -> Field:
    if probe is None:
        return Field("–", "not probed", "this probe was not run")
    return Field(SIGNS[probe.answer], probe.answer, probe.detail)
