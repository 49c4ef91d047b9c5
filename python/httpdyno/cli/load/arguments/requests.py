"""The requests that the flags of a verb describe: of one path and each --also, or of a list."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from httpdyno.cli.faults import given_flags
from httpdyno.cli.load.arguments.address import Address, check_url
from httpdyno.cli.load.arguments.bodies import body_of, expect_of, report_answer
from httpdyno.cli.load.arguments.headers import NAME, Header, replace_headers
from httpdyno.cli.load.arguments.input_files import read_whole
from httpdyno.cli.load.arguments.request_flags import RequestFlags
from httpdyno.cli.load.arguments.url_list import UrlListError, parse_url_list
from httpdyno.cli.values import Values
from httpdyno.engine_plan import Body, Like, Request, names_sent, texts_of, with_placeholders
from httpdyno.output.secrets import masked_url

__all__ = [
    "Requests",
    "Template",
    "demand_no_path",
    "report_contradictory_requests",
    "report_lines",
    "requests_of",
    "template_of",
]

_ALSO = re.compile(rf"({NAME})\s+(/[!-~]*)(?:\s+x([1-9]\d*))?")
_MOST_WEIGHT = 10_000


@dataclass(frozen=True)
class Requests:
    """The requests, and the server that they go to."""

    server: Address | None
    """None: the flags do not name it, or cannot be read, which is a fault."""
    sent: list[Request]


@dataclass(frozen=True)
class Template:
    """The parts that the requests of a command line have in common."""

    method: str | None
    bare: Request
    """A request without the body of the command line."""
    body: Body | None
    full: Request
    """A request with it, and with its media type."""
    names: Sequence[str] = ()
    """Those that placeholders may have."""

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
        headers = replace_headers(base.headers, headers) if headers else base.headers
        request = replace(base, method=chosen, path=path, headers=headers, body=body)
        return self.vary(request)

    def vary(self, request: Request) -> Request:
        """The request, whose replies are not compared with the first one if it has placeholders."""
        request = with_placeholders(request, self.names)
        if request.placeholders and isinstance(request.expect.body, Like):
            return replace(request, expect=replace(request.expect, body=None))
        return request


def template_of(
    flags: RequestFlags, values: Values, headers: list[Header], target: str
) -> Template:
    """The common parts of the requests, with these headers. `target`: the path, or the URL."""
    method = values.read("--method", flags.method, _method)
    body, media_type = body_of(flags, values)
    expect = expect_of(flags, values)
    if flags.urls is None:
        one = Request(path=target, headers=headers, body=body)
        sent = names_sent([*texts_of(one), *flags.also], values.names)
        report_answer(flags, values, expect, [sent])
    typed = [] if media_type is None else [("Content-Type", media_type)]
    return Template(
        method,
        Request(headers=headers, expect=expect),
        body,
        Request(headers=replace_headers(typed, headers), body=body, expect=expect),
        values.names,
    )


def requests_of(
    flags: RequestFlags,
    values: Values,
    template: Template,
    server: Address | None,
    path: str,
    *,
    needs_server: bool = True,
) -> Requests:
    """The requests of the flags, but for those of --workload.

    `server`: as the command line names it. `needs_server`: otherwise a list may have only paths.
    """
    if flags.urls is not None:
        return _of_list(flags, values, template, server, needs_server=needs_server)
    try:
        check_url(path, values.names)
    except ValueError as wrong:
        values.faults.add(f"`{masked_url(path)}`: {wrong}")
        path = "/"
    requests = [template.request(path)]
    for text in flags.also:
        also = values.read("--also", text, partial(_also, values.names))
        if also is not None:
            bare = template.bare
            also = replace(also, headers=bare.headers, expect=bare.expect)
            requests.append(template.vary(also))
    return Requests(server, requests)


def _of_list(
    flags: RequestFlags,
    values: Values,
    template: Template,
    server: Address | None,
    *,
    needs_server: bool,
) -> Requests:
    """The requests of --urls, in the order of the list."""
    demand_no_path("--urls", server, values)
    content = values.read("--urls", flags.urls, read_whole)
    if content is None:
        return Requests(server, [])
    folder = _folder_of_bodies(flags)
    try:
        found = parse_url_list(
            content, server, folder, needs_server=needs_server, names=values.names
        )
    except UrlListError as wrong:
        report_lines("--urls", flags.urls, wrong.faults, values, of_file=wrong.only_files)
        return Requests(server, [])
    requests = [
        template.request(one.path, one.method, one.headers, one.body) for one in found.requests
    ]
    if flags.expect is not None:
        sent = {tuple(names_sent(texts_of(one), template.names)) for one in requests}
        report_answer(flags, values, template.bare.expect, sent)
    return Requests(found.server, requests)


def _folder_of_bodies(flags: RequestFlags) -> Path:
    """The folder whose files a list may send: a list may come from somebody else."""
    if flags.bodies_from is not None:
        return Path(flags.bodies_from).resolve()
    return Path() if flags.urls in (None, "-") else Path(flags.urls).resolve().parent


def demand_no_path(flag: str, server: Address | None, values: Values) -> None:
    """Report a URL with a path where a flag names the paths."""
    if server is not None and server.path != "/":
        values.faults.add(
            f"`{flag}` names the paths: expected a URL without one, such as `http://localhost:8080`"
        )


def report_lines(
    flag: str, name: str | None, faults: Iterable[str], values: Values, *, of_file: bool = False
) -> None:
    """Report the faults in the file of a flag."""
    for fault in faults:
        values.faults.add(f"`{flag} {name}`: {fault}", of_file=of_file)


def report_contradictory_requests(flags: RequestFlags, values: Values) -> None:
    """Report flags of requests that are valid alone and contradict each other."""
    for contradicts, sentence in _contradictions(flags):
        if contradicts:
            values.faults.add(sentence)


def _contradictions(flags: RequestFlags) -> Iterator[tuple[bool, str]]:
    yield (
        flags.bodies_from is not None and flags.urls is None,
        "`--bodies-from` applies only to a list: expected `--urls` with it",
    )
    yield (
        flags.urls is not None and bool(flags.also),
        "`--also` adds requests to a URL: expected them in the list of `--urls`",
    )
    replaced_by_workload = {
        "--urls": flags.urls,
        "--method": flags.method,
        "--body": flags.body,
        "--data": flags.data,
        "--json-body": flags.json_body,
        "--also": flags.also,
        "--values": flags.values,
        "--expect-status": flags.expect_status,
        "--expect": flags.expect,
        "--expect-body": flags.expect_body,
        "--expect-length": flags.expect_length,
        "--expect-same": flags.expect_same,
    }
    names = given_flags(replaced_by_workload)
    yield (
        flags.workload is not None and bool(names),
        "`--workload` says what is sent and which replies are right: expected it without"
        f" {', '.join(names)}",
    )


def _method(text: str) -> str:
    if re.fullmatch(NAME, text) is None:
        raise ValueError("expected a method such as `GET` or `POST`")
    return text


def _also(names: Sequence[str], text: str) -> Request:
    match = _ALSO.fullmatch(check_url(text, names).strip())
    if match is None:
        raise ValueError("expected a method, a path and how often, such as `GET /pong x3`")
    weight = match[3] or "1"
    if len(weight) > len(str(_MOST_WEIGHT)) or int(weight) > _MOST_WEIGHT:
        raise ValueError(f"expected at most x{_MOST_WEIGHT}")
    return Request(method=match[1], path=match[2], weight=int(weight))
