"""Jobs for a load generator, and the commands that do them."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, replace
from pathlib import Path


@dataclass(frozen=True)
class Row:
    """A row of the tables: one kind of work, the same for every tool."""

    name: str
    title: str
    connections: int = 64
    path: str = "/pong"
    calls: int | None = None
    """Calls per connection; None: no limit."""
    burst: int = 1
    share: float | None = None
    """Rate of an open load, as a share of the tool's own ceiling; None: closed loop."""
    longer: int = 1
    """Factor by which trials are longer, for rows in which connecting takes long."""
    tls: bool = False
    """TLS 1.3, with full handshakes only."""
    streams: int | None = None
    """Calls at once on each connection, over HTTP/2; None: HTTP/1.1."""
    likely_per_s: int = 60_000
    """Expected rate, for tools that need a number of requests."""

    @property
    def keeps_alive(self) -> bool:
        """True if connections stay open until the end."""
        return self.calls is None


@dataclass(frozen=True)
class Job:
    """A row, against one server, for a time."""

    row: Row
    address: str
    """`HOST:PORT`."""
    seconds: float
    folder: Path
    """Folder that the tool may write to."""
    rate: float | None = None
    """Requests per second of an open load."""
    once: bool = False
    """A single request, to measure what starting the tool costs."""
    server_closes: bool = False
    """The server closes a connection after `row.calls` calls."""

    @property
    def url(self) -> str:
        """The URL."""
        scheme = "https" if self.row.tls else "http"
        return f"{scheme}://{self.address}{self.row.path}"

    @property
    def host(self) -> str:
        """The server's host."""
        return self.address.rpartition(":")[0]

    @property
    def port(self) -> str:
        """The server's port."""
        return self.address.rpartition(":")[2]

    @property
    def connections(self) -> int:
        """Number of connections open at once."""
        return 1 if self.once else self.row.connections

    @property
    def closes(self) -> bool:
        """True if the tool has to close each connection after one call."""
        return self.row.calls == 1

    @property
    def whole_seconds(self) -> int:
        """Duration for tools that take whole seconds."""
        return max(1, math.ceil(self.seconds))

    @property
    def count(self) -> int:
        """Number of requests, for tools that take no duration."""
        return 1 if self.once else max(1, int(self.seconds * self.row.likely_per_s))

    def as_once(self) -> Job:
        """The same job with a single request."""
        streams = None if self.row.streams is None else 1
        alone = {"connections": 1, "calls": None, "burst": 1, "share": None, "path": "/pong"}
        row = replace(self.row, **alone, streams=streams)
        return replace(self, row=row, rate=None, once=True, server_closes=False)

    def file(self, name: str, text: str) -> str:
        """Write a file for the tool; return its path."""
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        return str(path)


@dataclass(frozen=True)
class Command:
    """The command line of a tool."""

    words: list[str]
    stdin: str | None = None
    """File for its standard input."""
    note: str | None = None
    """The difference between its work and the row's."""


class CannotError(Exception):
    """The tool does not support this row; the message says why."""


def keep_alive_only(job: Job) -> None:
    """For tools that cannot close a connection after a number of calls other than 1."""
    if job.row.calls not in (None, 1) and not job.server_closes:
        raise CannotError("cannot close a connection after 10 calls")


def no_pipelining(job: Job) -> None:
    """For tools without pipelining."""
    if job.row.burst > 1:
        raise CannotError("does not pipeline")


def closed_only(job: Job) -> None:
    """For tools without a rate."""
    if job.rate is not None:
        raise CannotError("has no rate")


def as_json(value: object) -> str:
    """The value as one line of JSON."""
    return json.dumps(value, separators=(",", ":"))
