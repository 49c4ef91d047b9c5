"""The flags of `init` for requests from elsewhere, and what is read from them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

from httpdyno.cli.faults import UnreadableError
from httpdyno.cli.flags import texts
from httpdyno.cli.load.arguments.input_files import read_whole
from httpdyno.cli.load.arguments.own_workload import StudyWorkload
from httpdyno.cli.values import Values, plain_text
from httpdyno.output.printable import printable
from httpdyno.output.secrets import masked_url
from httpdyno.sources.curl import read_curl
from httpdyno.sources.request import Source, SourceError, SourceRequest, one_origin

__all__ = ["Read", "SourceFlags", "read_source"]

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

    @property
    def given(self) -> list[str]:
        """The names of the flags that are given."""
        return [f"--{one.name}" for one in fields(self) if getattr(self, one.name)]


@dataclass(frozen=True)
class Read:
    """A source as a workload, with the keys of an arm that it says."""

    workload: StudyWorkload
    arm: dict[str, Any]
    notes: Sequence[str]


def read_source(values: Values, flags: SourceFlags) -> Read | None:
    """The requests of the flags; None: none is given. Faults are collected."""
    read = [one for given in flags.curl if (one := _read(values, "--curl", given)) is not None]
    if not read:
        return None
    requests = [request for one in read for request in one.requests]
    try:
        server = one_origin(requests)
    except SourceError as wrong:
        values.faults.add(f"`{flags.given[0]}`: {wrong}")
        return None
    notes = dict.fromkeys(note for one in read for note in one.notes)
    name = _name(requests)
    insecure = server is not None and server.tls and any(one.insecure for one in read)
    arm = {"insecure": True} if insecure else {}
    table = {"requests": [_table(one) for one in requests]}
    return Read(StudyWorkload(name, table, server), arm, list(notes))


def _read(values: Values, flag: str, given: str) -> Source | None:
    """The source of a flag; None: it is faulty. A fault does not repeat a command, which may have
    credentials."""
    shown = flag if flag == "--curl" and not given.startswith("@") else f"{flag} {printable(given)}"
    try:
        text = plain_text(given) if shown == flag else _text(given.removeprefix("@"))
        return read_curl(text)
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
