"""The subject of a comparison, as named: a revision, a command, a server, a URL, or a result.

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
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Literal

from httpdyno.address import parse_url
from httpdyno.errors import UsageError
from httpdyno.output.printable import printable
from httpdyno.output.slugs import server_name
from httpdyno.servers.named import path_and_part
from httpdyno.servers.revisions.revision import WORK_TREE, Revision, find_revision

Kind = Literal["revision", "command", "file", "arm", "url", "result"]
RESULT = "result.json"
LONGEST_NAME = 40
SHOWN_DIGITS = 10
"""Of a commit that is named in full."""
_FORMS = (
    "expected a git revision, `.`, `cmd:COMMAND`, a server.toml, an arm of the catalogue, a URL,"
    " or the JSON of a result"
)


@dataclass(frozen=True)
class Subject:
    """One of the things to compare. Of `revision`, `file` and the others, its kind sets one."""

    given: str
    kind: Kind
    name: str
    """Short, for sentences."""
    revision: Revision | None = None
    file: Path | None = None
    """A server.toml, or a result."""
    part: str | None = None
    """The deployment of a server, or the arm of a result."""
    text: str = ""
    """A command or a URL; the server of an arm of the catalogue."""


def subject(  # noqa: PLR0911 - one for each form
    given: str, servers: Mapping[str, Collection[str]], folder: Path
) -> Subject:
    """The subject that `given` names. `servers`: the catalogue's deployments; `folder`: git's.

    Raises UsageError when it names nothing, or more than one thing.
    """
    if re.match(r"(https?|unix)://", given):
        return _url(given)
    prefix, colon, rest = given.partition(":")
    if colon and prefix == "cmd":
        return _command(given, rest.strip())
    if colon and prefix == "git":
        return _revision(given, rest, folder)
    if colon and prefix == "arm":
        return _arm(given, rest, servers)
    if (found := _file(given)) is not None:
        return found
    revision = find_revision(given, folder)
    known = given.partition("/")[0] in servers
    if revision is not None and known:
        raise UsageError(
            f"`{given}` is a revision and an arm of the catalogue",
            hint=f"write `git:{given}` or `arm:{given}`",
        )
    if known:
        return _arm(given, given, servers)
    return _revision(given, given, folder)


def renamed(one: Subject, name: str) -> Subject:
    """The subject under another name."""
    return replace(one, name=_short(name))


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
        path = "/" if given.startswith("unix:") else parse_url(given).path
    except ValueError as error:
        raise UsageError(f"`{given}`: {error}") from None
    if path != "/":
        server = given.removesuffix(path)
        raise UsageError(
            f"`{given}` has the path `{path}`: expected only scheme, host and port",
            hint=f"compare `{server}`, with `--path '{path}'`",
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


def _revision(given: str, name: str, folder: Path) -> Subject:
    revision = find_revision(name, folder)
    if revision is None:
        raise UsageError(
            f"`{given}` is neither a revision of the repository in `{folder}` nor a file: {_FORMS}",
            hint="`git log --oneline --all` shows the revisions",
        )
    shown = name[:SHOWN_DIGITS] if re.fullmatch("[0-9a-f]{40}", name) else name
    title = "the work tree" if name in WORK_TREE else _short(shown)
    return Subject(given, "revision", title, revision)


def _arm(given: str, name: str, servers: Mapping[str, Collection[str]]) -> Subject:
    server, _, deployment = name.partition("/")
    if server not in servers:
        raise UsageError(
            f"`{given}` is not an arm of the catalogue: expected one such as `nginx/1-worker`",
            hint="`httpdyno servers list` shows the servers",
        )
    there = list(servers[server])
    if not there:
        raise UsageError(
            f"`{server}` is unavailable: expected a server that can be started",
            hint="`httpdyno servers list` shows why",
        )
    if deployment and deployment not in there:
        known = ", ".join(f"`{one}`" for one in there)
        raise UsageError(f"`{deployment}` is not a deployment of `{server}`: expected {known}")
    chosen = deployment or there[0]
    return Subject(given, "arm", f"{server}/{chosen}", text=server, part=chosen)


def _file(given: str) -> Subject | None:
    """A server.toml or a result, itself or as its folder; None: it is neither."""
    named = path_and_part(given, (".toml", ".json"))
    if named is None:
        return None
    path, part = named
    if not path.exists():
        raise UsageError(f"`{given}` does not exist: expected a server.toml or a result")
    if path.is_dir():
        held = [path / name for name in ("server.toml", RESULT) if (path / name).is_file()]
        if not held or given in WORK_TREE:
            return None
        path = held[0]
    kind: Kind = "result" if path.suffix == ".json" else "file"
    if kind == "file" and path.suffix != ".toml":
        return None
    title = path.resolve().parent.name if path.name in ("server.toml", RESULT) else path.stem
    name = _short(f"{title}/{part}" if part else title)
    return Subject(given, kind, name, file=path.resolve(), part=part)


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
