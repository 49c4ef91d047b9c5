"""The requests of the flags as a workload of a study, which can be written and run again."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from httpdyno.cli.load.arguments.address import Address
from httpdyno.cli.load.arguments.data_files import data_of, report_unused
from httpdyno.cli.load.arguments.grpc_calls import grpc_tables, report_grpc_flags
from httpdyno.cli.load.arguments.headers import Header, headers_of
from httpdyno.cli.load.arguments.http_flags import HttpFlags
from httpdyno.cli.load.arguments.request_flags import StudyRequestFlags
from httpdyno.cli.load.arguments.requests import (
    demand_no_path,
    report_contradictory_requests,
    report_lines,
    requests_of,
    template_of,
)
from httpdyno.cli.values import Values, url_path
from httpdyno.engine_plan import (
    Base64,
    Body,
    Expect,
    File,
    Html,
    Json,
    Length,
    Like,
    Regex,
    Request,
    Same,
    Text,
    literal,
    written_data,
)
from httpdyno.engine_plan.answers import parse_sample
from httpdyno.output.secrets import MASK, masked_url
from httpdyno.workloads import WORKLOADS

__all__ = ["StudyWorkload", "read_workload"]

_LONGEST_NAME = 80


@dataclass(frozen=True)
class StudyWorkload:
    """The workload of all arms of a study."""

    name: str
    """Of its own table, or built in."""
    table: Mapping[str, Any] | None = None
    """The keys of its table; None: it is built in."""
    server: Address | None = None
    """The server of its URLs, if it has some."""

    @property
    def keys(self) -> dict[str, Any]:
        """The keys of a study."""
        own = {} if self.table is None else {"workloads": {self.name: self.table}}
        return {"workload": self.name, **own}

    @property
    def has_grpc(self) -> bool:
        """True if its requests are calls of gRPC."""
        built_in = WORKLOADS.get(self.name) if self.table is None else None
        return any("grpc" in one for one in self.requests) or (
            built_in is not None and built_in.has_grpc
        )

    @property
    def requests(self) -> Sequence[Mapping[str, Any]]:
        """The requests of its table; empty: it has none."""
        return () if self.table is None else self.table["requests"]

    def over_http2(self, flags: HttpFlags) -> HttpFlags:
        """The flags, over HTTP/2 if its requests are calls of gRPC."""
        return replace(flags, http2=True) if self.has_grpc else flags


def read_workload(
    flags: StudyRequestFlags,
    values: Values,
    server: Address | None = None,
    *,
    is_same: bool = False,
) -> StudyWorkload:
    """The workload of the flags; without any, a GET of one path. Faults are collected.

    `server`: the one that a URL names, with the path of that URL. `is_same`: without a flag, each
    reply must have the body of the first one.
    """
    if (method := _method(flags, server)) is not None:
        return _of_grpc(method, flags, values, server, is_same=is_same)
    report_grpc_flags(flags, values, ", or `--grpc`")
    report_contradictory_requests(flags, values)
    path = values.read("--path", flags.path, url_path)
    for flag, given in (("--urls", flags.urls), ("--workload", flags.workload)):
        if given is not None and flags.path is not None:
            values.faults.add(f"`{flag}` names the paths: expected it without `--path`")
    _report_masked(flags, values)
    data = data_of(flags, values)
    headers = headers_of(flags, values)
    _report_repeated(headers, values)
    if flags.workload is not None:
        demand_no_path("--workload", server, values)
        return _named_workload(flags.workload, headers, flags.check, values)
    path = path or (server.path if server else "/")
    template = template_of(flags, values, headers, path)
    found = requests_of(flags, values, template, server, path, needs_server=False)
    sent = found.sent if flags.urls is None else _of_list(found.sent, headers, flags.urls, values)
    report_unused(data, sent, values)
    tables = [_table(one, values, is_same=is_same) for one in sent]
    files = {"data": [written_data(one) for one in data]} if data else {}
    return StudyWorkload(_name(flags, found.sent), {**files, "requests": tables}, found.server)


def _method(flags: StudyRequestFlags, server: Address | None) -> str | None:
    """The method to call, such as `pkg.Service/Method`; None: the requests are none of gRPC."""
    of_url = server.path.removeprefix("/") if server is not None and server.grpc else None
    return of_url if flags.grpc is None else flags.grpc.removeprefix("/")


def _of_grpc(
    method: str, flags: StudyRequestFlags, values: Values, server: Address | None, *, is_same: bool
) -> StudyWorkload:
    """The calls of one method."""
    if flags.grpc is not None and server is not None and server.path != "/":
        values.faults.add("`--grpc` and a URL with a method exclude each other: expected one")
    _report_masked(flags, values)
    report_unused(data_of(flags, values), [], values)
    _report_repeated(headers_of(flags, values), values)
    tables = grpc_tables(flags, values, method, is_same=is_same)
    return StudyWorkload(method[:_LONGEST_NAME] or "calls", {"requests": tables}, server)


def _of_list(
    requests: Sequence[Request], headers: Sequence[Header], name: str, values: Values
) -> list[Request]:
    """The requests of a list, which names no variable of the environment: it may come from somebody
    else, and a study would send the values of those that it names."""
    given = set(headers)
    named = {header for one in requests for header in one.headers if "${" in header[1]} - given
    for header in sorted({header for header, _ in named}):
        values.faults.add(
            f"`--urls {name}`: the header `{header}` names a variable of the environment: expected"
            " that only with `--header`"
        )
    return [replace(one, path=one.path.replace("${", "$%7B")) for one in requests]


def _named_workload(
    given: str, headers: Sequence[Header], check: str | None, values: Values
) -> StudyWorkload:
    """A built-in workload, or that of a file with the headers where it has none, and with this
    check."""
    from httpdyno.errors import HttpdynoError
    from httpdyno.output.places import expanded
    from httpdyno.study.own_servers import is_file
    from httpdyno.study.read import load_workload

    if not is_file(given):
        if headers or check:
            values.faults.add(
                f"`--workload {given}` is built in, with headers of its own: expected it without"
                " `--header`, `--user`, `--cookie` and `--check`"
            )
        values.choice("--workload", given, WORKLOADS)
        return StudyWorkload(given)
    try:
        name, workload = load_workload(expanded(given))
    except HttpdynoError as wrong:
        report_lines("--workload", given, wrong.message.splitlines(), values)
        return StudyWorkload(given, {"requests": []})
    table = workload.model_dump(mode="json", exclude_unset=True)
    values.read("--check", check, parse_sample)
    for one in table["requests"] if check else ():
        one["expect"] = {**one.get("expect", {}), "check": check}
    for one in table["requests"] if headers else ():
        own = one.get("headers", {})
        names = {header.lower() for header in own}
        more = {header: value for header, value in headers if header.lower() not in names}
        one["headers"] = {**more, **own}
    return StudyWorkload(name, table)


def _name(flags: StudyRequestFlags, requests: Sequence[Request]) -> str:
    """`shop.txt` of a list, else the first request."""
    if flags.urls not in (None, "-"):
        return Path(flags.urls).name[-_LONGEST_NAME:].strip()
    if not requests:
        return "requests"
    more = f" and {len(requests) - 1:,} more" if len(requests) > 1 else ""
    first = f"{requests[0].method} {masked_url(requests[0].path)}"
    return first[: _LONGEST_NAME - len(more)] + more


def _table(request: Request, values: Values, *, is_same: bool) -> dict[str, Any]:
    """The keys of a request; those with their defaults are left out."""
    usual = "GET" if request.body is None else "POST"
    body = request.body
    found = {
        "method": None if request.method == usual else request.method,
        "path": request.path,
        "headers": dict(request.headers) or None,
        **(_sent_body(body, values) if isinstance(body, Body) else {}),
        "weight": None if request.weight == 1 else request.weight,
        "expect": _expect(request.expect, values, is_same=is_same) or None,
    }
    return {key: value for key, value in found.items() if value is not None}


def _expect(expect: Expect, values: Values, *, is_same: bool) -> dict[str, Any]:
    status: dict[str, Any] = {}
    if expect.status is not None:
        status["status"] = expect.status[0] if len(expect.status) == 1 else expect.status
    right: dict[str, Any] = {}
    match expect.body:
        case None:
            right = {"any": True}
        case Length(length=length):
            right = {"length": length}
        case Same():
            right = {"same": True}
        case Like() if is_same:
            right = {"same": True}
        case Json(json=example):
            right = {"json": example}
        case Html(html=page):
            right = {"html": page}
        case Regex(regex=expression):
            right = {"regex": expression}
        case Text() | Base64() | File() as body:
            right = dict(_body("--expect-body", body, values))
    check = {"check": f"1/{expect.check_one_in}"} if expect.check_one_in > 1 else {}
    return {**status, **right, **check}


def _sent_body(body: Body, values: Values) -> dict[str, str]:
    """The key of the body of a request. Only a typed one may have placeholders."""
    found = _body("--body", body, values)
    return {"body": literal(found["body"])} if isinstance(body, Base64) else found


def _body(flag: str, body: Body, values: Values) -> dict[str, str]:
    """The key of a body: text, or the path of its file."""
    if isinstance(body, File):
        return {"body_file": body.file}
    if isinstance(body, Text):
        return {"body": body.text}
    try:
        return {"body": b64decode(body.base64).decode()}
    except UnicodeDecodeError:
        values.faults.add(f"`{flag}` is no text in UTF-8: expected such a body in a file (`@FILE`)")
        return {"body": ""}


def _report_repeated(headers: Sequence[Header], values: Values) -> None:
    """Report headers that are given twice: the table of a request has each once."""
    seen: set[str] = set()
    for name, _ in headers:
        if name.lower() in seen:
            values.faults.add(
                f"the header `{name}` is given twice: expected it once, with its values"
                " separated by commas"
            )
        seen.add(name.lower())


def _report_masked(flags: StudyRequestFlags, values: Values) -> None:
    """Report values that were copied from a stored command, which has a mask in their place."""
    given = {
        "--header": flags.header,
        "--user": [flags.user or ""],
        "--cookie": flags.cookie,
        **{"--body": [flags.body or ""], "--data": [flags.data or ""]},
        **{"--json-body": [flags.json_body or ""], "--expect-body": [flags.expect_body or ""]},
        "--expect": [flags.expect or ""],
    }
    for flag, texts in given.items():
        if any(text.endswith(MASK) for text in texts):
            values.faults.add(
                f"`{flag} …{MASK}`: `{MASK}` stands for a value that was not stored: expected the"
                " value itself"
            )
