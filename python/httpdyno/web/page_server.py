"""The web server of the pages, with a limit of connections that holds from the first moment on.

uvicorn's own limit is one of requests: connections without any would take every descriptor of the
process, and asyncio reports each one that it could not accept.
"""

from __future__ import annotations

import asyncio
import resource
import socket
from contextlib import suppress

import uvicorn

from httpdyno.web.protocol import LimitedProtocol

MOST_CONNECTIONS = 300
RETRY_S = 0.5
"""The pause after a connection that could not be accepted."""


class PageServer(uvicorn.Server):
    """Accepts one connection after the other. For one that is too many, the one that has waited
    longest without a request is dropped; if all have one, the new one."""

    _accepting: asyncio.Task[None] | None = None
    _loop: asyncio.AbstractEventLoop | None = None

    def end(self) -> None:
        """End soon; from another thread."""
        self.should_exit = True
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._ending.set)

    async def main_loop(self) -> None:
        """Wait for the end, for which uvicorn looks ten times a second."""
        await self._ending.wait()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to accept."""
        self._ending = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        await super().startup(sockets=[])
        for listening in sockets or ():
            listening.setblocking(False)
            self._accepting = asyncio.create_task(self._accept(listening))

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Accept no more, and end what is open."""
        if self._accepting is not None:
            self._accepting.cancel()
        await super().shutdown(sockets)

    async def _accept(self, listening: socket.socket) -> None:
        loop, most = asyncio.get_running_loop(), most_connections()
        while True:
            try:
                accepted, _ = await loop.sock_accept(listening)
            except ConnectionAbortedError:  # the client is gone already
                continue
            except OSError:
                await asyncio.sleep(RETRY_S)
                continue
            if self._has_room(most):
                with suppress(OSError):  # it is gone already
                    await loop.connect_accepted_socket(self._protocol, accepted)
            else:
                accepted.close()

    def _has_room(self, most: int) -> bool:
        """True if one more connection is possible; for that, one without a request is dropped."""
        opened = self.server_state.connections
        if len(opened) < most:
            return True
        idle = [
            one for one in opened if isinstance(one, LimitedProtocol) and one.idle_since is not None
        ]
        if idle:
            min(idle, key=lambda one: one.idle_since or 0.0).drop()
        return bool(idle)

    def _protocol(self) -> LimitedProtocol:
        return LimitedProtocol(self.config, self.server_state, self.lifespan.state)


def most_connections() -> int:
    """The limit; no more than half of the descriptors that this process may have."""
    descriptors, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if descriptors == resource.RLIM_INFINITY:
        return MOST_CONNECTIONS
    return min(MOST_CONNECTIONS, descriptors // 2)
