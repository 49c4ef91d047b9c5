"""The model of a workload: requests, and their correct replies, byte for byte."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Exchange:
    """One request and its correct reply.

    `content_type` is a prefix: `text/plain` also accepts `text/plain; charset=utf-8`. `why` says
    what this exchange tests. A `recorded` exchange states what the contract requires, but a server
    that answers differently does not fail: its reply is shown beside its results.
    """

    path: str
    answer: bytes = field(repr=False)
    content_type: str
    why: str
    method: str = "GET"
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes | None = None
    status: int = 200
    recorded: bool = False


@dataclass(frozen=True)
class Workload:
    """Exchanges that the load sends in rotation (`measured`) or only a check does (`edges`)."""

    name: str
    title: str
    description: str
    measured: tuple[Exchange, ...]
    edges: tuple[Exchange, ...] = ()

    @property
    def exchanges(self) -> tuple[Exchange, ...]:
        """Every exchange of a check: the measured ones, then the edges."""
        return self.measured + self.edges
