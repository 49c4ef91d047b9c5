"""Works on many servers: one process for each, two at a time.

A server that fails takes nothing with it, and its own process stops whatever it started.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass
from time import monotonic
from typing import TYPE_CHECKING, Literal

from httpdyno.cli.signals import stoppable
from httpdyno.errors import ExitCode
from httpdyno.running.live.events import Events, ServerEnds, ServersAtWork

if TYPE_CHECKING:
    from httpdyno.servers import Server

__all__ = ["AT_ONCE", "WRONG_ANSWERS", "Outcome", "exit_code", "left_out", "run_each"]

AT_ONCE = 2
_LOOK_S = 1.0
_SLOW_FIRST = ("cargo", "maven", "go", "git", "npm", "pip", "apt", "none")
"""Long builds first, so that the last minutes are not spent on one of them alone."""

_WORST_FIRST = (
    ExitCode.INTERRUPTED,  # unknown what would have come
    ExitCode.INTERNAL,  # nothing that httpdyno says is certain
    ExitCode.ENVIRONMENT,  # this machine, which may concern the other servers too
    ExitCode.USAGE,
    ExitCode.TARGET,  # one server
)

WRONG_ANSWERS = "wrong answers"

Result = Literal["ok", "failed", "unavailable", "needs a variable"]


@dataclass(frozen=True)
class Outcome:
    """The outcome of one server: `stdout` of its process, `reason` for a failure in a sentence,
    `hint` with what to do or the place of its log."""

    server: str
    result: Result
    code: int = 0
    took_s: float = 0.0
    stdout: str = ""
    reason: str = ""
    hint: str = ""


def left_out(servers: Sequence[Server]) -> tuple[list[Server], list[Outcome]]:
    """The servers to try, and an outcome for each of the others."""
    tried: list[Server] = []
    rows: list[Outcome] = []
    for server in servers:
        unset = [name for name in server.install.needs if not os.environ.get(name)]
        if server.unavailable is not None:
            rows.append(Outcome(server.name, "unavailable", reason=server.unavailable))
        elif unset:
            must = "; ".join(f"`{name}` must hold {server.install.needs[name]}" for name in unset)
            rows.append(Outcome(server.name, "needs a variable", reason=must))
        else:
            tried.append(server)
    return tried, rows


def run_each(
    servers: Sequence[Server],
    words: Callable[[Server], list[str]],
    events: Events,
    say: Callable[[str], None],
) -> list[Outcome]:
    """Run `httpdyno servers` with `words` for each server; outcomes in the order of `servers`.

    A request to stop, which `say` answers, goes on to the processes that run, which stop their
    servers; KeyboardInterrupt is raised when they have ended.
    """
    crew = _Crew()
    ordered = sorted(servers, key=lambda server: _SLOW_FIRST.index(server.install.kind))
    outcomes: dict[str, Outcome] = {}
    with (
        stoppable("the servers that are running", ask=crew.interrupt, say=say) as stop,
        ThreadPoolExecutor(AT_ONCE) as pool,
    ):
        pending = {pool.submit(crew.run, server.name, words(server)) for server in ordered}
        while pending:
            ended, pending = wait(pending, _LOOK_S, FIRST_COMPLETED)
            for future in ended:
                if (outcome := future.result()) is not None:
                    outcomes[outcome.server] = outcome
                    events.send(_ends(outcome))
            events.send(ServersAtWork(crew.under_way()))
    if stop.requested:
        raise KeyboardInterrupt
    return [outcomes[server.name] for server in servers]


def _ends(outcome: Outcome) -> ServerEnds:
    return ServerEnds(outcome.server, outcome.result, outcome.took_s, outcome.reason)


def exit_code(outcomes: Sequence[Outcome]) -> int:
    """The worst exit code of those that failed. Unavailable servers do not count as failures."""
    failed = {outcome.code for outcome in outcomes} - {ExitCode.OK}
    known = [code for code in _WORST_FIRST if code in failed]
    return known[0] if known else max(failed, default=ExitCode.OK)


class _Crew:
    """The running processes."""

    def __init__(self) -> None:
        self._running: dict[subprocess.Popen[str], tuple[str, float]] = {}
        """The server of each, and when it began."""
        self._lock = threading.Lock()
        self._stopping = False

    def run(self, server: str, words: list[str]) -> Outcome | None:
        """Run the process of one server to its end; None when a request to stop came before."""
        began = monotonic()
        with self._lock:
            if self._stopping:
                return None
            child = subprocess.Popen(
                [sys.executable, "-m", "httpdyno", "servers", *words],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                errors="replace",
                env={**os.environ, "NO_COLOR": "1"},
                start_new_session=True,  # Ctrl-C reaches this process, which passes it on once
            )
            self._running[child] = server, began
        stdout, stderr = child.communicate()
        with self._lock:
            del self._running[child]
        return _outcome(server, child.returncode, monotonic() - began, stdout, stderr)

    def under_way(self) -> dict[str, float]:
        """The servers at work, with the seconds since they began."""
        with self._lock:
            return {server: monotonic() - began for server, began in self._running.values()}

    def interrupt(self) -> None:
        """Ask every process to stop, as Ctrl-C would, and start no more."""
        with self._lock:
            self._stopping = True
            for child in self._running:
                with suppress(ProcessLookupError):
                    child.send_signal(signal.SIGINT)


def _outcome(server: str, code: int, took_s: float, stdout: str, stderr: str) -> Outcome:
    if code == ExitCode.OK:
        return Outcome(server, "ok", code, took_s, stdout)
    error = re.search(r"^error: (.*?)(?:\nhint: (.*))?\Z", stderr.strip(), re.DOTALL | re.MULTILINE)
    reason = error[1] if error else (stderr.strip().splitlines() or [f"exit code {code}"])[-1]
    hint = (error[2] or "") if error else ""
    if not error and stdout:
        reason = WRONG_ANSWERS
    code = code if code > 0 else ExitCode.TARGET
    return Outcome(server, "failed", code, took_s, stdout, " ".join(reason.split()), hint)
