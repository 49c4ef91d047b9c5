"""Workloads that a study brings: `[workloads.NAME]`, and files beside it (`./workload.toml`)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from httpdyno.engine_plan import (
    check_placeholders,
    names_of,
    names_sent,
    parse_data,
    written_data,
)
from httpdyno.engine_plan.answers import NOTATIONS, Notation, answer_fault
from httpdyno.errors import HttpdynoError
from httpdyno.output.places import expanded
from httpdyno.output.secrets import MASK, is_shown
from httpdyno.study.faults import errors_of, explain
from httpdyno.study.names import KnownNames
from httpdyno.study.own.workload import MOST_BYTES, MOST_WEIGHT, OwnWorkload
from httpdyno.study.own_servers import is_file
from httpdyno.toml_lines import Key, line_of

ReadToml = Callable[[Path], tuple[dict[str, Any], dict[Key, int]]]
"""Reads a TOML file: its values, and the lines of its keys. Raises HttpdynoError."""

_FILES = ("body_file", "json_file", "html_file", "proto")
_BODIES = (
    *("body", "json", "html", "body_file", "json_file", "html_file"),
    *("regex", "length", "message", "same", "any"),
)
_OF_HTTP = ("method", "body", "body_file", "keep")
_OF_GRPC = ("proto", "import_paths", "message")
_KEPT = ("json", "regex", "header", "cookie")
_ANY: dict[str, Any] = {"requests": [{"path": "/"}]}
"""In place of a file with faults."""


@dataclass
class ResolvedWorkloads:
    """A study with all of its workloads as tables, however the file gave them."""

    values: dict[str, Any]
    known: KnownNames | None
    """Its own workloads are among the names."""
    faults: list[tuple[Key, str]] = field(default_factory=list)


def resolve_workloads(
    given: Mapping[str, Any], folder: Path, known: KnownNames, read: ReadToml
) -> ResolvedWorkloads:
    """The study with the name of a workload instead of each file, and with paths made absolute.

    The only workload of its own is that of all arms, unless the study says otherwise.
    """
    found = ResolvedWorkloads(dict(given), known)
    if isinstance(file := given.get("env_file"), str):
        found.values["env_file"] = str((folder / expanded(file)).absolute())
    own = given.get("workloads")
    tables = {
        str(name): _absolute(table, folder)
        for name, table in (own.items() if isinstance(own, dict) else ())
    }
    found.faults += [fault for name, table in tables.items() for fault in table_faults(name, table)]
    _read_files(found, tables, folder, read)
    for name in tables.keys() & set(known.workloads):
        text = f"`{name}` is a built-in workload: expected another name"
        found.faults.append((("workloads", name), text))
    if len(tables) == 1 and "workload" not in given:
        found.values["workload"] = next(iter(tables))
    if tables or isinstance(own, dict):
        found.values["workloads"] = tables
    found.known = replace(known, workloads=(*known.workloads, *tables))
    found.faults += _unused_workloads(found.values, tables)
    return found


def _read_files(
    found: ResolvedWorkloads, tables: dict[str, Any], folder: Path, read: ReadToml
) -> None:
    """Adds the workloads that are files to the tables, and puts their names in place."""
    files: dict[str, Path] = {}
    arms = found.values.get("arms")
    arms = list(arms) if isinstance(arms, list) else []
    places: list[tuple[Key, Any]] = [((), found.values)]
    places += [(("arms", index), arm) for index, arm in enumerate(arms)]
    for place, table in places:
        given = table.get("workload") if isinstance(table, dict) else None
        if not isinstance(given, str) or given in tables or not is_file(given):
            continue
        path = (folder / expanded(given)).absolute()
        name, key = path.stem, (*place, "workload")
        if files.get(name) != path:
            if name in tables:
                text = f"`{given}` is called `{name}`, as another workload: expected another name"
                found.faults.append((key, text))
            files[name] = path
            lines, tables[name] = _table(path, given, read)
            found.faults += [(key, line) for line in lines]
        if place:
            arms[int(place[1])] = {**table, "workload": name}
        else:
            found.values["workload"] = name
    if arms:
        found.values["arms"] = arms


def _table(path: Path, given: str, read: ReadToml) -> tuple[list[str], Any]:
    """The faults of a workload's file, each with its line; and its table."""
    try:
        values, lines = read(path)
    except HttpdynoError as error:
        return [f"`{given}`: {line}" for line in error.message.splitlines()], _ANY
    except ValueError:  # a null character
        return [f"`{given}`: expected the path of a file"], _ANY
    name = path.stem
    table = _absolute(values, path.parent)
    placed: dict[Key, int] = {("workloads", name, *key): line for key, line in lines.items()}
    faults = [(line_of(placed, key), text) for key, text in table_faults(name, table)]
    try:
        OwnWorkload.model_validate(table)
    except ValidationError as error:
        for one in errors_of(error):
            faults.append(explain({**one, "loc": ("workloads", name, *one["loc"])}, placed))
    if faults:
        # The study's own validation would find them again, without their lines.
        table = _ANY
    return [f"`{given}`: {path}:{line}: {text}" for line, text in sorted(set(faults))], table


