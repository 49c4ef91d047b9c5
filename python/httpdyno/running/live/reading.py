"""Follows the journal of a run: each reading returns the events that are new."""

from __future__ import annotations

import json
import math
import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from httpdyno.running.live.identity import Identity
from httpdyno.running.live.journal import EVENTS, folder_of, live_folder

Line = dict[str, Any]
"""An event of a journal, as JSON."""

MOST_READ = 16 << 20
"""Bytes of one reading, and of a line: a journal is smaller."""


class Follower:
    """Reads the journal in a folder from its beginning to its present end, again and again."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / EVENTS
        self._descriptor: int | None = None
        self._rest = b""

    def read(self) -> tuple[bool, list[Line]]:
        """The new events; True if they begin anew, because the journal was written again."""
        again = self._reopen()
        if self._descriptor is None:
            return again, []
        data = self._rest + os.read(self._descriptor, MOST_READ)
        whole, end, self._rest = data.rpartition(b"\n")
        if len(self._rest) > MOST_READ:
            self._rest = b""
        return again, list(_events(whole + end))

    def close(self) -> None:
        """Close the file."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def _reopen(self) -> bool:
        """Open the journal, if it is not the file that is open; True if it was not."""
        try:
            now = self._file.stat()
            if self._descriptor is not None:
                opened = os.fstat(self._descriptor)
                if (opened.st_dev, opened.st_ino) == (now.st_dev, now.st_ino):
                    return False
            # Not blocked by a pipe of that name.
            flags = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
            descriptor = os.open(self._file, flags)
        except OSError:
            return False
        if not _is_own(os.fstat(descriptor)):
            os.close(descriptor)
            return False
        self.close()
        self._descriptor, self._rest = descriptor, b""
        return True


def _is_own(status: os.stat_result) -> bool:
    """True for a file of this user: the page resumes a run in the folder that its journal names."""
    return stat.S_ISREG(status.st_mode) and status.st_uid == os.geteuid()


def _events(lines: bytes) -> Iterator[Line]:
    """The events in these lines. A damaged line is left out."""
    for line in lines.splitlines():
        with suppress(ValueError, RecursionError):
            event = json.loads(line)
            if isinstance(event, dict) and isinstance(event.get("kind"), str):
                yield event


def left_s(pid: int, now: float) -> float | None:
    """The seconds until the end of the run of a process; None: its journal does not know yet, or
    the run is late."""
    follower = Follower(folder_of(Identity.of(pid).key))
    try:
        _, events = follower.read()
        trial = next(event for event in reversed(events) if event["kind"] == "trial")
        left = float(trial["left_s"]) - (now - float(trial["at"]))
    except (OSError, StopIteration, KeyError, TypeError, ValueError):
        return None
    finally:
        follower.close()
    return left if math.isfinite(left) and left > 0 else None


def journals() -> list[Identity]:
    """The runs that have a journal, the newest first."""
    found = []
    with suppress(OSError):
        for folder in live_folder().iterdir():
            identity = Identity.from_key(folder.name)
            with suppress(OSError):
                status = (folder / EVENTS).stat()
                if identity is not None and _is_own(status):
                    found.append((status.st_ctime, identity))
    return [identity for _, identity in sorted(found, key=lambda one: -one[0])]
