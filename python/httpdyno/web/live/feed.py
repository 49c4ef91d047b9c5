"""One reading of a journal for all viewers of a run, and its stream to each of them.

While a run has viewers, one task reads its journal once a second, and puts the numbers of that
second into one line of JSON, which all viewers share. The parts of the page, as HTML, are drawn
and sent again only when they show something else, such as another trial. A viewer gets what is new
since what it has; nothing is queued for it, so a slow one skips what came in between.
"""

from __future__ import annotations

import asyncio
import json
import os
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

from httpdyno.running.live.identity import Identity
from httpdyno.running.live.journal import folder_of
from httpdyno.running.live.reading import Follower, journals
from httpdyno.running.live.state import RunState
from httpdyno.web.live.moment import Moment, Moments, points

Parts = Mapping[str, str]
"""The parts of a page, by their ids, as HTML."""
Render = Callable[[RunState, bool], Parts]

EVERY_S = 1.0
KEEP_ALIVE_S = 15.0
MOST_VIEWERS = 200
MOST_LISTED = 20
MOST_MARKS = 100
"""A viewer that is further behind gets all points of the charts."""


class Feed:
    """The state of one run."""

    def __init__(self, identity: Identity, render: Render, *, fleeting: bool) -> None:
        self.state = RunState(identity.key)
        self._identity = identity
        self._render = render
        self._follower = Follower(folder_of(identity.key))
        self._reading = asyncio.Lock()
        self._moments = Moments()
        self._moment = Moment((), {})
        self._parts: dict[str, tuple[int, str]] = {}
        self._version = 0
        self._marks: dict[int, tuple[int, int]] = {}
        """For a version, the measurement and the number of its samples."""
        self._encoded: dict[int, bytes] = {}
        self._news = asyncio.Event()
        self._hurry = asyncio.Event()
        self._ticking: asyncio.Task[None] | None = None
        self.viewers = 0
        self._fleeting = fleeting
        self._cpus: Sequence[int] = ()

    @property
    def identity(self) -> Identity:
        """Its process; of this start of the machine, if the journal says so."""
        return replace(self._identity, boot=self.state.boot)

    @property
    def condition(self) -> str:
        """The state of its process."""
        return self.state.condition(alive=self.identity.alive())

    @property
    def active(self) -> bool:
        """True while it runs or is paused."""
        return self.condition in ("running", "paused")

    async def refresh(self) -> RunState:
        """The state now."""
        async with self._reading:
            await asyncio.to_thread(self._read)
        return self.state

    @property
    def closing(self) -> bool:
        """True once the page is about to end."""
        return self._hurry.is_set()

    async def stream(self) -> AsyncIterator[bytes]:
        """The events for one viewer, until the run ends or the page is closed."""
        ticking, seen = self._read_on(), 0
        yield b"retry: 1000\n\n"
        while True:
            news = self._news
            changed, seen = self._changed_since(seen), self._version
            if changed:
                yield changed
            if ticking.done():
                if self.closing or not self.active:
                    gone = json.dumps(self.closing or self._fleeting)
                    yield f"event: end\ndata: {gone}\n\n".encode()
                return
            await news.wait()
            if seen == self._version:
                yield b": still here\n\n"

    def _changed_since(self, seen: int) -> bytes:
        """The events with what changed since a version; viewers share them."""
        if seen == self._version:
            return b""
        if seen not in self._encoded:
            parts = {name: html for name, (at, html) in self._parts.items() if at > seen}
            # One line each, whatever is in it: JSON escapes line ends.
            event = f"event: parts\ndata: {json.dumps(parts)}\n\n" if parts else ""
            if self._moment.numbers:
                anew, rows = points(self.state, self._marks.get(seen))
                numbers = {**self._moment.numbers, "anew": anew, "rows": rows}
                event += f"event: now\ndata: {json.dumps(numbers, separators=(',', ':'))}\n\n"
            self._encoded[seen] = event.encode()
        return self._encoded[seen]

    def _read_on(self) -> asyncio.Task[None]:
        """The task that reads for all viewers."""
        if self._ticking is None or self._ticking.done():
            self._ticking = asyncio.create_task(self._tick())
        return self._ticking

    def wake(self) -> None:
        """Let the viewers look again."""
        self._news.set()
        self._news = asyncio.Event()

    def close(self) -> None:
        """Close the journal."""
        self._follower.close()

    def hurry(self) -> None:
        """The page is about to end."""
        self._hurry.set()

    def _read(self) -> None:
        again, events = self._follower.read()
        if again:
            self.state = RunState(self._identity.key)
        self.state.add(events)

    async def _tick(self) -> None:
        """Read once a second while there are viewers and the run goes on."""
        woken_at = 0.0
        while self.viewers:
            last = self.closing or not self.active
            # On this thread: to wake another one would cost more than the work.
            async with self._reading:
                self._read()
            self._stay_with(self.state.plan.cpus if self.state.plan else ())
            now = time.monotonic()
            if self._update() or now > woken_at + KEEP_ALIVE_S:
                woken_at = now
                self.wake()
            if last:
                break
            with suppress(TimeoutError):
                async with asyncio.timeout(EVERY_S):
                    await self._hurry.wait()
        self._stay_with(())
        asyncio.get_running_loop().call_soon(self.wake)

    def _update(self) -> bool:
        """Take in what is new; False: nothing is."""
        alive = self.identity.alive()
        moment, before = self._moments.of(self.state, time.time(), alive=alive), self._moment
        if moment == before:
            return False
        self._moment = moment
        self._version += 1
        if moment.shape != before.shape:
            parts = self._render(self.state, alive).items()
            fresh = {
                name: html for name, html in parts if self._parts.get(name, (0, ""))[1] != html
            }
            self._parts |= {name: (self._version, html) for name, html in fresh.items()}
        self._marks[self._version] = (self.state.course, self.state.taken)
        self._marks.pop(self._version - MOST_MARKS, None)
        self._encoded.clear()
        return True

    def _stay_with(self, cpus: Sequence[int]) -> None:
        if cpus != self._cpus:
            _stay_on(cpus)
            self._cpus = cpus


