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


@dataclass(frozen=True)
class Conformance:
    """The table: a column for each probe, a row for each server and deployment with a check."""

    probes: Sequence[str]
    """Every probe that any server was given, in the order of the probes."""
    servers: Sequence[ProbedServer]
    unprobed: Sequence[str]
    """The servers and deployments of the arms without a check."""


def conformance(result: StudyResult) -> Conformance | None:
    """The table; None without any check."""
    if not result.conformance:
        return None
    probes = list(dict.fromkeys(one.name for row in result.conformance for one in row.habits))
    servers = [_server(row, probes) for row in result.conformance]
    arms = dict.fromkeys(f"{arm.server}/{arm.deployment}" for arm in result.arms)
    probed = {one.name for one in servers}
    return Conformance(probes, servers, [name for name in arms if name not in probed])


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
