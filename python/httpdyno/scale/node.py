"""A machine of the cluster, as the coordinator sees it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from uuid import uuid4

from httpdyno.address import ip_of
from httpdyno.errors import HttpdynoError, NodeFault
from httpdyno.output.printable import printable
from httpdyno.scale.agent import Agent, Facts, Refusal
from httpdyno.scale.hosts_file import Role, host_of
from httpdyno.scale.joining.place import Place

__all__ = [
    "ANSWER_S",
    "Clock",
    "JoinedWorker",
    "Node",
    "Remote",
    "clock_of",
    "resolve_host",
    "together",
    "why_lost",
]

ANSWER_S = 4.0
"""The longest wait for an answer, beyond what the call itself waits for."""
_START_S = 8.0
"""The longest wait for an agent: its worker imports the engine first, slowly if it is busy."""
_MOST_TEXT = 300


@dataclass(frozen=True)
class JoinedWorker:
    """A worker as the scheduler knows it."""

    name: str
    worker: str
    """Its address for control."""
    address: str | None
    """Its address for load, if it gave one."""
    roles: tuple[Role, ...]
    versions: Any
    """None: it did not give them."""


@dataclass(frozen=True)
class Clock:
    """The wall clock of a machine against that of the coordinator."""

    offset_ns: int
    """Its time minus ours."""
    error_ns: int
    """The offset is known within this, either way."""
    round_trip_ns: int


class Remote:
    """An actor on a machine."""

    def __init__(self, node: str, actor: Any) -> None:
        self.node = node
        self.actor = actor
        self.lost = False
        """It did not answer once: it gets no more calls to end."""

    def call(self, method: str, *args: Any, within_s: float = ANSWER_S) -> Any:
        """The answer of a method. Raises what it raises, or NodeFault: the node is lost or late."""
        return self.answer(self.ask(method, args), method, within_s)

    def ask(self, method: str, args: Sequence[Any]) -> Any:
        """The future answer of a method."""
        try:
            return getattr(self.actor, method)(*args)
        except RuntimeError as lost:
            raise self._lose(lost) from lost

    def answer(self, future: Any, method: str, within_s: float) -> Any:
        """The answer, once it is there; faults as in `call`."""
        try:
            return future.result(timeout=max(0.05, within_s))
        except Refusal as refusal:
            raise NodeFault(self.node, refusal.message, hint=refusal.hint) from refusal
        except HttpdynoError as error:
            error.message = f"on `{self.node}`: {error.message}"
            error.args = (error.message,)
            raise
        except TimeoutError as late:
            self.lost = True
            raise NodeFault(
                self.node,
                f"no answer to `{method}` in time: it is stopped, cut off or overloaded",
                hint="`httpdyno hosts check hosts.toml` shows which machines answer",
            ) from late
        except (OSError, RuntimeError, CancelledError, KeyError) as lost:
            raise self._lose(lost) from lost
        except Exception as failed:
            why = f"{type(failed).__name__}: {failed}"[:_MOST_TEXT]
            raise NodeFault(
                self.node,
                f"`{method}` failed there: {printable(why)}",
                hint="this is a bug in httpdyno; please report it",
            ) from failed

    def _lose(self, error: Exception) -> NodeFault:
        self.lost = True
        return NodeFault(
            self.node,
            why_lost(error),
            hint=f"start the worker of `{self.node}` again",
        )


def why_lost(error: BaseException) -> str:
    """The reason for the loss of a machine. What Dask says of its actors helps nobody."""
    of_dask = isinstance(error, CancelledError) or str(error).startswith("Worker holding Actor")
    if of_dask or (isinstance(error, OSError) and error.errno is None):
        return "its worker has ended, or cannot be reached any more"
    why = printable(f"{type(error).__name__}: {error}")[:_MOST_TEXT]
    return f"the connection to its worker is lost ({why})"


class Node:
    """A machine that has joined."""

    def __init__(self, joined: JoinedWorker, client: Any, agent: Remote) -> None:
        self.name = joined.name
        self.worker = joined.worker
        self.roles = joined.roles
        self.address = joined.address or host_of(joined.worker)
        self._named = joined.address
        self.agent = agent
        self.clock = Clock(0, 0, 0)
        self.facts: Facts | None = None
        self._client = client

    @cached_property
    def source(self) -> str | None:
        """The address that its load comes from; None: nobody named one, so its kernel chooses."""
        return resolve_host(self.name, self._named) if self._named else None

    @property
    def place(self) -> Place:
        """Its cores."""
        if self.facts is None:
            self.facts = self.call("facts", within_s=10.0)
        return self.facts.place

    @property
    def cores(self) -> tuple[int, ...]:
        """The cores of its engine, or of its server."""
        return self.place.engine

    def call(self, method: str, *args: Any, within_s: float = ANSWER_S) -> Any:
        """The answer of its agent, as `Remote.call`."""
        return self.agent.call(method, *args, within_s=within_s)

    def actor(self, kind: type, *args: Any) -> Remote:
        """One more actor on the same worker; it is never started anywhere else, or again."""
        return new_actor(self._client, self.name, self.worker, kind, *args)


def new_actor(client: Any, name: str, worker: str, kind: type, *args: Any) -> Remote:
    """An actor of a class on a worker."""
    future = client.submit(
        kind,
        *args,
        actor=True,
        workers=[worker],
        allow_other_workers=False,
        retries=0,
        pure=False,
        key=f"httpdyno-{kind.__name__.lower()}-{uuid4().hex}",
    )
    try:
        return Remote(name, future.result(timeout=_START_S))
    except TimeoutError as late:
        raise NodeFault(name, "its worker started no agent in time") from late
    except Exception as error:
        why = f"{type(error).__name__}: {error}"[:_MOST_TEXT]
        raise NodeFault(name, f"its worker could not start an agent ({why})") from error


def new_agent(client: Any, joined: JoinedWorker, *args: Any) -> Node:
    """The node of a worker, with an agent."""
    return Node(joined, client, new_actor(client, joined.name, joined.worker, Agent, *args))


def together(
    nodes: Sequence[Node],
    method: str,
    args: Callable[[int], tuple[Any, ...]],
    within_s: float = ANSWER_S,
) -> list[Any]:
    """The answers of all nodes to a method, called at once; `args`: those of node k.

    Raises the first fault in the order of the nodes, once all have answered or were late.
    """
    deadline = time.monotonic() + within_s
    answers: list[Any] = []
    faults: list[HttpdynoError] = []
    calls = []
    for number, node in enumerate(nodes):
        try:
            calls.append((node, node.agent.ask(method, args(number))))
        except HttpdynoError as fault:
            faults.append(fault)
    for node, future in calls:
        try:
            left = deadline - time.monotonic()
            answers.append(node.agent.answer(future, method, left))
        except HttpdynoError as fault:
            faults.append(fault)
    if faults:
        raise faults[0]
    return answers


def resolve_host(name: str, host: str) -> str:
    """The IP address of a host, IPv4 if it has one: a machine may know itself as 127.0.1.1."""
    try:
        return ip_of(host)
    except OSError as error:
        raise NodeFault(
            name,
            f"`{host}` has no address: {error.strerror}",
            hint="use an IP address in hosts.toml",
        ) from None


async def clock_of(node: Node, pings: int) -> Clock | NodeFault:
    """The offset of a clock, from the ping with the shortest round trip."""
    best: Clock | None = None
    try:
        for _ in range(pings):
            began, began_ns = time.perf_counter_ns(), time.time_ns()
            theirs = await asyncio.wait_for(node.agent.actor.clock(), ANSWER_S)
            round_trip = time.perf_counter_ns() - began
            if best is None or round_trip < best.round_trip_ns:
                half = round_trip // 2
                best = Clock(theirs - (began_ns + half), half, round_trip)
    except Exception as error:
        why = "no answer in time" if isinstance(error, TimeoutError) else why_lost(error)
        return NodeFault(node.name, f"its clock cannot be read: {why}")
    return best or Clock(0, 0, 0)
