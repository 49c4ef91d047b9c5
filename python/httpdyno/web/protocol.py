"""HTTP/1.1 of uvicorn with limits of time: a client that sends or reads too slowly is dropped.

So neither connections nor buffers pile up, whoever opens them.
"""

from __future__ import annotations

import asyncio
import socket
import struct

from uvicorn.protocols.http.h11_impl import H11Protocol

REQUEST_S = 10.0
"""The longest wait for the head of a request, from the connection or from its first byte on."""
READ_S = 20.0
"""The longest time in which a client takes nothing of what is ready for it."""


class LimitedProtocol(H11Protocol):
    """One connection."""

    _request_timer: asyncio.TimerHandle | None = None
    _read_timer: asyncio.TimerHandle | None = None
    _idle_since = 0.0
    _dropped = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Expect a request soon."""
        super().connection_made(transport)
        self._idle_since = self.loop.time()
        self._expect_request()

    def data_received(self, data: bytes) -> None:
        """Expect the rest of a head that has begun."""
        super().data_received(data)
        if self._answering:
            self._forget(self._request_timer)
            self._request_timer = None
        else:
            self._expect_request()

    def on_response_complete(self) -> None:
        """Expect another request, or none."""
        self._idle_since = self.loop.time()
        super().on_response_complete()

    def pause_writing(self) -> None:
        """The client does not read: its buffers are full."""
        super().pause_writing()
        self._expect_reader()

    def resume_writing(self) -> None:
        """The client has read."""
        super().resume_writing()
        self._forget(self._read_timer)

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the limits."""
        self._forget(self._request_timer)
        self._forget(self._read_timer)
        super().connection_lost(exc)

    @property
    def idle_since(self) -> float | None:
        """The time since which no request is being answered; None: one is, or all is over."""
        return None if self._answering or self._dropped else self._idle_since

    def drop(self) -> None:
        """Close with a reset: the kernel too lets go of what nobody reads."""
        self._dropped = True
        opened = self.transport.get_extra_info("socket")
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.transport.abort()

    @property
    def _answering(self) -> bool:
        """True from the end of a request's head to the end of its answer."""
        return self.cycle is not None and not self.cycle.response_complete

    def _expect_request(self) -> None:
        if self._request_timer is None:
            self._request_timer = self.loop.call_later(REQUEST_S, self._give_up)

    def _give_up(self) -> None:
        self._request_timer = None
        if not self._answering:
            self.drop()

    def _expect_reader(self) -> None:
        left = self.transport.get_write_buffer_size()
        self._read_timer = self.loop.call_later(READ_S, self._check_reader, left)

    def _check_reader(self, before: int) -> None:
        """A slow network is no reason to give up as long as something arrives."""
        if self.transport.get_write_buffer_size() < before:
            self._expect_reader()
        else:
            self.drop()

    @staticmethod
    def _forget(timer: asyncio.TimerHandle | None) -> None:
        if timer is not None:
            timer.cancel()
