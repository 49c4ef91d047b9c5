"""Turns what the user compares into arms of a study: copies and builds revisions, reads files."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from httpdyno.errors import UsageError
from httpdyno.servers import Server, load_server
from httpdyno.servers.declaration.load import FILE_NAME
from httpdyno.servers.installation.digest import digest_of
from httpdyno.servers.revisions.checkout import check_out
from httpdyno.servers.revisions.revision import Revision
from httpdyno.servers.subjects import Subject
from httpdyno.study.own.arms import own_arm

Report = Callable[[str], None]
_MOST_NAME = 50


@dataclass(frozen=True)
class Commands:
    """The build and the start of a revision or a command. Empty texts: not given."""

    start: str = ""
    build: str = ""
    ready: str | None = None
    """The path that answers 200 when the server is ready; None: any answer will do."""
    env: Mapping[str, str] = field(default_factory=dict)
    cores: int = 1


@dataclass(frozen=True)
class Side:
    """One arm of the comparison. `server`: one that no catalogue has."""

    arm: dict[str, Any]
    """The keys of an arm of a study."""
    name: str
    """The name of the arm in the study, and in sentences."""
    content: str
    """A digest of what is measured: the same build has the same one."""
    server: Server | None = None


def side(
    subject: Subject, name: str, commands: Commands, report: Report, *, built_here: bool = True
) -> Side:
    """The arm of a subject, called `name`; a revision is copied and built when it is new.

    Without `built_here`, it is built on the machine that its server runs on.

    Raises UsageError when it cannot be started as given, TargetError when its build fails.
    """
    require_start(subject, commands)
    if subject.revision is not None:
        return _revision(subject.revision, name, commands, report, built_here=built_here)
    found = subject.deployment
    if found is not None and found.file is not None:
        return _of_catalogue(found.server, found.name, name)
    if found is not None:
        own = _without_deployment(name, found.name)
        arm = {"server": found.server.name, "deployments": [found.name], "name": own}
        return Side(arm, f"{own}/{found.name}", _digest(subject.name))
    if subject.kind == "url":
        key = "unix" if subject.text.startswith("unix://") else "url"
        text = subject.text.removeprefix("unix://") if key == "unix" else subject.text
        return Side(own_arm(name, **{key: text}), name, _digest(subject.text))
    return _command(subject.text, name, commands, Path.cwd())


def require_start(subject: Subject, commands: Commands) -> None:
    """Raises UsageError for a saved result, and for a revision of which nothing says how its server
    is started."""
    if subject.kind == "result":
        raise UsageError(
            f"`{subject.given}` is a result: expected it as the first of the two, the baseline"
        )
    revision = subject.revision
    if revision is not None and not commands.start and not revision.has(FILE_NAME):
        raise UsageError(
            f"`--start` is missing: `{subject.given}` has no `{FILE_NAME}` at its top, so nothing"
            " says how its server is started",
            hint="--start 'uvicorn app:app --port {port}'",
        )


def _revision(
    revision: Revision, name: str, commands: Commands, report: Report, *, built_here: bool
) -> Side:
    build = commands.build if commands.start else ""
    folder = check_out(revision, build if built_here else "", report, name)
    if commands.start:
        later = "" if built_here else build
        return _command(commands.start, name, commands, folder, revision, build=later)
    server = load_server(folder / FILE_NAME)
    return _of_catalogue(server, server.default_deployment, name, revision)


def _command(
    start: str,
    name: str,
    commands: Commands,
    folder: Path,
    revision: Revision | None = None,
    *,
    build: str = "",
) -> Side:
    """`build`: the command that the server's machine runs before the first start."""
    arm = own_arm(
        name,
        start=start,
        cwd=str(folder),
        build=build or None,
        version=None if revision is None else revision.version,
        ready=commands.ready,
        env=dict(commands.env) or None,
        cores=None if commands.cores == 1 else commands.cores,
    )
    content = start if revision is None else revision.content
    return Side(arm, name, _digest(content, start, commands.build))


def _of_catalogue(
    server: Server, deployment: str, name: str, revision: Revision | None = None
) -> Side:
    """A server of a server.toml, under a name that tells it from another version of itself."""
    digest = _digest(digest_of(server) if revision is None else revision.content, deployment)
    own = f"{server.name[:_MOST_NAME]}-{digest[:8]}"
    title = _without_deployment(name, deployment)
    version = "" if revision is None else revision.version
    changes = {"name": own, "title": title, "given_version": version}
    renamed = server.model_copy(update=changes)
    arm = {"server": own, "deployments": [deployment], "name": title}
    return Side(arm, f"{title}/{deployment}", digest, renamed)


def _without_deployment(name: str, deployment: str) -> str:
    """`mine (A)` of `mine/threads (A)`: the name of an arm gets its deployment back."""
    return name.replace(f"/{deployment}", "", 1)


def _digest(*texts: str) -> str:
    return hashlib.sha256("\0".join(texts).encode(errors="surrogateescape")).hexdigest()
