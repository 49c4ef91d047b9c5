"""The agents of a run: on other machines, or in this process for a machine that is this one."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any, Protocol

from httpdyno.errors import (
    EnvironmentFault,
    HttpdynoError,
    InternalFault,
    NodeFault,
    TargetError,
    UsageError,
)
from httpdyno.scale.server.agent import Fault, JobState
from httpdyno.servers import ServerFailure

__all__ = ["Caller", "LocalCaller", "all_at_once", "run_job"]

POLL_S = 1.0
_KINDS: dict[str, type[HttpdynoError]] = {
    "EnvironmentFault": EnvironmentFault,
    "UsageError": UsageError,
    "TargetError": TargetError,
}


class Caller(Protocol):
    """Calls the methods of an agent."""

    node: str

    def ask(self, method: str, args: Sequence[Any]) -> Any:
        """The future answer of a method, with `done` and `result`."""

    def call(self, method: str, *args: Any, within_s: float = ...) -> Any:
        """The answer of a method. Raises NodeFault when the machine is lost or late."""


class LocalCaller:
    """An agent in this process."""

    def __init__(self, node: str, agent: Any) -> None:
        self.node = node
        self.agent = agent

    def ask(self, method: str, args: Sequence[Any]) -> Any:
        """The answer of a method, as a future that is done."""
        answer: Future[Any] = Future()
        answer.set_result(self.call(method, *args))
        return answer

    def call(self, method: str, *args: Any, within_s: float = 0.0) -> Any:
        """The answer of a method."""
        return asyncio.run(getattr(self.agent, method)(*args))


def run_job(
    caller: Caller, log: Path | None, job: str, *args: Any, say: Callable[[str], None] | None = None
) -> Any:
    """Does a job of a server's agent, and waits for its end.

    A failed server's log is added to `log`. Raises what the job raised; NodeFault for a machine
    that is lost.
    """
    number = caller.call("begin", job, *args, within_s=_sending_s(args))
    while True:
        polled: JobState = caller.call("poll", number, POLL_S, within_s=POLL_S + 4.0)
        for sentence in polled.notes:
            if say is not None:
                say(f"{sentence} on {caller.node}")
        if polled.fault is not None:
            raise _error(caller.node, polled.fault, log)
        if polled.done:
            return polled.value


def all_at_once(callers: Sequence[Caller], method: str, *args: Any) -> list[Any]:
    """The answers of several agents to a method. Raises the first fault."""
    if len(callers) == 1:
        return [callers[0].call(method, *args)]
    with ThreadPoolExecutor(max(1, len(callers))) as pool:
        return list(pool.map(lambda caller: caller.call(method, *args), callers))


def add_to(log: Path, content: bytes) -> None:
    """Adds what another machine has logged."""
    try:
        log.parent.mkdir(parents=True, exist_ok=True)
        with log.open("ab") as file:
            file.write(content)
    except OSError as error:
        raise EnvironmentFault(f"`{log}` cannot be written: {error.strerror}") from None


def _sending_s(args: Sequence[Any]) -> float:
    """Time enough to send them over 10 Mbit/s."""
    return 5.0 + sum(len(one) for one in args if isinstance(one, bytes)) / 1e6


def _error(node: str, fault: Fault, log: Path | None) -> HttpdynoError:
    if fault.kind == "NodeFault":
        return NodeFault(node, fault.message, hint=fault.hint)
    if fault.kind == "ServerFailure" and fault.stage is not None:
        where = log or Path()
        if log is not None and fault.log is not None:
            add_to(log, fault.log)
        return ServerFailure(fault.message, stage=fault.stage, log=where, hint=fault.hint)
    kind = _KINDS.get(fault.kind, InternalFault)
    return kind(f"on `{node}`: {fault.message}", hint=fault.hint)
