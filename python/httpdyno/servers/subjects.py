"""The subject of a measurement, as named: a revision, a command, a server, a URL, or a result.

    main  HEAD~1  v1.2  .          git: a revision; `.` is the uncommitted state
    'cmd:uvicorn app:app --port {port}'
    ./mine/server.toml             a server.toml, with `:DEPLOYMENT` behind it or its first one
    starlette/1-worker             an arm of the catalogue, or a server's first deployment
    http://127.0.0.1:3000          a server that is already running
    before.json                    a result, with `:ARM` behind it if it has several

`git:` before a name makes it a revision, `arm:` an arm of the catalogue; a name that
is both, without either, is refused.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Collection
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Literal

from httpdyno.address import parse_server
from httpdyno.errors import UsageError
from httpdyno.output.places import expanded
from httpdyno.output.printable import printable
from httpdyno.output.slugs import server_name
from httpdyno.servers.declaration.load import FILE_NAME, Catalogue, load_server
from httpdyno.servers.declaration.server import Server
from httpdyno.servers.revisions.revision import (
    WORK_TREE,
    Revision,
    demand_repository,
    find_revision,
    nearest_revision,
)

__all__ = [
    "Kind",
    "ServerDeployment",
    "Subject",
    "distinct_names",
    "kind_of",
    "server_deployment",
    "subject",
    "with_name",
]

Kind = Literal["revision", "command", "file", "arm", "url", "result"]
RESULT = "result.json"
LONGEST_NAME = 40
SHOWN_DIGITS = 10
"""Of a commit that is named in full."""
_PREFIXES: dict[str, Kind] = {"cmd": "command", "git": "revision", "arm": "arm"}
_FILES = {".toml": f"a {FILE_NAME}", ".json": "a result"}
"""The endings of the files that are subjects."""
_FORMS = (
    "expected a git revision, `.`, `cmd:COMMAND`, a server.toml, an arm of the catalogue, a URL,"
    " or the JSON of a result"
)
_ALL_REVISIONS = "`git log --oneline --all` shows the revisions"
_OWN = "a server of your own is named by the path of its server.toml"
_SLASHED = re.compile(r"(.+\.toml)/([^/]+)")


@dataclass(frozen=True)
class ServerDeployment:
    """A server of the catalogue or of a server.toml, in one of its deployments."""

    server: Server
    name: str
    """Of the deployment."""
    file: Path | None = None
    """The server.toml as it was named; None: it is of the catalogue."""


@dataclass(frozen=True)
class Subject:
    """One of the things to measure. Its kind sets one of the four from `revision` on."""

    given: str
    kind: Kind
    name: str
    """Short, for sentences."""
    revision: Revision | None = None
    deployment: ServerDeployment | None = None
    text: str = ""
    """A command or a URL."""
    file: Path | None = None
    """A result."""
    part: str | None = None
    """The arm of a result."""


def kind_of(given: str) -> Kind | None:
    """The kind that the beginning of a subject says; None: it says none."""
    prefix, colon, _ = given.partition(":")
    if colon and prefix in _PREFIXES:
        return _PREFIXES[prefix]
    return "url" if "://" in given else None


def subject(given: str, catalogue: Catalogue, folder: Path) -> Subject:
    """The subject that `given` names; `folder`: git's.

    Raises UsageError when it names nothing, or more than one thing.
    """
    rest = given.partition(":")[2]
    match kind_of(given):
        case "url":
            return _url(given)
        case "command":
            return _command(given, rest.strip())
        case "revision":
            return _revision(given, rest, catalogue, folder)
        case "arm":
            return _arm(given, rest, catalogue)
    if given not in WORK_TREE and (found := _file(given, _FILES)) is not None:
        return _of_file(given, *found)
    known = given.partition("/")[0] in catalogue.names()
    if known and find_revision(given, folder) is not None:
        raise UsageError(
            f"`{given}` is a revision and an arm of the catalogue",
            hint=f"write `git:{given}` or `arm:{given}`",
        )
    return _arm(given, given, catalogue) if known else _revision(given, given, catalogue, folder)


def server_deployment(given: str, catalogue: Catalogue) -> ServerDeployment:
    """The server of a server.toml or of the catalogue that `given` names; `.` is a folder.

    Raises UsageError when it names none.
    """
    found = _file(given, (".toml",))
    if found is None and given.startswith((".", "/", "~")):
        found = expanded(given), None
    if found is None:
        return _of_catalogue(given.removeprefix("arm:"), catalogue)
    return _of_server_toml(*found)


def with_name(one: Subject, name: str | None) -> Subject:
    """The subject under another name; None: under its own."""
    return one if name is None else replace(one, name=_short(name))


def distinct_names(first: Subject, second: Subject) -> tuple[str, str]:
    """The names of both, different even if both are the same, and also as names of servers."""
    if server_name(first.name) != server_name(second.name):
        return first.name, second.name
    one, other = (subject.revision and subject.revision.short for subject in (first, second))
    if one and other and one != other:
        return f"{first.name} ({one})", f"{second.name} ({other})"
    return f"{first.name} (A)", f"{second.name} (B)"


def _url(given: str) -> Subject:
    try:
        url = None if given.startswith("unix:") else parse_server(given)
    except ValueError as error:
        raise UsageError(f"`{given}`: {error}") from None
    if url is not None and url.path != "/":
        path = (
            f"--grpc {shlex.quote(url.path[1:])}" if url.grpc else f"--path {shlex.quote(url.path)}"
        )
        raise UsageError(
            f"`{given}` has the path `{url.path}`: expected only scheme, host and port",
            hint=f"compare `{url.origin}`, with `{path}`",
        )
    return Subject(given, "url", _short(re.sub(r"^\w+://|/$", "", given)), text=given)


def _command(given: str, command: str) -> Subject:
    if not command:
        raise UsageError(
            f"`{given}` has no command: expected `cmd:COMMAND`",
            hint="name the command of a server: `'cmd:python3 server.py --port {port}'`",
        )
    # `uvicorn slow:app` of `uvicorn slow:app --port {port}`
    name = _line(re.sub(r"(\s--?[\w-]+)?[\s=]\S*\{(port|host)\}\S*", "", command))
    if len(name) > LONGEST_NAME:
        # `python3 server.py 500` of `/srv/bin/python3 /srv/app/server.py 500`
        name = _cut(re.sub(r"[^\s=]*/(?=[^\s/])", "", name), of=command)
    return Subject(given, "command", name, text=command)


def _revision(given: str, name: str, catalogue: Catalogue, folder: Path) -> Subject:
    if given in WORK_TREE or given != name:
        demand_repository(folder, "name two servers or commands: `httpdyno compare --help`")
    revision = find_revision(name, folder)
    if revision is None and given != name:
        raise UsageError(
            f"`{given}` is not a revision of the repository in `{folder}`", hint=_ALL_REVISIONS
        )
    if revision is None:
        nearest = nearest_revision(name, folder) or catalogue.nearest(name)
        meant = f"did you mean `{nearest}`? " if nearest else ""
        raise UsageError(
            f"`{given}` is neither a revision of the repository in `{folder}` nor a file: {_FORMS}",
            hint=f"{meant}{_ALL_REVISIONS}",
        )
    shown = name[:SHOWN_DIGITS] if re.fullmatch("[0-9a-f]{40}", name) else name
    title = "the work tree" if name in WORK_TREE else _short(shown)
    return Subject(given, "revision", title, revision)


def _arm(given: str, name: str, catalogue: Catalogue) -> Subject:
    found = _of_catalogue(name, catalogue)
    return Subject(given, "arm", f"{found.server.name}/{found.name}", deployment=found)


def _of_file(given: str, path: Path, part: str | None) -> Subject:
    title = path.resolve().parent.name if path.name in (FILE_NAME, RESULT) else path.stem
    name = _short(f"{title}/{part}" if part else title)
    if path.suffix == ".json":
        return Subject(given, "result", name, file=path.resolve(), part=part)
    return Subject(given, "file", name, deployment=_of_server_toml(path, part))


def _of_catalogue(name: str, catalogue: Catalogue) -> ServerDeployment:
    name, _, deployment = name.partition("/")
    return _deployment(catalogue.get(name, _OWN), deployment)


def _of_server_toml(path: Path, deployment: str | None) -> ServerDeployment:
    file = path / FILE_NAME if path.is_dir() else path
    return _deployment(load_server(file), deployment, file)


def _deployment(server: Server, name: str | None, file: Path | None = None) -> ServerDeployment:
    """The deployment of this name, or the first one. Raises UsageError when there is none."""
    found = name or server.default_deployment
    server.deployment(found)
    return ServerDeployment(server, found, file)


def _file(given: str, endings: Collection[str]) -> tuple[Path, str | None] | None:
    """A server.toml or a result, itself or as its folder, and the part of it that is named; None:
    it is neither."""
    named = _path_and_part(given, endings)
    if named is None:
        return None
    path, part = named
    if not path.exists():
        expected = " or ".join(_FILES[one] for one in endings)
        raise UsageError(f"`{given}` does not exist: expected {expected}, or its folder")
    if path.is_dir():
        held = (path / name for name in (FILE_NAME, RESULT))
        path = next((file for file in held if file.is_file()), path)
    return (path, part) if path.suffix in endings and not path.is_dir() else None


def _path_and_part(given: str, endings: Collection[str]) -> tuple[Path, str | None] | None:
    """The path in `PATH` or `PATH:PART`, and the part; a path that exists as it is has none.

    None: `given` has none of these endings before the colon, and does not exist. Raises UsageError
    for a deployment behind a slash.
    """
    path = expanded(given)
    if path.exists():
        return path, None
    slashed = _SLASHED.fullmatch(given)
    if slashed is not None and expanded(slashed[1]).is_file():
        raise UsageError(
            f"`{given}` does not exist: expected a colon before the deployment",
            hint=f"did you mean `{slashed[1]}:{slashed[2]}`?",
        )
    before, colon, part = given.partition(":")
    path = expanded(before)
    if path.suffix not in endings:
        return None
    if colon and not part:
        raise UsageError(f"`{given}`: expected a name after the colon, or none")
    return path, part or None


def _short(text: str) -> str:
    """A name of an arm that is not too long."""
    shown = _line(text)
    return shown if len(shown) <= LONGEST_NAME else _cut(shown, of=text)


def _line(text: str) -> str:
    """A name of an arm: one line, and no slash at its beginning."""
    return " ".join(printable(text).split()).lstrip("/ ") or "server"


def _cut(name: str, *, of: str) -> str:
    """Both ends of a name, and a digest: no other text has the same name."""
    digest = f" ({sha256(of.encode(errors='surrogateescape')).hexdigest()[:6]})"
    room = LONGEST_NAME - len(digest)
    if len(name) > room:
        head = room // 2
        name = f"{name[:head].rstrip()}…{name[head + 1 - room :].lstrip()}"
    return f"{name}{digest}"
