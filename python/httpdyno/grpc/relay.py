"""A connection to a server, in the hands of gRPC's library.

The library opens its own connections, with its own TLS. It connects to a socket of ours instead,
and the bytes are copied: a server is reached and trusted in the same way as by the load.
"""

from __future__ import annotations

import select
import socket
import ssl
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread

__all__ = ["relay"]

_PIECE = 65_536
_PATIENCE_S = 5.0


@contextmanager
def relay(server: socket.socket) -> Iterator[str]:
    """The address at which gRPC's library finds the server of a connection. Raises OSError."""
    with TemporaryDirectory(prefix="httpdyno-") as room, socket.socket(socket.AF_UNIX) as own:
        path = str(Path(room, "server"))
        own.bind(path)
        own.listen(1)
        own.settimeout(_PATIENCE_S)
        thread = Thread(target=_join, args=(own, server), daemon=True)
        thread.start()
        try:
            yield f"unix:{path}"
        finally:
            with suppress(OSError):
                server.shutdown(socket.SHUT_RDWR)
            thread.join(_PATIENCE_S)


def _join(own: socket.socket, server: socket.socket) -> None:
    """Copies bytes both ways until one end closes or fails."""
    with suppress(OSError):
        client, _ = own.accept()
        with client:
            others = {client: server, server: client}
            while True:
                waits = isinstance(server, ssl.SSLSocket) and server.pending() > 0
                ready = [server] if waits else select.select(list(others), [], [])[0]
                for one in ready:
                    if (piece := _receive(one)) == b"":
                        return
                    others[one].sendall(piece or b"")


def _receive(one: socket.socket) -> bytes | None:
    """The bytes that have come; none: it has closed; None: those of TLS only."""
    one.settimeout(0)
    try:
        return one.recv(_PIECE)
    except (ssl.SSLWantReadError, BlockingIOError):
        return None
    finally:
        one.settimeout(_PATIENCE_S)
