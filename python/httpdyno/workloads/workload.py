"""What a workload is: what is asked of a server, and what the right answer is, byte for byte."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Exchange:
    """One request and its right answer.

    `content_type` is a prefix: `text/plain` also accepts `text/plain; charset=utf-8`. `why` says in
    one sentence what this exchange is there to show. A `recorded` exchange says what the contract
    asks for, but a server that answers otherwise is not wrong: what it did is written down beside
    its numbers.
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
    """What the load sends, in rotation (`measured`), and what is only checked (`edges`)."""

    name: str
    title: str
    description: str
    measured: tuple[Exchange, ...]
    edges: tuple[Exchange, ...] = ()

    @property
    def exchanges(self) -> tuple[Exchange, ...]:
        """All that a check asks: the measured exchanges, then the edges."""
        return self.measured + self.edges
