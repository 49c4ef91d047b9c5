"""The model of a workload: requests, and their correct replies, byte for byte."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal

from httpdyno.endpoints import endpoint_of

MOST_SAMPLED = 1000
Right = Literal["answer", "length", "same", "like", "json", "html", "regex", "any"]
"""The rule for a reply's body: all its bytes, its length, the first reply's body, a JSON example, a
regular expression, or none."""


@dataclass(frozen=True)
class Exchange:
    """One request and its correct reply.

    `content_type` is a prefix: `text/plain` also accepts `text/plain; charset=utf-8`. `why` says
    what this exchange tests. A `recorded` exchange states what the contract requires, but a server
    that answers differently does not fail: its reply is shown beside its results.

    `status` None is any 2xx or 3xx. An empty `content_type` is any. `right` says how the body is
    judged; `answer` counts only for "answer", "json", "html" and "regex", and `length` only for
    "length". The bodies of one reply in `check_one_in` are judged under load.
    "like" is compared with the first reply, and doubted if it is unlike it. In a rotation, a
    request is sent `weight` times as often as one of weight 1.
    """

    path: str
    answer: bytes = field(repr=False)
    content_type: str
    why: str
    method: str = "GET"
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes | None = None
    status: int | tuple[int, ...] | None = 200
    recorded: bool = False
    right: Right = "answer"
    length: int = 0
    varies: bool = False
    """Path, headers and the body, if `body_varies`, have placeholders."""
    body_varies: bool = False
    data: tuple[str, ...] = ()
    """The data files of its placeholders, such as `users=/srv/users.csv:random`."""
    check_one_in: int = 1
    weight: int = 1
    think_s: float | None = None
    """The pause of a session behind the reply; None: as the load says."""
    keep: tuple[tuple[str, str, str], ...] = ()
    """Values of its replies that later calls of the session send: the name, the kind of the place
    (`json`, `regex`, `header`, `cookie`), and the place."""
    grpc: bool = False
    """A unary call of gRPC: `body` and `answer` are messages, each behind its length."""
    name: str | None = None
    """The endpoint that it belongs to; None: its method, and its path without the query."""

    @property
    def statuses(self) -> tuple[int, ...] | None:
        """The statuses of right replies; None: any 2xx or 3xx."""
        return (self.status,) if isinstance(self.status, int) else self.status


@dataclass(frozen=True)
class Queries:
    """The work of a database for each reply: statements that read, and rows."""

    tables: tuple[str, ...]
    """The tables whose statements count."""
    reads: int
    rows_read: int
    rows_written: int = 0


@dataclass(frozen=True)
class Workload:
    """Exchanges that the load sends in rotation (`measured`) or only a check does (`edges`)."""

    name: str
    title: str
    description: str
    measured: tuple[Exchange, ...]
    edges: tuple[Exchange, ...] = ()
    own: bool = False
    """A study's own, which any server may be measured with."""
    session: bool = False
    """The measured exchanges are the calls of one session, in this order, each as often in a row as
    its weight says."""
    queries: Queries | None = None
    """The least that a database does for each reply; None: it needs none, or it is not known."""

    @property
    def has_grpc(self) -> bool:
        """True if some of its exchanges are calls of gRPC."""
        return any(one.grpc for one in self.measured)

    @property
    def calls(self) -> int:
        """The calls of its session; 1 if it is none."""
        return sum(one.weight for one in self.measured) if self.session else 1

    @property
    def pauses_s(self) -> float:
        """The think times of its session together, of those that it names."""
        pauses = [one.think_s or 0.0 for one in self.measured for _ in range(one.weight)]
        return sum(pauses[:-1]) if self.session else 0.0

    @property
    def without_pauses(self) -> Workload:
        """The same workload, its session without think times."""
        if not self.session:
            return self
        return replace(self, measured=tuple(replace(one, think_s=None) for one in self.measured))

    @property
    def data(self) -> tuple[str, ...]:
        """The data files of its placeholders."""
        return next((one.data for one in self.measured if one.data), ())

    @property
    def sample(self) -> Workload:
        """At most 1,000 of its measured exchanges, evenly spread; all of a session.

        They are checked before a run, and stand for all in a load of the reference server.
        """
        step = -(-len(self.measured) // MOST_SAMPLED)
        return self if step <= 1 or self.session else replace(self, measured=self.measured[::step])

    @property
    def exchanges(self) -> tuple[Exchange, ...]:
        """Every exchange of a check: the measured ones, then the edges."""
        return self.measured + self.edges

    @property
    def shares(self) -> dict[str, float]:
        """The share of each endpoint in the calls of the load, by its name."""
        whole, found = sum(one.weight for one in self.measured), dict[str, float]()
        for one in self.measured:
            name = endpoint_of(one.name, one.method, one.path)
            found[name] = found.get(name, 0.0) + one.weight / whole
        return found
