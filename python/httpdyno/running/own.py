"""The servers of a study's own arms, and its own workloads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from httpdyno.address import parse_server
from httpdyno.choices import SpokenVersion
from httpdyno.endpoints import MOST_ENDPOINTS
from httpdyno.engine_plan import (
    Request,
    Target,
    Text,
    Tls,
    names_of,
    parse_data,
    with_placeholders,
)
from httpdyno.engine_plan.answers import parse_sample
from httpdyno.errors import EnvironmentFault, UsageError
from httpdyno.grpc.protos import services_of_file
from httpdyno.grpc.services import Services
from httpdyno.limits.thresholds import parse_limit, unknown_endpoint
from httpdyno.output.places import expanded
from httpdyno.output.printable import printable
from httpdyno.running.variables import Variables, variables_of
from httpdyno.running.variables import expanded as with_variables
from httpdyno.servers import Server
from httpdyno.servers.declaration.own import server_at, server_from_command, without_port
from httpdyno.study import ArmGroup, Study
from httpdyno.study.own.arm_keys import OwnArm
from httpdyno.study.own.workload import URL_PATH, Expectation, OwnRequest, OwnWorkload
from httpdyno.study.own_servers import is_file
from httpdyno.study.read import load_workload
from httpdyno.verdict import Settings
from httpdyno.workloads import WORKLOADS, Exchange, Workload, get
from httpdyno.workloads.call import call_headers
from httpdyno.workloads.workload import Right

__all__ = [
    "NOTHING",
    "StudyContext",
    "context_of",
    "own_servers",
    "port_warnings",
    "server_of",
    "workload_named",
]


@dataclass(frozen=True)
class StudyContext:
    """The file of a study, every workload that its arms may have, by name, and how to change it."""

    file: str = ""
    workloads: Mapping[str, Workload] = field(default_factory=lambda: WORKLOADS)
    settings: Settings = "keys"
    """The names of settings in hints."""


NOTHING = StudyContext()
"""The built-in workloads only."""


def own_servers(study: Study) -> list[Server]:
    """The servers of the arms that need no `server.toml`. Raises UsageError."""
    folder = Path(study.file).parent
    own = [group for group in study.arms if group.own_kind is not None]
    return [server_of(group, folder, _version(study, group)) for group in own]


def _version(study: Study, arm: ArmGroup) -> SpokenVersion:
    """The version of HTTP of an arm that does not say which."""
    versions = {load.http for load in study.loads.values()}
    return "2" if versions == {"2"} or study.has_grpc(study.workload_of(arm)) else "1.1"


def port_warnings(study: Study) -> list[str]:
    """A warning for each arm whose command does not say on which port to listen."""
    found = (
        without_port(f"start` of `{arm.name}", arm.start, arm.env)
        for arm in study.arms
        if arm.start is not None
    )
    return [one for one in found if one is not None]


def server_of(arm: ArmGroup, folder: Path, http: SpokenVersion = "1.1") -> Server:
    """The server of one own arm; its paths are relative to `folder`. `http`: the version that it
    speaks, if its arm does not say. Raises UsageError."""
    server = _server(arm, arm.title, folder)
    deployments = {
        name: one.model_copy(update={"http": (arm.http or http,)})
        for name, one in server.deployments.items()
    }
    given = {"given_version": arm.version or "", "deployments": deployments}
    return server.model_copy(update=given)


def _server(arm: ArmGroup, name: str, folder: Path) -> Server:
    if arm.start is None:
        return server_at(name, _target(arm, folder))
    return server_from_command(
        name,
        arm.start,
        build=arm.build,
        cwd=folder / expanded(arm.cwd or "."),
        env=arm.env,
        ready=arm.ready,
        cores=arm.cores,
        tls=_tls(arm, folder) if arm.tls else None,
    )


def _target(arm: OwnArm, folder: Path) -> Target:
    unix = None if arm.unix is None else str((folder / expanded(arm.unix)).absolute())
    url = arm.url or "http://localhost"
    try:
        address = parse_server(url)
    except ValueError as error:
        raise UsageError(f"`url` is `{url}`: {error}") from None
    if address.path != "/":
        raise UsageError(
            f"`url` has the path `{address.path}`: expected only scheme, host and port; paths are"
            " in the workload"
        )
    tls = _tls(arm, folder) if address.tls else None
    return Target(host=address.host, port=address.port, unix=unix, tls=tls)


def _tls(arm: OwnArm, folder: Path) -> Tls:
    """The settings of TLS, as `httpdyno load` has them."""
    version = arm.tls_version
    return Tls(
        ca=_file("ca", arm.ca, folder),
        insecure=arm.insecure,
        sni=arm.sni,
        certificate=_file("cert", arm.cert, folder),
        key=_file("key", arm.key, folder),
        min_version=version or "1.2",
        max_version=version or "1.3",
        resume=arm.tls_resume,
    )


def _file(key: str, given: str | None, folder: Path) -> str | None:
    if given is None:
        return None
    path = (folder / expanded(given)).absolute()
    if not path.is_file():
        raise UsageError(f"`{key}` is `{given}`: expected a file in PEM, relative to the study")
    return str(path)


def context_of(study: Study, settings: Settings = "keys") -> StudyContext:
    """The study's file and workloads; `settings` is what hints name, as in `judge`.

    Raises UsageError for a variable that is not set or a limit of an unknown endpoint,
    EnvironmentFault for a file that is not there.
    """
    variables = variables_of(study.env_file)
    own = {name: _workload(name, table, variables) for name, table in study.workloads.items()}
    found = {**WORKLOADS, **own}
    for name in dict.fromkeys(map(study.workload_of, study.arms)):
        _demand_endpoints(study, found[name])
    return StudyContext(study.file, found, settings)


def _demand_endpoints(study: Study, workload: Workload) -> None:
    """Raises UsageError if a limit is about an endpoint that the workload lacks."""
    endpoints = list(workload.shares)[:MOST_ENDPOINTS]
    for load in study.loads.values():
        for text in (*getattr(load, "limits", ()), *load.error_budget):
            if fault := unknown_endpoint(parse_limit(text), endpoints):
                raise UsageError(f"`{printable(text)}`: {fault}")


def workload_named(given: str) -> Workload:
    """The workload of a `workload.toml`, or the built-in one of this name. Raises UsageError with
    every fault, EnvironmentFault for a file that is not there."""
    if not is_file(given):
        return get(given)
    return _workload(*load_workload(expanded(given)), variables_of(None))


def _workload(name: str, table: OwnWorkload, variables: Variables) -> Workload:
    title = table.title or name
    try:
        columns = names_of(map(parse_data, table.data))
    except ValueError as wrong:
        raise EnvironmentFault(f"the data of the workload `{name}`: {wrong}") from None
    kept = [name for request in table.requests for name in request.keep]
    names = [*kept, *columns]
    return Workload(
        name=name,
        title=title,
        description=title,
        measured=tuple(
            _exchange(name, one, variables, table.data, names) for one in table.requests
        ),
        own=True,
        session=table.session,
    )


def _exchange(
    name: str, request: OwnRequest, variables: Variables, data: tuple[str, ...], names: list[str]
) -> Exchange:
    of = f"of the workload `{name}`"
    call = None if request.grpc is None else _call_of(name, request)
    body = _body(request.body, request.body_file) if call is None else call.request
    path = _path(with_variables(request.path, variables, f"a path {of}"), name)
    headers = [
        (header, with_variables(value, variables, f"the header `{header}` {of}"))
        for header, value in request.headers.items()
    ]
    if call is not None:
        headers = call_headers(headers)
    typed = None if request.body is None else Text(text=request.body)
    sent = Request(path=path, headers=headers, body=typed)
    varies = with_placeholders(sent, names).placeholders
    right, answer = _right(request.expect, varies=varies and call is None)
    if call is not None and call.reply is not None:
        right, answer = "answer", call.reply
    return Exchange(
        path=path,
        answer=answer,
        content_type="",
        why=f"part of the study's own workload `{name}`",
        method=request.method or ("GET" if body is None else "POST"),
        headers=tuple(headers),
        body=body,
        varies=varies,
        body_varies=varies and request.body is not None,
        data=data,
        grpc=call is not None,
        status=request.expect.status if call is None else 200,
        right=right,
        length=request.expect.length or 0,
        check_one_in=parse_sample(request.expect.check),
        weight=request.weight,
        think_s=request.think,
        keep=tuple(
            (kept, *place.model_dump(exclude_none=True).popitem())
            for kept, place in request.keep.items()
        ),
        name=request.name,
    )


class _Call(NamedTuple):
    """The messages of a call of gRPC, as they are sent."""

    request: bytes
    reply: bytes | None


def _call_of(workload: str, request: OwnRequest) -> _Call:
    """The messages of a request. Raises UsageError for what its service does not have."""
    proto, expected = str(request.proto), request.expect.message
    try:
        services = _services(Path(proto), tuple(map(Path, request.import_paths)))
        method = services.method(request.path.partition("?")[0])
        sent = method.request(request.message or "{}")
        return _Call(sent, None if expected is None else method.reply(expected))
    except OSError as error:
        raise EnvironmentFault(f"`{proto}` cannot be read: {error.strerror}") from None
    except ValueError as wrong:
        raise UsageError(
            f"`grpc` of the workload `{workload}` is `{request.grpc}`: {wrong}"
        ) from None


@lru_cache(maxsize=8)
def _services(proto: Path, folders: tuple[Path, ...]) -> Services:
    """The services of a file, which is compiled once for all of its calls."""
    return services_of_file(proto, folders)


def _path(path: str, workload: str) -> str:
    """A path with its variables. Raises UsageError for one that cannot be sent."""
    if URL_PATH.fullmatch(path) is None:
        raise UsageError(
            f"a path of the workload `{workload}` has a variable with a space or a character"
            " outside of ASCII: expected it percent-encoded"
        )
    return path


def _right(expect: Expectation, *, varies: bool) -> tuple[Right, bytes]:
    answers: dict[Right, bytes | None] = {
        "answer": _body(expect.body, expect.body_file),
        "json": _body(expect.json_, expect.json_file),
        "html": _body(expect.html, expect.html_file),
        "regex": None if expect.regex is None else expect.regex.encode(),
        "length": None if expect.length is None else b"",
        "same": b"" if expect.same else None,
        "any": b"" if expect.any or varies else None,
    }
    given = ((right, answer) for right, answer in answers.items() if answer is not None)
    return next(given, ("like", b""))


def _body(text: str | None, file: str | None) -> bytes | None:
    if file is None:
        return None if text is None else text.encode()
    try:
        return Path(file).read_bytes()
    except OSError as error:
        raise EnvironmentFault(f"`{file}` cannot be read: {error.strerror}") from None
