"""Prepares every arm: installs its server, starts it once and checks its replies.

An arm that fails is left out, with the reason and its log; the study continues without it.
"""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Literal

from httpdyno.errors import HttpdynoError
from httpdyno.host import Pinning, split
from httpdyno.output.slugs import file_name
from httpdyno.plan import Arm
from httpdyno.result import ConformanceRow, FailureRow, ProbeRow
from httpdyno.running.listener import Listener
from httpdyno.servers import (
    Catalogue,
    Installation,
    RunningServer,
    Server,
    ServerFailure,
    check_workloads,
    install,
    start,
)
from httpdyno.servers.check.conformance import conformance
from httpdyno.servers.declaration.load import CATALOGUE, FILE_NAME
from httpdyno.workloads import get

FailureStage = Literal["install", "build", "start", "check", "measure"]


@dataclass(frozen=True)
class ReadyArm:
    """An arm that can be measured: its server is installed, and its cores are chosen."""

    arm: Arm
    installation: Installation
    pinning: Pinning
    log: Path

    def start(self) -> RunningServer:
        """Starts a fresh server on its cores."""
        cpus = self.pinning.server
        return start(self.installation, self.arm.deployment, cpus=cpus, log=self.log)

    @property
    def check_command(self) -> str:
        """The command that checks all replies of the server."""
        server = self.installation.server
        ours = server.folder.is_relative_to(CATALOGUE)
        which = [server.name] if ours else ["--server", str(server.folder / FILE_NAME)]
        command = ["httpdyno", "servers", "check", *which, "--deployment", self.arm.deployment]
        return shlex.join(command)


@dataclass(frozen=True)
class Preparation:
    """The arms that can be measured, by name, and why the others cannot."""

    arms: dict[str, ReadyArm] = field(default_factory=dict)
    failures: list[FailureRow] = field(default_factory=list)
    versions: dict[str, str] = field(default_factory=dict)
    conformance: dict[tuple[str, str], ConformanceRow] = field(default_factory=dict)
    """By server and deployment, of those that were checked on this machine."""


def prepare(
    arms: Sequence[Arm], catalogue: Catalogue, cpus: Sequence[int], folder: Path, listener: Listener
) -> Preparation:
    """Prepares each arm in turn; `cpus` are all that server and generator may use."""
    done = Preparation()
    for arm in arms:
        server = catalogue.get(arm.server)
        try:
            ready = _ready(arm, server, cpus, folder, listener)
            if arm.control_of is None:
                _check_replies(ready, listener)
        except HttpdynoError as error:
            done.failures.append(failure_row(arm, error, folder))
            listener.failed(done.failures[-1])
            continue
        done.arms[arm.name] = ready
        done.versions[arm.server] = ready.installation.version
        _add_conformance(done.conformance, ready)
    return done


def _add_conformance(rows: dict[tuple[str, str], ConformanceRow], ready: ReadyArm) -> None:
    """Adds the server's HTTP conformance from its last check; nothing if it was never checked."""
    key = (ready.arm.server, ready.arm.deployment)
    found = conformance(ready.installation, ready.arm.deployment)
    if found is None:
        return
    earlier = rows[key].arms if key in rows else []
    rows[key] = ConformanceRow(
        server=found.server,
        deployment=found.deployment,
        arms=[*earlier, ready.arm.name],
        version=found.version,
        checked_at=datetime.fromisoformat(found.checked_at).timestamp(),
        habits=[ProbeRow(**probe.model_dump()) for probe in found.probes],
        contradictions=list(found.contradictions),
    )


class WrongReply(HttpdynoError):  # noqa: N818 - named as its sisters in errors.py
    """A server that does not serve its workload, or whose reply is wrong."""


def failure_row(arm: Arm, error: HttpdynoError, folder: Path) -> FailureRow:
    """A failure as a row of the result; its log is kept beside the report."""
    stage: FailureStage = "install"
    log: Path | None = None
    if isinstance(error, ServerFailure):
        stage = "measure" if error.stage == "stop" else error.stage
        log = error.log
    elif isinstance(error, WrongReply):
        stage, log = "check", log_path(arm, folder)
    return FailureRow(arm=arm.name, stage=stage, reason=error.message, log=_kept(log, arm, folder))


def log_path(arm: Arm, folder: Path) -> Path:
    """The log of an arm's servers."""
    return folder / "logs" / f"{file_name(arm.name)}.log"


def _ready(
    arm: Arm, server: Server, cpus: Sequence[int], folder: Path, listener: Listener
) -> ReadyArm:
    if server.unavailable is None:
        _require_workload(arm, server)
    installation = install(
        server,
        report=lambda step: listener.stage(f"installing {step}", "the installation to stop"),
    )
    pinning = split(cpus, server.deployment(arm.deployment).cores)
    if pinning.shared:
        listener.note(f"{arm.name}: {pinning.note}")
    return ReadyArm(arm, installation, pinning, log_path(arm, folder))


def _require_workload(arm: Arm, server: Server) -> None:
    served = server.workloads_of(arm.deployment)
    if arm.workload not in served:
        listed = ", ".join(f"`{one}`" for one in served)
        raise WrongReply(
            f"`{arm.server}/{arm.deployment}` does not serve `{arm.workload}`: expected one of"
            f" {listed}"
        )


def _check_replies(ready: ReadyArm, listener: Listener) -> None:
    """Starts the server once and checks its workload, byte for byte."""
    listener.stage(f"checking {ready.arm.name}", "the server to stop")
    with ready.start() as running:
        rows = check_workloads(running.host, running.port, [get(ready.arm.workload)])
    wrong = [row for row in rows if not row.ok]
    if wrong:
        first = wrong[0]
        raise WrongReply(
            f"`{ready.arm.name}`: {len(wrong)} of {len(rows)} replies of the workload"
            f" `{ready.arm.workload}` are wrong: {first.exchange.method} {first.exchange.path}:"
            f" {first.detail}; `{ready.check_command}` shows them all"
        )


def _kept(log: Path | None, arm: Arm, folder: Path) -> str | None:
    """The log's path, relative to the results folder; a log from elsewhere is copied there."""
    if log is None or not log.is_file():
        return None
    if not log.is_relative_to(folder):
        copy = log_path(arm, folder).with_suffix(".install.log")
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(log, copy)
        log = copy
    return str(log.relative_to(folder))
