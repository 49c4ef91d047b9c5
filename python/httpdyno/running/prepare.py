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

from httpdyno.errors import HttpdynoError, NodeFault, TargetError
from httpdyno.host.pinning import Pinning
from httpdyno.output.slugs import file_name
from httpdyno.plan import Arm
from httpdyno.result import ConformanceRow, FailureRow, ProbeRow
from httpdyno.running.beside import DatabaseBeside
from httpdyno.running.live.events import ArmFails, Events, Stage
from httpdyno.running.machines.site import LiveServer, Site
from httpdyno.running.own import NOTHING, StudyContext
from httpdyno.servers import (
    AttachedServer,
    Catalogue,
    Installation,
    Server,
    ServerFailure,
)
from httpdyno.servers.check.client import Conversation, NoConnectionError
from httpdyno.servers.declaration.load import CATALOGUE, FILE_NAME
from httpdyno.verdict import Settings
from httpdyno.workloads import Workload

FailureStage = Literal["install", "build", "start", "check", "measure"]


@dataclass(frozen=True)
class ReadyArm:
    """An arm that can be measured: its server is installed, and its cores are chosen."""

    arm: Arm
    installation: Installation
    pinning: Pinning
    log: Path
    workload: Workload
    site: Site
    database: DatabaseBeside | None = None
    """The database that the server uses."""
    study_file: str = ""
    settings: Settings = "keys"
    """The names of settings in hints."""

    def start(self) -> LiveServer:
        """Starts a fresh server on its cores; one that runs already stays as it is. The rows of its
        database are fresh, too."""
        if self.database is not None:
            self.database.reset()
        return self.site.start(self.installation, self.arm.deployment, self.pinning, self.log)

    @property
    def over_tcp(self) -> bool:
        """Plain TCP reaches it, as it does the reference server: no TLS, no Unix socket."""
        server = self.installation.server
        at = server.running_at
        if at is not None:
            return at.tls is None and at.unix is None
        return not server.deployment(self.arm.deployment).tls

    @property
    def server_cores(self) -> int | None:
        """The processors of its starts; None: it runs already, on any."""
        attached = self.installation.server.running_at is not None
        return None if attached else len(self.pinning.server)

    @property
    def check_command(self) -> str | None:
        """The command that checks all replies of the server; None: its study is not in a file."""
        server = self.installation.server
        if server.in_place or self.workload.own:
            if not Path(self.study_file).is_file():
                return None
            return shlex.join(
                ["httpdyno", "servers", "check", "--study", self.study_file, self.arm.name]
            )
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
    reply_bytes: dict[str, list[int]] = field(default_factory=dict)
    """By workload: the length of each reply body of its sample that the first arm with it sent."""


def prepare(
    arms: Sequence[Arm],
    catalogue: Catalogue,
    folder: Path,
    events: Events,
    context: StudyContext = NOTHING,
    *,
    site: Site,
    database: DatabaseBeside | None = None,
    needs_all: bool = False,
) -> Preparation:
    """Prepares each arm in turn on the machines of the run.
    With `needs_all`, raises TargetError for the first one that fails.
    """
    done = Preparation()
    for arm in arms:
        server = catalogue.get(arm.server)
        try:
            ready = _ready(arm, server, site, folder, events, context, done, database)
            if arm.control_of is None:
                lengths = _check_replies(ready, events)
                done.reply_bytes.setdefault(arm.workload, lengths)
        except NodeFault:
            raise
        except HttpdynoError as error:
            failure = failure_row(arm, error, folder)
            if needs_all:
                log = folder / failure.log if failure.log else None
                text = f"`{arm.name}` cannot be measured: {failure.reason}"
                hint = f"its log: `{log}`" if log else None
                raise TargetError(text, hint=hint, log=log) from None
            done.failures.append(failure)
            events.send(ArmFails(**failure.model_dump()))
            continue
        done.arms[arm.name] = ready
        done.versions[arm.server] = ready.installation.full_version
        _add_conformance(done.conformance, ready)
    return done


