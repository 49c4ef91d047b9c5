"""The port that a server listens on: on 127.0.0.1, or on the address that other machines load."""

from __future__ import annotations

import errno
import socket
from pathlib import Path
from time import monotonic, sleep

from httpdyno.address import family_of
from httpdyno.errors import EnvironmentFault

HOST = "127.0.0.1"
_FREE_WITHIN_S = 5.0


class PortTaken(EnvironmentFault):
    """Another program listens on the port."""

    def __init__(self, port: int) -> None:
        super().__init__(
            f"port `{port}` is taken by another program",
            hint=f"`ss -ltnp 'sport = :{port}'` shows which; without `--port` a free one is chosen",
        )


class OtherPortTaken(PortTaken):
    """A server found an address in use, although its own port is free: it may listen elsewhere."""

    def __init__(self, port: int, name: str, words: str) -> None:
        EnvironmentFault.__init__(
            self,
            f"`{name}` found an address in use, although its port `{port}` is free; its log ends:"
            f" {words}",
            hint="its command has to listen on `{port}`, which is also PORT in its environment",
        )


def free_port(host: str = HOST) -> int:
    """A port that is free now. Another program may take it before the server does.

    Raises EnvironmentFault when this machine does not have the address.
    """
    with socket.socket(family_of(host)) as probe:
        try:
            probe.bind((host, 0))
        except OSError as error:
            raise EnvironmentFault(
                f"no server can listen on `{host}`: {error.strerror}: expected an address of this"
                " machine",
                hint="`ip address` shows them",
            ) from None
        port: int = probe.getsockname()[1]
        return port


def require_free(port: int, host: str = HOST) -> None:
    """Raise EnvironmentFault when a server cannot listen on the port."""
    error = _bind_error(port, host)
    if error is None:
        return
    if error.errno in (errno.EACCES, errno.EPERM):
        raise EnvironmentFault(
            f"port `{port}` is reserved for root: expected one from {_first_open_port()} on",
            hint="without `--port`, httpdyno chooses a free one",
        )
    raise PortTaken(port)


def is_free(port: int, host: str = HOST) -> bool:
    """True when no program listens on the port; connections in TIME_WAIT do not count."""
    error = _bind_error(port, host)
    return error is None or error.errno != errno.EADDRINUSE


def becomes_free(port: int, host: str = HOST) -> bool:
    """True as soon as the port is free; False when it is not within some seconds."""
    deadline = monotonic() + _FREE_WITHIN_S
    while not is_free(port, host):
        if monotonic() > deadline:
            return False
        sleep(0.02)
    return True


def _bind_error(port: int, host: str) -> OSError | None:
    with socket.socket(family_of(host)) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            return error
        return None


def _first_open_port() -> int:
    """The lowest port that needs no privileges (ip(7))."""
    try:
        return int(Path("/proc/sys/net/ipv4/ip_unprivileged_port_start").read_text())
    except (OSError, ValueError):
        return 1024
