"""A whole check of one deployment: its answers, the HTTP probes, and how it stops.

The server is started anew for each of these, because the one before may leave it in a bad state.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from httpdyno.choices import SpokenVersion
from httpdyno.engine_plan import Target
from httpdyno.output.secrets import masked_url
from httpdyno.servers.check.answers import CheckRow, check_workloads, request_bytes
from httpdyno.servers.check.conformance import AnswerRow, Conformance, keep, now
from httpdyno.servers.check.http2_probes import (
    HTTP2_PROBES,
    plain_http2_status,
    run_http2_probe,
)
from httpdyno.servers.check.probes import PROBES, ProbeResult, plain_status, run_probe
from httpdyno.servers.check.session import without_kept
from httpdyno.servers.check.stopping import check_stop
from httpdyno.servers.declaration.server import Server
from httpdyno.servers.declaration.tables import Capability
from httpdyno.servers.installation.installation import Installation
from httpdyno.servers.process.start import start
from httpdyno.servers.process.start_or_attach import start_or_attach
from httpdyno.workloads import Workload, get

_PROBES: Mapping[Capability, tuple[str, ...]] = {
    "keep-alive": ("keep-alive",),
    "pipelining": ("pipelining, 2", "pipelining, 10"),
    "http-1.0-keep-alive": ("HTTP/1.0 keep-alive",),
}
"""The probes that test each capability of `[cannot]`."""

_UNRESPONSIVE = "afterwards it answers no request"

_MUST_BE_DECLARED: tuple[Capability, ...] = ("keep-alive", "pipelining")
"""Loads use these by default, so a server that lacks one has to say so."""


def examine(
    installation: Installation,
    deployment: str,
    log: Path,
    workloads: Sequence[Workload] | None = None,
) -> Conformance:
    """Check a deployment and keep the results: by its own workloads, unless others are given.

    There are no probes of servers that answer nothing but calls of gRPC.
    A server that runs already is not stopped. An arm of a study's own declares no abilities, so
    nothing can contradict them. Raises ServerFailure when it does not run.
    """
    server = installation.server
    if workloads is None:
        workloads = [get(name) for name in server.workloads_of(deployment)]
    spoken = server.deployment(deployment).http
    with start_or_attach(installation, deployment, cpus=None, log=log) as running:
        at = running.target
        rows = [
            row
            for http in spoken
            for row in check_workloads(at.host, at.port, workloads, target=at, http=http)
        ]
    path = _probed_path(server, workloads)
    probes = [
        result
        for http in (() if all(one.has_grpc for one in workloads) else spoken)
        for result in _run_probes(installation, deployment, log, path, _SETS[http])
    ]
    if server.running_at is None:
        with start(installation, deployment, cpus=None, log=log) as fresh:
            probes.append(check_stop(fresh))
    declared = () if server.in_place else contradictions(server.cannot_of(deployment), probes)
    found = Conformance(
        server=server.name,
        version=installation.version,
        deployment=deployment,
        checked_at=now(),
        workloads=tuple(map(_answer, rows)),
        probes=tuple(probes),
        probed_path=masked_url(path),
        contradictions=tuple(declared),
    )
    keep(installation, found)
    return found


def _probed_path(server: Server, workloads: Sequence[Workload]) -> str:
    """The path that the probes ask for; of a user's own server, the first that a workload does."""
    measured = (one for workload in workloads for one in without_kept(workload).measured)
    gets = (one for one in measured if one.method == "GET")
    first = next((one for one in gets if server.in_place), None)
    if first is None:
        return server.ready.path
    return request_bytes("localhost", 80, first).split(b" ")[1].decode()


class _ProbeSet(NamedTuple):
    """The probes of a version of HTTP, and how they are run."""

    names: Sequence[str]
    run: Callable[[Target, str, str, int], ProbeResult]
    """For a target, a path and its usual status."""
    status: Callable[[Target, str], int | None]
    """Of a plain request."""


def _run_http1_probe(at: Target, path: str, name: str, status: int) -> ProbeResult:
    return run_probe(at.host, at.port, path, name, target=at, status=status)


_SETS: Mapping[SpokenVersion, _ProbeSet] = {
    "1.1": _ProbeSet(
        tuple(PROBES),
        _run_http1_probe,
        lambda at, path: plain_status(at.host, at.port, path, target=at),
    ),
    "2": _ProbeSet(tuple(HTTP2_PROBES), run_http2_probe, plain_http2_status),
}


def _run_probes(
    installation: Installation, deployment: str, log: Path, path: str, probes: _ProbeSet
) -> list[ProbeResult]:
    """Run every probe. A server that one of them leaves unresponsive is restarted for the next."""
    results: list[ProbeResult] = []
    waiting = list(probes.names)
    plain: int | None = None
    while waiting:
        with start_or_attach(installation, deployment, cpus=None, log=log) as running:
            at = running.target
            plain = plain or probes.status(at, path) or 200
            responsive = True
            while waiting and responsive:
                name = waiting.pop(0)
                result = probes.run(at, path, name, plain)
                responsive = result.answer == "yes" or probes.status(at, path) == plain
                results.append(result if responsive else _unresponsive_after(result))
    return results


def _unresponsive_after(result: ProbeResult) -> ProbeResult:
    return result.model_copy(update={"detail": f"{result.detail}; {_UNRESPONSIVE}"})


def contradictions(cannot: Mapping[Capability, str], results: Sequence[ProbeResult]) -> list[str]:
    """A sentence for each capability where the declaration and the probes disagree."""
    by_name = {result.name: result for result in results}
    found = []
    for capability, names in _PROBES.items():
        probes = [by_name[name] for name in names if name in by_name]
        failed = [probe for probe in probes if probe.answer != "yes"]
        if capability in cannot and probes and not failed:
            found.append(
                f"`cannot.{capability}` is declared, but the probe says yes: {probes[-1].detail}"
            )
        elif capability not in cannot and failed and capability in _MUST_BE_DECLARED:
            found.append(
                f"`cannot.{capability}` is not declared, but the probe says {failed[0].answer}: "
                f"{failed[0].detail}"
            )
    return found


def _answer(row: CheckRow) -> AnswerRow:
    return AnswerRow(
        workload=row.workload.name,
        request=f"{row.exchange.method} {row.exchange.path}",
        why=row.exchange.why,
        required=not row.exchange.recorded,
        agrees=row.agrees,
        ok=row.ok,
        detail=row.detail,
        http=row.http,
    )
