"""Many servers at once: each in a process of its own, two at a time, and a table at the end.

A server that fails takes nothing with it, and what it left is ended by its own process.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import suppress
from dataclasses import dataclass
from time import monotonic
from typing import TYPE_CHECKING, Literal

from httpdyno.cli.servers.work import interruptible, tell
from httpdyno.errors import ExitCode

if TYPE_CHECKING:
    from httpdyno.servers import Server

__all__ = ["Outcome", "ask_each", "exit_code", "left_out"]

AT_ONCE = 2
_SLOW_FIRST = ("cargo", "maven", "go", "npm", "pip", "apt", "none")
"""Long builds first, so that the last minutes are not one of them alone."""

Result = Literal["ok", "failed", "cannot be had", "needs a variable"]


@dataclass(frozen=True)
class Outcome:
    """What came of one server: `said` is its stdout, `reason` what went wrong in a sentence,
    `hint` what to do or where its log is."""

    server: str
    result: Result
    code: int = 0
    took_s: float = 0.0
    said: str = ""
    reason: str = ""
    hint: str = ""


def left_out(servers: Sequence[Server]) -> tuple[list[Server], list[Outcome]]:
    """The servers to try, and a row for each that this machine cannot have."""
    tried: list[Server] = []
    rows: list[Outcome] = []
    for server in servers:
        unset = [name for name in server.install.needs if not os.environ.get(name)]
        if server.unavailable is not None:
            rows.append(Outcome(server.name, "cannot be had", reason=server.unavailable))
        elif unset:
            must = "; ".join(f"`{name}` must hold {server.install.needs[name]}" for name in unset)
            rows.append(Outcome(server.name, "needs a variable", reason=must))
        else:
            tried.append(server)
    return tried, rows


def ask_each(
    servers: Sequence[Server], words: Callable[[Server], list[str]], done: Callable[[Outcome], None]
) -> list[Outcome]:
    """Run `httpdyno servers` with `words` for each server; outcomes in the servers' order.

    `done` hears of each as it ends. An interrupt is passed on to those that run, and waits for
    them to put their servers away.
    """
    crew = _Crew()
    order = sorted(servers, key=lambda server: _SLOW_FIRST.index(server.install.kind))
    outcomes: dict[str, Outcome] = {}
    with interruptible(), ThreadPoolExecutor(AT_ONCE) as pool:
        waiting = [pool.submit(crew.run, server.name, words(server)) for server in order]
        try:
            for future in as_completed(waiting):
                outcome = future.result()
                outcomes[outcome.server] = outcome
                done(outcome)
        except BaseException:
            tell("ending what runs")
            for future in waiting:
                future.cancel()
            crew.interrupt()
            raise
    return [outcomes[server.name] for server in servers]


def exit_code(outcomes: Sequence[Outcome]) -> int:
    """That of the worst failure; what cannot be had anywhere is none."""
    wrong = [outcome.code for outcome in outcomes if outcome.code != ExitCode.OK]
    return min(wrong, default=ExitCode.OK)


class _Crew:
    """The processes that run now."""

    def __init__(self) -> None:
        self._running: set[subprocess.Popen[str]] = set()
        self._lock = threading.Lock()

    def run(self, server: str, words: list[str]) -> Outcome:
        """One server's process, to its end."""
        began = monotonic()
        with self._lock:
            child = subprocess.Popen(
                [sys.executable, "-m", "httpdyno", "servers", *words],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                errors="replace",
                env={**os.environ, "NO_COLOR": "1"},
                start_new_session=True,  # Ctrl-C comes to us, and from us to it, once
            )
            self._running.add(child)
        said, talk = child.communicate()
        with self._lock:
            self._running.discard(child)
        return _outcome(server, child.returncode, monotonic() - began, said, talk)

    def interrupt(self) -> None:
        """Ask every process to end, as Ctrl-C would."""
        with self._lock:
            for child in self._running:
                with suppress(ProcessLookupError):
                    child.send_signal(signal.SIGINT)


def _outcome(server: str, code: int, took_s: float, said: str, talk: str) -> Outcome:
    if code == ExitCode.OK:
        return Outcome(server, "ok", code, took_s, said)
    error = re.search(r"^error: (.*?)(?:\nhint: (.*))?\Z", talk.strip(), re.DOTALL | re.MULTILINE)
    reason = error[1] if error else (talk.strip().splitlines() or [f"exit code {code}"])[-1]
    hint = (error[2] or "") if error else ""
    if not error and said:
        reason = "answers wrong"
    code = code if code > 0 else ExitCode.TARGET
    return Outcome(server, "failed", code, took_s, said, " ".join(reason.split()), hint)
