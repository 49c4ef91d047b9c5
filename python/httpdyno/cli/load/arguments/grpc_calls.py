"""The requests of a `grpc://` URL: a unary call for each message."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING, Any

from httpdyno import units
from httpdyno.address import carrier_of, is_grpc, parse_url
from httpdyno.cli.faults import UnreadableError, given_flags
from httpdyno.cli.load.arguments.address import Address
from httpdyno.cli.load.arguments.bodies import body_of_bytes
from httpdyno.cli.load.arguments.flags import LoadFlags
from httpdyno.cli.load.arguments.grpc_flags import GrpcFlags
from httpdyno.cli.load.arguments.headers import Header, headers_of
from httpdyno.cli.load.arguments.input_files import text_or_file
from httpdyno.cli.load.arguments.request_flags import RequestFlags, StudyRequestFlags
from httpdyno.cli.load.arguments.requests import Requests
from httpdyno.cli.load.arguments.tls import tls_of
from httpdyno.cli.values import Values, socket_path
from httpdyno.engine_plan import (
    ClosedLoad,
    EnginePlan,
    Expect,
    Like,
    Request,
    Same,
    Stop,
    Target,
    Timeouts,
    with_placeholders,
)
from httpdyno.engine_plan.answers import parse_sample

if TYPE_CHECKING:
    from httpdyno.grpc.method import Method
    from httpdyno.grpc.services import Services

__all__ = ["grpc_requests", "grpc_tables", "over_http2", "report_grpc_flags"]

_PATIENCE_S = 5.0
"""The longest wait for a server that is to name its methods."""


def over_http2(flags: LoadFlags) -> LoadFlags:
    """The flags, over HTTP/2 if the URL is one of gRPC."""
    return replace(flags, http2=True) if is_grpc(flags.url or "") else flags


def grpc_requests(flags: LoadFlags, values: Values) -> Requests:
    """The calls of the flags, and their server.

    Raises TargetError if the server is to name its methods, and does not.
    """
    _report_contradictions(flags, values)
    server = values.read("URL", flags.url, lambda url: parse_url(carrier_of(url)))
    headers = headers_of(flags, values)
    checked = values.read("--check", flags.check, parse_sample) or 1
    method = None if server is None else _method(flags, values, server, headers)
    if server is None or method is None:
        return Requests(server, [])
    from httpdyno.workloads.call import call_headers

    messages = _messages(flags, values, method)
    base = Request(method="POST", path=server.path, headers=call_headers(headers), grpc=True)
    usual = Same() if flags.expect_same else None if flags.expect else Like()
    requests = []
    for message, reply in messages:
        right = usual if reply is None else body_of_bytes(method.reply(reply))
        expect = Expect(status=[200], body=right, check_one_in=checked)
        one = replace(base, body=body_of_bytes(method.request(message)), expect=expect)
        requests.append(with_placeholders(one, values.names))
    return Requests(server, requests)


def grpc_tables(
    flags: StudyRequestFlags, values: Values, path: str, *, is_same: bool
) -> list[dict[str, Any]]:
    """The calls of the flags, as requests of a study. `path`: `pkg.Service/Method`. `is_same`:
    without a flag, each reply must be equal to the first one."""
    _report_contradictions(flags, values)
    headers, checked = headers_of(flags, values), values.read("--check", flags.check, parse_sample)
    if flags.proto is None:
        values.faults.add(
            "`--proto` is missing: expected the .proto file of the service; only `httpdyno load`"
            " asks a server by reflection"
        )
        return []
    services = values.read("--proto", flags.proto, partial(_of_file, _folders(flags)))
    if services is None:
        return []
    method = values.read("--grpc", path, lambda text: services.method(text.partition("?")[0]))
    if method is None:
        return []
    same = flags.expect_same or (is_same and not flags.expect)
    usual = {"any": True} if flags.expect else {"same": True} if same else {}
    check = {"check": f"1/{checked}"} if checked is not None and checked > 1 else {}
    common = {
        "grpc": path,
        "proto": str(Path(flags.proto).absolute()),
        "import_paths": [str(folder.absolute()) for folder in _folders(flags)] or None,
        "headers": dict(headers) or None,
    }
    tables = []
    for message, reply in _messages(flags, values, method):
        expect = {**(usual if reply is None else {"message": reply}), **check}
        one = {**common, "message": message, "expect": expect or None}
        tables.append({key: value for key, value in one.items() if value is not None})
    return tables


def _method(
    flags: LoadFlags, values: Values, server: Address, headers: Sequence[Header]
) -> Method | None:
    """The method of the URL; None: it cannot be found, which is a fault."""
    if flags.proto is not None:
        found = values.read("--proto", flags.proto, partial(_of_file, _folders(flags)))
    else:
        found = values.read("URL", flags.url, lambda _: _of_server(flags, values, server, headers))
    if found is None:
        return None
    path = server.path.partition("?")[0]
    return values.read("URL", flags.url, lambda _: found.method(path))


def _folders(flags: GrpcFlags) -> list[Path]:
    return [Path(folder) for folder in flags.import_path]


def _of_file(folders: Sequence[Path], name: str) -> Services:
    from httpdyno.grpc.protos import services_of_file

    try:
        Path(name).open("rb").close()
        return services_of_file(Path(name), folders)
    except OSError as refused:
        raise UnreadableError(f"cannot read `{name}`: {refused.strerror}") from None


def _of_server(
    flags: LoadFlags, values: Values, server: Address, headers: Sequence[Header]
) -> Services:
    """The services that the server describes. Raises UsageError and TargetError, and ValueError if
    it has no such service."""
    from httpdyno.errors import TargetError
    from httpdyno.grpc.reflection import HINT, UNKNOWN, services_of_server
    from httpdyno.servers.check.connect import connect

    tls = tls_of(flags, values, server)
    unix = values.read("--unix", flags.unix, socket_path)
    values.faults.raise_any()  # the server need not be there for these
    target = Target(host=server.host, port=server.port, unix=unix, tls=tls)
    service = server.path.removeprefix("/").partition("/")[0]
    try:
        with connect(target, _PATIENCE_S, ["h2"]) as connected:
            return services_of_server(connected, server.authority, service, headers)
    except OSError as refused:
        _demand_http2(target)
        raise TargetError(f"{UNKNOWN.format(server.authority)}: {refused}", hint=HINT) from None


def _demand_http2(target: Target) -> None:
    """Raises TargetError, in the words of a load, if the server cannot be reached."""
    from httpdyno.engine import start
    from httpdyno.workloads.call import call_headers

    plan = EnginePlan(
        target=target,
        http="2",
        requests=[Request(method="POST", path="/", headers=call_headers(), grpc=True)],
        load=ClosedLoad(connections=1),
        stop=Stop(count=1),
        timeouts=Timeouts(reply_s=_PATIENCE_S),
    )
    with start(plan) as running:
        running.result_json()


def _messages(flags: GrpcFlags, values: Values, method: Method) -> list[tuple[str, str | None]]:
    """Each message of the flags, and the expected reply to it, as JSON. Faults are collected."""
    sent = _read("--message", flags.message or ["{}"], method.request, values)
    expected = _read("--expect-message", flags.expect_message, method.reply, values)
    if sent and len(expected) not in (0, 1, len(sent)):
        values.faults.add(
            f"`--expect-message` has {units.counted(len(expected), 'reply', 'replies')}, and"
            f" `--message` {units.counted(len(sent), 'message')}: expected one for all, or as many"
        )
    return list(zip(sent, cycle(expected or [None]), strict=False))


def _read(
    flag: str, texts: Sequence[str], encode: Callable[[str], bytes], values: Values
) -> list[str]:
    """The messages in all these texts, of which each can be encoded."""
    from httpdyno.grpc.method import split_messages

    def parse(given: str) -> list[str]:
        found = split_messages(text_or_file(given))
        for one in found:
            encode(one)
        return found

    read = (values.read(flag, text, parse) for text in texts)
    return [message for several in read for message in several or ()]


def _report_contradictions(flags: RequestFlags, values: Values) -> None:
    others = {
        "--method": flags.method,
        "--body": flags.body,
        "--data": flags.data,
        "--json-body": flags.json_body,
        "--urls": flags.urls,
        "--also": flags.also,
        "--workload": flags.workload,
        "--sessions-file": getattr(flags, "sessions_file", None),
        "--path": getattr(flags, "path", None),
        "--expect-status": flags.expect_status,
        "--expect-body": flags.expect_body,
        "--expect-length": flags.expect_length,
        "--gzip": getattr(flags, "gzip", None),
    }
    names = given_flags(others)
    if names:
        from httpdyno.listing import both

        values.faults.add(
            f"{both(names)} {'is' if len(names) == 1 else 'are'} of HTTP: expected"
            " `--message` and `--expect-message` for a call of gRPC"
        )
    if flags.expect not in (None, "any"):
        values.faults.add(
            "`--expect` of a call of gRPC: expected `any`, or `--expect-message` for its message"
        )


def report_grpc_flags(flags: GrpcFlags, values: Values, otherwise: str = "") -> None:
    """Report flags of gRPC with a URL that is none of gRPC. `otherwise`: another way to call."""
    given = {
        "--proto": flags.proto,
        "--import-path": flags.import_path,
        "--message": flags.message,
        "--expect-message": flags.expect_message,
    }
    names = given_flags(given)
    if names:
        from httpdyno.listing import both

        verb = "applies" if len(names) == 1 else "apply"
        values.faults.add(
            f"{both(names)} {verb} only to gRPC: expected a URL such as"
            f" `grpc://localhost:50051/pkg.Service/Method`{otherwise}"
        )
