"""A whole check of one deployment: its answers, its habits, its end; kept beside its installation.

Each of these starts the server anew, for the one before may have left it in a bad state.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from httpdyno.servers.check.answers import CheckRow, check_workloads
from httpdyno.servers.check.conformance import AnswerRow, Conformance, Habit, keep, now
from httpdyno.servers.check.probes import PROBES, BehaviourRow, answers, check_habit
from httpdyno.servers.check.stopping import check_ending
from httpdyno.servers.declaration.tables import Capability
from httpdyno.servers.installation.installation import Installation
from httpdyno.servers.process.start import start
from httpdyno.workloads import get

_PROBES: Mapping[Capability, tuple[str, ...]] = {
    "keep-alive": ("keep-alive",),
    "pipelining": ("pipelining, 2", "pipelining, 10"),
    "http-1.0-keep-alive": ("HTTP/1.0 keep-alive",),
}
"""The probes that show each capability of `cannot`."""

_DEAF = "then it answers nobody any more"

_MUST_BE_DECLARED: tuple[Capability, ...] = ("keep-alive", "pipelining")
"""A load relies on these without asking, so a server that lacks one has to say so."""


def examine(installation: Installation, deployment: str, log: Path) -> Conformance:
    """Check a deployment and keep what was found. Raises ServerFailure when it does not run."""
    server = installation.server
    asked = [get(name) for name in server.workloads_of(deployment)]
    with start(installation, deployment, cpus=None, log=log) as running:
        given = check_workloads(running.host, running.port, asked)
    habits = _habits(installation, deployment, log)
    with start(installation, deployment, cpus=None, log=log) as running:
        habits.append(check_ending(running))
    found = Conformance(
        server=server.name,
        version=installation.version,
        deployment=deployment,
        checked_at=now(),
        workloads=tuple(_answer(row) for row in given),
        behaviour=tuple(Habit(name=h.name, answer=h.answer, detail=h.detail) for h in habits),
        contradictions=tuple(contradictions(server.cannot_of(deployment), habits)),
    )
    keep(installation, found)
    return found


def _habits(installation: Installation, deployment: str, log: Path) -> list[BehaviourRow]:
    """Every probe; a server that one of them leaves deaf is started anew for the next."""
    rows: list[BehaviourRow] = []
    path = installation.server.ready.path
    waiting = list(PROBES)
    while waiting:
        with start(installation, deployment, cpus=None, log=log) as running:
            hears = True
            while waiting and hears:
                row = check_habit(running.host, running.port, path, waiting.pop(0))
                hears = row.answer == "yes" or answers(running.host, running.port, path)
                rows.append(row if hears else replace(row, detail=f"{row.detail}; {_DEAF}"))
    return rows


def contradictions(cannot: Mapping[Capability, str], habits: Sequence[BehaviourRow]) -> list[str]:
    """Where what is declared and what was seen differ, a sentence each."""
    seen = {habit.name: habit for habit in habits}
    found = []
    for capability, names in _PROBES.items():
        probes = [seen[name] for name in names if name in seen]
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
    )
