"""The requests of a `grpc://` URL: a unary call for each message."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from httpdyno import __version__, units
from httpdyno.cli.faults import UnreadableError, given_flags
from httpdyno.cli.load.arguments.address import Address, parse_url
from httpdyno.cli.load.arguments.bodies import body_of_bytes
from httpdyno.cli.load.arguments.flags import LoadFlags
from httpdyno.cli.load.arguments.headers import Header, headers_of, replace_headers
from httpdyno.cli.load.arguments.input_files import text_or_file
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

__all__ = ["grpc_requests", "is_grpc", "over_http2", "report_grpc_flags"]

_CARRIERS = {"grpc": "http", "grpcs": "https"}
_DEFAULTS = (
    ("content-type", "application/grpc"),
    ("te", "trailers"),
    ("user-agent", f"httpdyno/{__version__}"),
)
_PATIENCE_S = 5.0
"""The longest wait for a server that is to name its methods."""


def is_grpc(flags: LoadFlags) -> bool:
    """True if the URL is one of gRPC."""
    scheme, colon, _ = (flags.url or "").partition("://")
    return bool(colon) and scheme.lower() in _CARRIERS


def over_http2(flags: LoadFlags) -> LoadFlags:
    """The flags, over HTTP/2 if the URL is one of gRPC."""
    return replace(flags, http2=True) if is_grpc(flags) else flags


def grpc_requests(flags: LoadFlags, values: Values) -> Requests:
    """The calls of the flags, and their server.

    Raises TargetError if the server is to name its methods, and does not.
    """
    _report_contradictions(flags, values)
    server = values.read("URL", flags.url, _address)
    headers = headers_of(flags, values)
    checked = values.read("--check", flags.check, parse_sample) or 1
    method = None if server is None else _method(flags, values, server, headers)
    if server is None or method is None:
        return Requests(server, [])
    sent = _messages("--message", flags.message or ["{}"], method.requests, values)
    expected = _messages("--expect-message", flags.expect_message, method.replies, values)
    if sent and len(expected) not in (0, 1, len(sent)):
        values.faults.add(
            f"`--expect-message` has {units.counted(len(expected), 'reply', 'replies')}, and"
            f" `--message` {units.counted(len(sent), 'message')}: expected one for all, or as many"
        )
    base = Request(
        method="POST", path=server.path, headers=replace_headers(_DEFAULTS, headers), grpc=True
    )
    usual = Same() if flags.expect_same else None if flags.expect else Like()
    requests = []
    for place, message in enumerate(sent):
        right = body_of_bytes(expected[place % len(expected)]) if expected else usual
        expect = Expect(status=[200], body=right, check_one_in=checked)
        one = replace(base, body=body_of_bytes(message), expect=expect)
        requests.append(with_placeholders(one, values.names))
    return Requests(server, requests)


def _address(url: str) -> Address:
    """The address in a URL of gRPC. Raises ValueError."""
    scheme, _, rest = url.partition("://")
    return parse_url(f"{_CARRIERS[scheme.lower()]}://{rest}")


def _method(
    flags: LoadFlags, values: Values, server: Address, headers: Sequence[Header]
) -> Method | None:
    """The method of the URL; None: it cannot be found, which is a fault."""
    if flags.proto is not None:
        folders = [Path(folder) for folder in flags.import_path]
        found = values.read("--proto", flags.proto, partial(_of_file, folders))
    else:
        found = values.read("URL", flags.url, lambda _: _of_server(flags, values, server, headers))
    if found is None:
        return None
    path = server.path.partition("?")[0]
    return values.read("URL", flags.url, lambda _: found.method(path))


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

    plan = EnginePlan(
        target=target,
        http="2",
        requests=[Request(method="POST", path="/", headers=list(_DEFAULTS), grpc=True)],
        load=ClosedLoad(connections=1),
        stop=Stop(count=1),
        timeouts=Timeouts(reply_s=_PATIENCE_S),
    )
    with start(plan) as running:
        running.result_json()


def _messages(
    flag: str, texts: Sequence[str], parse: Callable[[str], list[bytes]], values: Values
) -> list[bytes]:
    """The messages of all these texts. Faults are collected."""
    found = [values.read(flag, text, lambda given: parse(text_or_file(given))) for text in texts]
    return [message for several in found for message in several or ()]


def _report_contradictions(flags: LoadFlags, values: Values) -> None:
    others = {
        "--method": flags.method,
        "--body": flags.body,
        "--data": flags.data,
        "--json-body": flags.json_body,
        "--urls": flags.urls,
        "--also": flags.also,
        "--workload": flags.workload,
        "--sessions-file": flags.sessions_file,
        "--expect-status": flags.expect_status,
        "--expect-body": flags.expect_body,
        "--expect-length": flags.expect_length,
        "--gzip": flags.gzip,
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


def report_grpc_flags(flags: LoadFlags, values: Values) -> None:
    """Report flags of gRPC with a URL that is none of gRPC."""
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
            " `grpc://localhost:50051/pkg.Service/Method`"
        )