def _add_conformance(rows: dict[tuple[str, str], ConformanceRow], ready: ReadyArm) -> None:
    """Adds the server's HTTP conformance from its last check; nothing if it was never checked."""
    key = (ready.arm.server, ready.arm.deployment)
    found = ready.site.conformance(ready.installation, ready.arm.deployment)
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
    return FailureRow(
        arm=arm.name, stage=stage, reason=error.message, log=_keep_log(log, arm, folder)
    )


def log_path(arm: Arm, folder: Path) -> Path:
    """The log of an arm's servers."""
    return folder / "logs" / f"{file_name(arm.name)}.log"


def _ready(
    arm: Arm,
    server: Server,
    site: Site,
    folder: Path,
    events: Events,
    context: StudyContext,
    done: Preparation,
    database: DatabaseBeside | None,
) -> ReadyArm:
    workload = context.workloads[arm.workload]
    if server.unavailable is None and not workload.own:
        _require_workload(arm, server)
        _require_database(arm, server, workload, database)
    earlier = (one.installation for one in done.arms.values() if one.arm.server == arm.server)
    installation = next(earlier, None) or site.install(
        server,
        lambda step: events.send(Stage(f"installing {step}", "the installation to stop")),
    )
    if database is not None:
        installation = database.serving(installation)
    pinning = site.pinning(server, arm.deployment)
    if server.running_at is not None:
        events.note(f"{arm.name}: already running, so it is not restarted between trials")
    elif pinning.shared:
        events.note(f"{arm.name}: {pinning.note}")
    log = log_path(arm, folder)
    study = context.file, context.settings
    return ReadyArm(arm, installation, pinning, log, workload, site, database, *study)


def _require_workload(arm: Arm, server: Server) -> None:
    served = server.workloads_of(arm.deployment)
    if arm.workload not in served:
        listed = ", ".join(f"`{one}`" for one in served)
        raise WrongReply(
            f"`{arm.server}/{arm.deployment}` does not serve `{arm.workload}`: expected one of"
            f" {listed}"
        )


def _require_database(
    arm: Arm, server: Server, workload: Workload, database: DatabaseBeside | None
) -> None:
    """A server of the user's own may have a database of its own."""
    if workload.queries is not None and database is None and not server.in_place:
        raise WrongReply(
            f"`{arm.name}` needs a database for `{workload.name}`: expected [services.db] in the"
            ' study, with `kind = "postgres"` and `schema = "world"`'
        )


def _check_replies(ready: ReadyArm, events: Events) -> list[int]:
    """Starts the server once and checks its workload; the lengths of its replies."""
    events.send(Stage(f"checking {ready.arm.name}", "the server to stop"))
    with ready.start() as running:
        if isinstance(running, AttachedServer):
            _require_answer(ready, running)
        http = ready.installation.server.deployment(ready.arm.deployment).http[0]
        rows = ready.site.check(running, ready.workload.sample, http)
    wrong = [row for row in rows if not row.ok]
    if wrong:
        first, command = wrong[0], ready.check_command
        rest = f"; `{command}` shows them all" if command else ""
        raise WrongReply(
            f"`{ready.arm.name}`: {len(wrong)} of {len(rows)} replies of the workload"
            f" `{ready.arm.workload}` are wrong: {first.exchange.method} {first.exchange.path}:"
            f" {first.detail}{rest}"
        )
    return [row.reply_bytes for row in rows]


def _require_answer(ready: ReadyArm, running: AttachedServer) -> None:
    """Raises ServerFailure when nothing listens where a server should run already."""
    try:
        Conversation(running.host, running.port, target=running.target).close()
    except NoConnectionError as error:
        raise ServerFailure(
            f"`{ready.arm.name}` at `{running.address}`: {error}: expected a server that runs",
            stage="start",
            log=ready.log,
            hint="start it, then run the command again with `--resume`",
        ) from None


def _keep_log(log: Path | None, arm: Arm, folder: Path) -> str | None:
    """The log's path, relative to the results folder; a log from elsewhere is copied there."""
    if log is None or not log.is_file():
        return None
    if not log.is_relative_to(folder):
        copy = log_path(arm, folder).with_suffix(".install.log")
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(log, copy)
        log = copy
    return str(log.relative_to(folder))
