"""Runs httpdyno until something happens to a file: `at_event.py kill 7 result.json run …`.

    kill N TEXT   ends the process with SIGKILL at the Nth event with TEXT in it, as a crash would
    hold N TEXT   creates the file `held` in the working folder then, and waits for a signal
    kill-each     runs it again and again, killed at the first event, at the second, and so
                  on, until it ends by itself; prints each exit code, and waits for a line of stdin

An event is a file that is opened for writing or renamed, a database that is opened, a new folder.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from itertools import count
from pathlib import Path
from typing import Any

from loaded_program import load, shorten_ceilings

EVENTS = {"os.rename", "os.mkdir", "sqlite3.connect"}


class At:
    """Counts events, and acts on one of them."""

    def __init__(self, action: str, number: int, text: str) -> None:
        self._action = action
        self._left = number
        self._text = text

    def __call__(self, event: str, details: tuple[Any, ...]) -> None:
        if self._left and _counts(event, details) and self._text in f"{event} {details}":
            self._left -= 1
            if not self._left:
                self._act()

    def _act(self) -> None:
        if self._action == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        Path("held").touch()
        while True:
            time.sleep(0.01)


def _counts(event: str, details: tuple[Any, ...]) -> bool:
    if event != "open":
        return event in EVENTS
    written = details[2] & (os.O_WRONLY | os.O_RDWR)
    return bool(written) and not str(details[0]).endswith(".pyc")


def kill_at_each() -> None:
    """Run httpdyno until it has no event left to be killed at; each run is a process of its own.

    The processes are forks of this one, which has loaded what they need.
    """
    load()
    for number in count(1):
        child = os.fork()
        if not child:
            os.dup2(2, 1)
            run(At("kill", number, ""))
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        print(code, flush=True)  # noqa: T201
        if code == 0:
            return
        sys.stdin.readline()


def run(hook: At) -> None:
    """Run httpdyno; it does not return."""
    from httpdyno.__main__ import main

    shorten_ceilings()
    sys.addaudithook(hook)
    main()


if __name__ == "__main__":
    action, number, text, *arguments = sys.argv[1:]
    sys.argv = ["httpdyno", *arguments]
    if action == "kill-each":
        kill_at_each()
    else:
        run(At(action, int(number), text))