def _stay_on(cpus: Sequence[int]) -> None:
    """The calling thread on these processors, as far as the process has them; none: on all.

    On the engine's own it takes no time from the server; the engine is served before it.
    """
    own = os.sched_getaffinity(os.getpid())
    with suppress(OSError):
        os.sched_setaffinity(0, own & set(cpus) or own)


class Hub:
    """The feeds of all runs that have a journal. `fleeting`: the page ends with the run."""

    def __init__(self, render: Render, *, fleeting: bool) -> None:
        self._render = render
        self._fleeting = fleeting
        self._feeds: dict[str, Feed] = {}

    def feed(self, key: str) -> Feed | None:
        """The feed of a run; None: it is no run, or nothing of it is left."""
        identity = Identity.from_key(key)
        if identity is None or not folder_of(key).is_dir():
            self._drop(key)
            return None
        if key not in self._feeds:
            self._feeds[key] = Feed(identity, self._render, fleeting=self._fleeting)
        return self._feeds[key]

    async def newest(self) -> list[Feed]:
        """The newest runs, each with its state of now."""
        found = []
        for identity in journals()[:MOST_LISTED]:
            feed = self.feed(identity.key)
            if feed is not None:
                await feed.refresh()
                found.append(feed)
        return found

    async def of_run(self, run: int) -> Feed | None:
        """The feed of a stored run that is under way."""
        for feed in await self.newest():
            if feed.state.run == run and feed.active:
                return feed
        return None

    @property
    def full(self) -> bool:
        """True with as many viewers as can be served."""
        return sum(feed.viewers for feed in self._feeds.values()) >= MOST_VIEWERS

    def close(self) -> None:
        """End all streams, after what is new."""
        for feed in self._feeds.values():
            feed.hurry()

    def _drop(self, key: str) -> None:
        feed = self._feeds.pop(key, None)
        if feed is not None:
            with suppress(OSError):
                feed.close()