def _absolute(table: Any, folder: Path) -> Any:
    """A workload whose files are found from anywhere."""
    if not isinstance(table, dict) or not isinstance(table.get("requests"), list):
        return table
    found = {**table, "requests": [_of_request(one, folder) for one in table["requests"]]}
    if isinstance(data := table.get("data"), list):
        found["data"] = [_of_data(one, folder) for one in data]
    return found


def _of_data(given: Any, folder: Path) -> Any:
    try:
        data = parse_data(given if isinstance(given, str) else "")
    except ValueError:
        return given
    return written_data(replace(data, file=str((folder / expanded(data.file)).absolute())))


def _of_request(request: Any, folder: Path) -> Any:
    if not isinstance(request, dict):
        return request
    changed = dict(request)
    for key in _FILES:
        if isinstance(file := request.get(key), str):
            changed[key] = str((folder / expanded(file)).absolute())
    if isinstance(folders := request.get("import_paths"), list):
        changed["import_paths"] = [
            str((folder / expanded(one)).absolute()) if isinstance(one, str) else one
            for one in folders
        ]
    if isinstance(request.get("expect"), dict):
        changed["expect"] = _of_request(request["expect"], folder)
    return changed


def table_faults(name: str, table: Any) -> Iterator[tuple[Key, str]]:
    """Faults between the keys of a workload's requests, from the raw values."""
    requests = _requests(table)
    columns, faults = _columns(table)
    names = [*_kept_names(requests), *columns]
    yield from ((("workloads", name, "data"), fault) for fault in faults)
    for index, request in enumerate(requests):
        place: Key = ("workloads", name, "requests", index)
        if not isinstance(request, dict):
            continue
        if "body" in request and "body_file" in request:
            text = "`body` and `body_file` exclude each other: expected one of them"
            yield (*place, "body_file"), text
        yield from _file_faults((*place, "body_file"), request.get("body_file"))
        yield from _masked_headers((*place, "headers"), request.get("headers"))
        yield from _placeholder_faults(place, request, names)
        yield from _session_faults(place, request, is_session=_is_session(table))
        yield from _grpc_faults(place, request)
        expect = request.get("expect")
        if isinstance(expect, dict):
            texts = [text for text in _texts(request).values() if isinstance(text, str)]
            own = _kept_names([request])
            sent = names_sent(texts, names, in_session=_is_session(table))
            sent = [one for one in sent if one not in own]
            yield from _expect_faults((*place, "expect"), expect, sent)
    if not _is_session(table):
        yield from _weight_faults(name, requests)


def _is_session(table: Any) -> bool:
    return isinstance(table, dict) and table.get("session") is True


def _session_faults(
    place: Key, request: Mapping[str, Any], *, is_session: bool
) -> Iterator[tuple[Key, str]]:
    """Faults of the keys that requests have only in sessions."""
    uses = {"think": "is the pause of a session", "keep": "is for later calls of a session"}
    for key, use in uses.items():
        if key in request and not is_session:
            yield (*place, key), f"`{key}` {use}: expected `session = true` of the workload"
    keep = request.get("keep")
    for name, part in keep.items() if isinstance(keep, dict) else ():
        if isinstance(part, dict) and len(part.keys() & set(_KEPT)) != 1:
            named = ", ".join(f"`{key}`" for key in _KEPT)
            yield (*place, "keep", name), f"`keep.{name}`: expected one of {named}"


def _grpc_faults(place: Key, request: Mapping[str, Any]) -> Iterator[tuple[Key, str]]:
    """Keys of calls of gRPC in other requests, and the other way round."""
    expect = request.get("expect")
    expect = expect if isinstance(expect, dict) else {}
    method = request.get("grpc")
    if method is None:
        for key in _OF_GRPC:
            if key in request:
                text = f"`{key}` is of calls of gRPC: expected `grpc`, such as"
                yield (*place, key), f'{text} "shop.Orders/Get", too'
        if "message" in expect:
            text = "`message` is of replies of gRPC: expected `body`, or `grpc` of the request"
            yield (*place, "expect", "message"), text
        return
    yield from _file_faults((*place, "proto"), request.get("proto"))
    if "proto" not in request:
        yield place, "`proto` is missing: expected the .proto file of the service"
    if request.get("path", f"/{method}") != f"/{method}":
        yield (*place, "path"), "`grpc` and `path` exclude each other: expected one of them"
    for key in (key for key in _OF_HTTP if key in request):
        yield (*place, key), f"`{key}` is of HTTP: expected `message`, or no `grpc`"
    for key in expect.keys() & {*_BODIES, "status"} - {"message", "same", "any"}:
        text = f"`{key}` is of HTTP: expected `message`, `same` or `any` for a call of gRPC"
        yield (*place, "expect", key), text


def _kept_names(requests: list[Any]) -> list[str]:
    """The names of the values that replies have."""
    tables = [one.get("keep") for one in requests if isinstance(one, dict)]
    return [str(name) for table in tables if isinstance(table, dict) for name in table]


