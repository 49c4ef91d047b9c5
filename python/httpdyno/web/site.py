"""Everything that the pages share: their address and secrets, live runs, stored results."""

from __future__ import annotations

import asyncio
import threading
from collections import OrderedDict
from dataclasses import dataclass, field
from functools import partial

from httpdyno.result import StudyResult
from httpdyno.running.stored_result import stored_result
from httpdyno.store import RunSummary, Store, StoredRun, open_store, summaries
from httpdyno.web.launcher import Launcher
from httpdyno.web.listener import Listener
from httpdyno.web.live.feed import Hub
from httpdyno.web.live.view import parts
from httpdyno.web.security import Access

MOST_KEPT = 8
"""Results that are kept in memory."""


class Results:
    """Results of stored runs; those of finished runs are kept for a while."""

    def __init__(self) -> None:
        self._kept: OrderedDict[int, StudyResult] = OrderedDict()
        self._reading = threading.Lock()

    def of(self, store: Store, run: StoredRun) -> StudyResult:
        """The result of a run. Raises HttpdynoError when it cannot be read."""
        with self._reading:
            if run.id in self._kept:
                self._kept.move_to_end(run.id)
                return self._kept[run.id]
            result = stored_result(store, run)
            if run.ended_at is not None:
                self._kept[run.id] = result
                while len(self._kept) > MOST_KEPT:
                    self._kept.popitem(last=False)
            return result


@dataclass
class Site:
    """One page server."""

    listening: Listener
    launcher: Launcher
    fleeting: bool = False
    """It ends with its run."""
    access: Access = field(init=False)
    hub: Hub = field(init=False)
    results: Results = field(default_factory=Results)
    loop: asyncio.AbstractEventLoop | None = None
    """The loop of the web server, once it runs."""

    def __post_init__(self) -> None:
        self.access = Access(self.listening)
        self.hub = Hub(partial(parts, secret=self.access.form_secret), fleeting=self.fleeting)

    def store(self) -> Store:
        """The store of results."""
        return open_store(reading=True)

    def runs(self) -> list[RunSummary]:
        """All stored runs, the newest first."""
        return summaries(self.store())[::-1]

    def close(self) -> None:
        """End all streams, from another thread."""
        if self.loop is not None and not self.loop.is_closed():
            self.loop.call_soon_threadsafe(self.hub.close)
