"""The limits of a running server: the memory its processes hold, and the length of its log."""

from __future__ import annotations

import threading
from pathlib import Path

from httpdyno.servers.log_limit import shorten
from httpdyno.servers.process import leftovers
from httpdyno.servers.process.memory_limit import held_mb
from httpdyno.servers.process.processes import Leader, living_members

CHECK_EVERY_S = 0.5
SEARCH_EVERY = 4
"""Every fourth check searches for new processes, which takes a pass over /proc."""


class LimitWatcher:
    """Checks a server's limits in a thread of its own until it is stopped.

    `killed_because` is None until the server passed its memory limit and was killed; then a
    sentence.
    """

    def __init__(self, leader: Leader, log: Path, most_mb: int) -> None:
        self.killed_because: str | None = None
        self._leader = leader
        self._log = log
        self._most_mb = most_mb
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="server limits", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def stop(self) -> None:
        """Stop the thread; returns when it has ended."""
        self._stopped.set()
        if self._thread.is_alive():
            self._thread.join()

    def shorten_log(self) -> None:
        """Bring the log to its length, which it may have passed since the last check."""
        shorten(self._log)

    def _run(self) -> None:
        members: set[int] = set()
        checks = 0
        while not self._stopped.wait(CHECK_EVERY_S):
            if checks % SEARCH_EVERY == 0:
                members = living_members(self._leader)
            checks += 1
            shorten(self._log)
            if (held := held_mb(members, self._most_mb)) > self._most_mb:
                self.killed_because = (
                    f"its processes held {held:,} MiB of memory: "
                    f"expected at most {self._most_mb:,} (`[limits] memory_mb`)"
                )
                leftovers.kill(self._leader)
                return
