"""Runs httpdyno until something happens to a file: `at_event.py kill 7 result.json run …`.

    kill N TEXT   ends the process with SIGKILL at the Nth event with TEXT in it, as a crash would
    hold N TEXT   creates the file `held` in the working folder then, and waits for a signal

An event is a file that is opened for writing or renamed, a database that is opened, a new folder.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

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


if __name__ == "__main__":
    action, number, text, *arguments = sys.argv[1:]
    sys.argv = ["httpdyno", *arguments]
    from httpdyno.__main__ import main

    sys.addaudithook(At(action, int(number), text))
    main()