def _masked_headers(place: Key, headers: Any) -> Iterator[tuple[Key, str]]:
    for name, value in headers.items() if isinstance(headers, dict) else ():
        if value == MASK:
            yield (
                (*place, name),
                f"the header `{name}` is `{MASK}`, in place of a value that was not stored:"
                " expected the value, or a variable of the environment such as `${TOKEN}`",
            )


def _columns(table: Any) -> tuple[list[str], list[str]]:
    """The names of the columns of its data files, and the faults of these."""
    given = table.get("data") if isinstance(table, dict) else None
    texts = [one for one in given if isinstance(one, str)] if isinstance(given, list) else []
    try:
        return names_of(map(parse_data, texts)), []
    except ValueError as wrong:
        return [], [f"`data`: {wrong}"]


def _placeholder_faults(
    place: Key, request: Mapping[str, Any], names: Sequence[str]
) -> Iterator[tuple[Key, str]]:
    for key, text in _texts(request).items():
        is_secret = key == ("body",) or (key[0] == "headers" and not is_shown(str(key[1])))
        try:
            check_placeholders(text if isinstance(text, str) else "", names, is_secret=is_secret)
        except ValueError as wrong:
            yield (*place, *key), f"`{'.'.join(map(str, key))}`: {wrong}"


def _texts(request: Mapping[str, Any]) -> dict[Key, Any]:
    """The texts of a request that may have placeholders, by their keys."""
    headers = request.get("headers")
    of_headers = headers.items() if isinstance(headers, dict) else ()
    return {
        ("path",): request.get("path"),
        ("body",): request.get("body"),
        **{("headers", name): value for name, value in of_headers},
    }


def _requests(table: Any) -> list[Any]:
    found = table.get("requests") if isinstance(table, dict) else None
    return found if isinstance(found, list) else []


def _expect_faults(
    place: Key, expect: Mapping[str, Any], sent: Sequence[str]
) -> Iterator[tuple[Key, str]]:
    """`sent`: the names of values that the request sends."""
    given = [key for key in _BODIES if key in expect and expect[key] is not False]
    if len(given) > 1:
        named = " and ".join(f"`{key}`" for key in given)
        yield (*place, given[1]), f"{named} exclude each other: expected one of them"
    for key in ("body_file", "json_file"):
        yield from _file_faults((*place, key), expect.get(key))
    yield from _answer_faults(place, expect, sent)


def _answer_faults(
    place: Key, expect: Mapping[str, Any], sent: Sequence[str]
) -> Iterator[tuple[Key, str]]:
    for notation in NOTATIONS:
        given, file = expect.get(notation), expect.get(f"{notation}_file")
        if isinstance(given, str) and (fault := answer_fault(notation, given, sent)):
            yield (*place, notation), f"`{notation}`: {fault}"
        found = Path(file) if isinstance(file, str) else None
        if found and found.is_file() and (fault := _file_fault(notation, found, sent)):
            yield (*place, f"{notation}_file"), f"`{file}`: {fault}"


def _file_fault(notation: Notation, file: Path, sent: Sequence[str]) -> str | None:
    try:
        return answer_fault(notation, file.read_text(encoding="utf-8"), sent)
    except UnicodeDecodeError:
        return "it is no UTF-8"
    except OSError as error:
        return f"it cannot be read: {error.strerror}"


def _file_faults(place: Key, given: Any) -> Iterator[tuple[Key, str]]:
    if not isinstance(given, str):
        return
    file = Path(given)
    if not file.is_file():
        yield place, f"`{place[-1]}` is `{given}`: expected a file that exists"
    elif file.stat().st_size > MOST_BYTES:
        size = file.stat().st_size
        yield place, f"`{given}` has {size:,} bytes: expected at most {MOST_BYTES:,}"


def _weight_faults(name: str, requests: list[Any]) -> Iterator[tuple[Key, str]]:
    """The engine's rotation has as many places as the weights add up to, when reduced. Requests of
    equal weight take turns as they are listed."""
    weights = [one.get("weight", 1) for one in requests if isinstance(one, dict)]
    if not weights or not all(type(one) is int and one > 0 for one in weights):
        return
    total = sum(weights) // math.gcd(*weights)
    if total > MOST_WEIGHT and len(set(weights)) > 1:
        text = (
            f"the weights of `{name}` add up to {total:,} after division by their greatest common"
            f" divisor: expected at most {MOST_WEIGHT:,}"
        )
        yield ("workloads", name, "requests"), text


def _unused_workloads(
    values: Mapping[str, Any], tables: Mapping[str, Any]
) -> Iterator[tuple[Key, str]]:
    arms = values.get("arms")
    arms = [arm for arm in arms if isinstance(arm, dict)] if isinstance(arms, list) else []
    used = {str(arm.get("workload", values.get("workload", "hello"))) for arm in arms}
    for name in tables:
        if arms and name not in used:
            text = (
                f"no arm has the workload `{name}`: expected `workload` of the study or of an arm"
            )
            yield ("workloads", name), text
