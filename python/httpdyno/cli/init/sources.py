"""The flags of `init` for requests from elsewhere, and what is read from them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from httpdyno.address import parse_url
from httpdyno.cli.faults import UnreadableError
from httpdyno.cli.flags import switch, text, texts
from httpdyno.cli.load.arguments.input_files import read_whole
from httpdyno.cli.load.arguments.own_workload import StudyWorkload
from httpdyno.cli.values import Values, plain_text
from httpdyno.output.printable import printable
from httpdyno.output.secrets import masked_url
from httpdyno.sources.curl import read_curl
from httpdyno.sources.har import read_har
from httpdyno.sources.http_file import read_http_file
from httpdyno.sources.openapi import read_openapi
from httpdyno.sources.request import Source, SourceError, SourceRequest, one_origin

__all__ = ["SourceFlags", "SourceWorkload", "read_source"]

_HEADING = "Requests from elsewhere"
_LONGEST_NAME = 80


@dataclass(frozen=True)
class SourceFlags:
    """The flags as they are typed."""

    curl: list[str] = texts(
        "--curl COMMAND|@FILE",
        "A command of curl, such as browsers copy it (as cURL, bash), or a file with several;"
        " repeatable",
        _HEADING,
    )
    http: str | None = text(
        "--http FILE", "An .http file, as VS Code and JetBrains have them", _HEADING
    )
    har: str | None = text("--har FILE", "A HAR file, which a browser recorded", _HEADING)
    openapi: str | None = text(
        "--openapi FILE", "An OpenAPI 3 document in JSON: a request for each operation", _HEADING
    )
    origin: str | None = text(
        "--origin URL", "Only the requests of --har to this server (default: all)", _HEADING
    )
    static: bool = switch("--static", "Also the static files of --har", _HEADING)

    @property
    def given(self) -> list[str]:
        """The names of the sources that are given."""
        sources = {
            "--curl": self.curl,
            "--http": self.http,
            "--har": self.har,
            "--openapi": self.openapi,
        }
        return [name for name, value in sources.items() if value]


_PRIOR_KNOWLEDGE = "HTTP/2 is spoken with prior knowledge, without `Upgrade: h2c`"


@dataclass(frozen=True)
class SourceWorkload:
    """A source as a workload, with the keys of an arm that it says."""

    workload: StudyWorkload
    keys: dict[str, Any]
    """Of any arm."""
    keys_of_url: dict[str, Any]
    """Only of an arm with a `url`."""
    notes: Sequence[str]
    has_placeholders: bool


def read_source(values: Values, flags: SourceFlags) -> SourceWorkload | None:
    """The requests of the flags; None: none is given. Faults are collected."""
    _report_contradictions(values, flags)
    ways: list[tuple[str, str, Callable[[str, Path], Source]]] = [
        ("--curl", given, read_curl) for given in flags.curl
    ]
    if flags.http is not None:
        ways.append(("--http", flags.http, read_http_file))
    if flags.har is not None:
        at = values.read("--origin", flags.origin, parse_url)
        origin = None if at is None else at.origin
        ways.append(("--har", flags.har, partial(_har, static=flags.static, origin=origin)))
    if flags.openapi is not None:
        ways.append(("--openapi", flags.openapi, lambda text, _: read_openapi(text)))
    read = [one for way in ways if (one := _read(values, *way)) is not None]
    if not read:
        return None
    requests = [request for one in read for request in one.requests]
    try:
        server = one_origin(requests)
    except SourceError as wrong:
        values.faults.add(f"`{flags.given[0]}`: {wrong}")
        return None
    notes = dict.fromkeys(note for one in read for note in one.notes)
    file = flags.http or flags.har or flags.openapi
    name = _name(requests) if file is None else Path(file).name[-_LONGEST_NAME:].strip()
    http2 = any(one.http2 for one in read)
    if http2 and server is not None and not server.tls:
        notes[_PRIOR_KNOWLEDGE] = None
    insecure = server is not None and server.tls and any(one.insecure for one in read)
    of_url: dict[str, Any] = {"insecure": True} if insecure else {}
    keys = {"http": "2"} if http2 else {}
    table = {"requests": [_table(one) for one in requests]}
    varies = any(one.has_placeholders for one in read)
    return SourceWorkload(StudyWorkload(name, table, server), keys, of_url, list(notes), varies)


def _report_contradictions(values: Values, flags: SourceFlags) -> None:
    if len(flags.given) > 1:
        named = " and ".join(f"`{name}`" for name in flags.given)
        values.faults.add(f"{named} exclude each other: expected one of them")
    for name, given in (("--origin", flags.origin), ("--static", flags.static)):
        if given and flags.har is None:
            values.faults.add(f"`{name}` applies only to `--har`: expected it too")


def _har(text: str, _: Path, *, static: bool, origin: str | None) -> Source:
    return read_har(text, static=static, origin=origin)


def _read(
    values: Values, flag: str, given: str, parse: Callable[[str, Path], Source]
) -> Source | None:
    """The source of a flag; None: it is faulty. A fault does not repeat a command, which may have
    credentials."""
    is_file = flag != "--curl" or given.startswith("@")
    shown = f"{flag} {printable(given)}" if is_file else flag
    try:
        if not is_file:
            return parse(plain_text(given), Path())
        name = given.removeprefix("@") if flag == "--curl" else given
        return parse(_text(name), Path() if flag == "--curl" else Path(name).parent)
    except UnreadableError as wrong:
        values.faults.add(f"`{shown}`: {wrong}", of_file=True)
    except ValueError as wrong:
        values.faults.add(f"`{shown}`: {printable(str(wrong))}")
    return None


def _text(name: str) -> str:
    try:
        return read_whole(name).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise SourceError("expected text in UTF-8") from None


def _name(requests: Sequence[SourceRequest]) -> str:
    more = f" and {len(requests) - 1:,} more" if len(requests) > 1 else ""
    first = f"{requests[0].method} {masked_url(requests[0].path)}"
    return first[: _LONGEST_NAME - len(more)] + more


def _table(one: SourceRequest) -> dict[str, Any]:
    """The keys of a request; those with their defaults are left out."""
    has_body = one.body is not None or one.body_file is not None
    found = {
        "name": one.name,
        "method": None if one.method == ("POST" if has_body else "GET") else one.method,
        "path": one.path,
        "headers": dict(one.headers) or None,
        "body": one.body,
        "body_file": one.body_file,
        "weight": None if one.weight == 1 else one.weight,
        "expect": None if one.status is None else {"status": one.status},
    }
    return {key: value for key, value in found.items() if value is not None}
