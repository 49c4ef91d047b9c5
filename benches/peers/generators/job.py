"""What a load generator is asked to do, and the command that does it."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, replace
from pathlib import Path


@dataclass(frozen=True)
class Row:
    """One kind of work, the same for every tool."""

    name: str
    says: str
    connections: int = 64
    path: str = "/pong"
    calls: int | None = None
    """Calls of a connection; None: as many as there is time for."""
    burst: int = 1
    share: float | None = None
    """The open rate, as a share of the tool's own ceiling; None: a closed loop."""
    longer: int = 1
    """Its trials last so many times longer: where opening the connections takes its time."""
    tls: bool = False
    """Over TLS 1.3, every handshake in full."""
    likely_per_s: int = 60_000
    """For the tools that can only be told a number of requests."""

    @property
    def keeps_alive(self) -> bool:
        """Whether connections stay until the end."""
        return self.calls is None


@dataclass(frozen=True)
class Job:
    """A row, against one server, for so long."""

    row: Row
    address: str
    """`HOST:PORT`."""
    seconds: float
    folder: Path
    """Where the tool may write."""
    rate: float | None = None
    """Requests a second of an open load."""
    once: bool = False
    """One request and out: what starting the tool costs."""
    server_closes: bool = False
    """The server itself ends a connection after `row.calls` calls."""

    @property
    def url(self) -> str:
        """What is asked."""
        scheme = "https" if self.row.tls else "http"
        return f"{scheme}://{self.address}{self.row.path}"

    @property
    def host(self) -> str:
        """The server's address without its port."""
        return self.address.rpartition(":")[0]

    @property
    def port(self) -> str:
        """The server's port."""
        return self.address.rpartition(":")[2]

    @property
    def connections(self) -> int:
        """Connections open at once."""
        return 1 if self.once else self.row.connections

    @property
    def closes(self) -> bool:
        """Whether the tool has to end each connection after one call."""
        return self.row.calls == 1

    @property
    def whole_seconds(self) -> int:
        """For the tools that know no parts of a second."""
        return max(1, math.ceil(self.seconds))

    @property
    def count(self) -> int:
        """Requests, for the tools that know no duration."""
        return 1 if self.once else max(1, int(self.seconds * self.row.likely_per_s))

    def as_once(self) -> Job:
        """The same with a single request."""
        row = replace(self.row, connections=1, calls=None, burst=1, share=None, path="/pong")
        return replace(self, row=row, rate=None, once=True, server_closes=False)

    def file(self, name: str, text: str) -> str:
        """A file for the tool to read."""
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        return str(path)


@dataclass(frozen=True)
class Command:
    """How a tool is called."""

    words: list[str]
    stdin: str | None = None
    """A file that is its standard input."""
    note: str | None = None
    """What of the row it does otherwise than asked."""


class CannotError(Exception):
    """The tool does not do this row; the message says why."""


def keep_alive_only(job: Job) -> None:
    """For tools that cannot end a connection after a number of calls that is not one."""
    if job.row.calls not in (None, 1) and not job.server_closes:
        raise CannotError("cannot end a connection after 10 calls")


def no_pipelining(job: Job) -> None:
    """For tools that wait for each reply."""
    if job.row.burst > 1:
        raise CannotError("does not pipeline")


def closed_only(job: Job) -> None:
    """For tools that know no rate."""
    if job.rate is not None:
        raise CannotError("knows no rate")


def as_json(value: object) -> str:
    """One line of JSON."""
    return json.dumps(value, separators=(",", ":"))
