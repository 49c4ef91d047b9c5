"""The requests of `httpdyno load`, and the server that they go to."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from httpdyno.cli.load.arguments.address import Address, UrlParts, parse_url_parts
from httpdyno.cli.load.arguments.bodies import body_of, body_of_bytes, expect_of
from httpdyno.cli.load.arguments.flags import LoadFlags
from httpdyno.cli.load.arguments.headers import NAME, Header, headers_of, replaced
from httpdyno.cli.load.arguments.input_files import read_whole
from httpdyno.cli.load.arguments.url_list import UrlListError, parse_url_list
from httpdyno.cli.values import Values
from httpdyno.compat.session_log import (
    LoggedRequest,
    Session,
    SessionLogError,
    parse_session_log,
    scripts,
)
from httpdyno.engine_plan import Body, Request, Script

__all__ = ["Work", "work_of"]

_ALSO = re.compile(rf"({NAME})\s+(/[!-~]*)(?:\s+x([1-9]\d*))?")
_MOST_WEIGHT = 10_000


@dataclass(frozen=True)
class Work:
    """The requests of a load, and their server."""

    server: Address | None
    """None: it cannot be read, which is a fault."""
    requests: list[Request]
    scripts: list[Script] | None = None
    """The sessions of --sessions-file, over the requests."""


@dataclass(frozen=True)
class _Template:
    """The parts that the requests of a command line have in common."""

    method: str | None
    bare: Request
    """A request without the body of the command line."""
    body: Body | None
    full: Request
    """A request with it, and with its media type."""

    def request(
        self,
        path: str,
        method: str | None = None,
        headers: list[Header] | None = None,
        body: Body | None = None,
    ) -> Request:
        """A request, with headers and a body of its own in place of those of the command line."""
        base = self.full if body is None else self.bare
        body = body or self.body
        chosen = method or self.method or ("GET" if body is None else "POST")
        headers = replaced(base.headers, headers) if headers else base.headers
        return replace(base, method=chosen, path=path, headers=headers, body=body)


def work_of(flags: LoadFlags, values: Values, think_s: float) -> Work:
    """The requests of the flags: of the URL and each --also, of a list, or of sessions.

    `think_s` is the pause after bursts of --sessions-file that name none.
    """
    url = values.read("URL", flags.url, parse_url_parts)
    template = _template(flags, values, url)
    server = url.address if url else None
    if flags.url is not None and url is None:
        return Work(None, [])  # without the URL, a list cannot be compared with it
    if flags.urls is not None:
        return _listed(flags, values, server, template)
    if flags.url is None:
        values.faults.add("missing argument 'URL': expected a URL, or a list with `--urls FILE`")
    if flags.sessions_file is not None:
        return _in_sessions(flags, values, server, template, think_s)
    requests = [template.request(server.path if server else "/")]
    for text in flags.also:
        also = values.read("--also", text, _also)
        if also is not None:
            bare = template.bare
            requests.append(replace(also, headers=bare.headers, expect=bare.expect))
    return Work(server, requests)


def _template(flags: LoadFlags, values: Values, url: UrlParts | None) -> _Template:
    method = values.read("--method", flags.method, _method)
    body, media_type = body_of(flags, values)
    headers = headers_of(flags, values, url.authorization if url else None)
    expect = expect_of(flags, values)
    typed = [] if media_type is None else [("Content-Type", media_type)]
    return _Template(
        method,
        Request(headers=headers, expect=expect),
        body,
        Request(headers=replaced(typed, headers), body=body, expect=expect),
    )


def _listed(flags: LoadFlags, values: Values, server: Address | None, template: _Template) -> Work:
    """The requests of --urls, in the order of the list."""
    _demand_no_path("--urls", server, values)
    content = values.read("--urls", flags.urls, read_whole)
    if content is None:
        return Work(server, [])
    try:
        found = parse_url_list(content, server, _folder_of_bodies(flags))
    except UrlListError as wrong:
        _report("--urls", flags.urls, wrong.faults, values, of_file=wrong.only_files)
        return Work(server, [])
    requests = [
        template.request(one.path, one.method, one.headers, one.body) for one in found.requests
    ]
    return Work(found.server, requests)


def _folder_of_bodies(flags: LoadFlags) -> Path:
    """The folder whose files a list may send: a list may come from somebody else."""
    if flags.bodies_from is not None:
        return Path(flags.bodies_from).resolve()
    return Path() if flags.urls in (None, "-") else Path(flags.urls).resolve().parent


def _in_sessions(
    flags: LoadFlags,
    values: Values,
    server: Address | None,
    template: _Template,
    think_s: float,
) -> Work:
    """The requests of --sessions-file, and its sessions."""
    _demand_no_path("--sessions-file", server, values)
    content = values.read("--sessions-file", flags.sessions_file, read_whole)
    if content is None:
        return Work(server, [])
    try:
        sessions = parse_session_log(content)
    except SessionLogError as wrong:
        _report("--sessions-file", flags.sessions_file, wrong.faults, values)
        return Work(server, [])
    _report("--sessions-file", flags.sessions_file, _faulty_paths(sessions), values)
    logged, steps = scripts(sessions, think_s)
    return Work(server, [_of_log(one, template) for one in logged], steps)


def _of_log(one: LoggedRequest, template: _Template) -> Request:
    body = body_of_bytes(one.contents) if one.contents else None
    return template.request(one.uri, one.method, body=body)


def _faulty_paths(sessions: list[Session]) -> list[str]:
    requests = (one for session in sessions for burst in session for one in burst.requests)
    wrong = [one.line for one in requests if not one.uri.startswith("/")]
    return [f"line {line}: expected a path such as `/index.html`" for line in wrong[:20]]


def _demand_no_path(flag: str, server: Address | None, values: Values) -> None:
    if server is not None and server.path != "/":
        values.faults.add(
            f"`{flag}` names the paths: expected a URL without one, such as `http://localhost:8080`"
        )


def _report(
    flag: str, name: str | None, faults: Iterable[str], values: Values, *, of_file: bool = False
) -> None:
    for fault in faults:
        values.faults.add(f"`{flag} {name}`: {fault}", of_file=of_file)


def _method(text: str) -> str:
    if re.fullmatch(NAME, text) is None:
        raise ValueError("expected a method such as `GET` or `POST`")
    return text


def _also(text: str) -> Request:
    match = _ALSO.fullmatch(text.strip())
    if match is None:
        raise ValueError("expected a method, a path and how often, such as `GET /pong x3`")
    weight = match[3] or "1"
    if len(weight) > len(str(_MOST_WEIGHT)) or int(weight) > _MOST_WEIGHT:
        raise ValueError(f"expected at most x{_MOST_WEIGHT}")
    return Request(method=match[1], path=match[2], weight=int(weight))
