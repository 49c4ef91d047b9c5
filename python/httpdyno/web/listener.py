"""The address of the page: its socket, and its token where other machines can reach it."""

from __future__ import annotations

import ipaddress
import secrets
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from urllib.parse import quote

from httpdyno.errors import EnvironmentFault, UsageError

DEFAULT = "127.0.0.1:8765"
BACKLOG = 512
TOKEN_BYTES = 24


@dataclass(frozen=True)
class Listener:
    """A socket that listens."""

    socket: socket.socket
    host: str
    """As in the link: a name or an address."""
    token: str | None
    """Needed for each request; None: only this machine can reach the page."""
    any_address: bool = False
    """It listens on all addresses of this machine."""

    @property
    def port(self) -> int:
        """The port, also where a free one was requested."""
        return int(self.socket.getsockname()[1])

    def link(self, path: str = "/") -> str:
        """The link to a page, with the token."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        plain = f"http://{host}:{self.port}{path}"
        return plain if self.token is None else f"{plain}?token={quote(self.token)}"


@contextmanager
def listen_at(
    address: str | None, *, or_free: bool = False, with_token: bool = False
) -> Iterator[Listener]:
    """Listens on `HOST:PORT` (None: the usual one); on a free port if that is taken and `or_free`.

    Addresses that other machines can reach have a token; `with_token`: this machine's own too.
    Raises UsageError for an unknown host, EnvironmentFault when the address cannot be used.
    """
    host, _, port = (address or DEFAULT).rpartition(":")
    host = host.strip("[]")
    family, ip = _resolve(host)
    own_only = ipaddress.ip_address(ip).is_loopback
    opened = _open(family, ip, int(port), or_free=or_free)
    any_address = ipaddress.ip_address(ip).is_unspecified
    token = None if own_only and not with_token else secrets.token_urlsafe(TOKEN_BYTES)
    shown = _outside_name() if any_address else host
    with opened:
        yield Listener(opened, shown, token, any_address)


def _resolve(host: str) -> tuple[socket.AddressFamily, str]:
    try:
        family, *_, place = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)[0]
    except (OSError, UnicodeError):
        raise UsageError(
            f"`{host}` is not a name or address of this machine",
            hint=f"listen on {DEFAULT}, or on 0.0.0.0:8765 for other machines",
        ) from None
    return family, str(place[0]).partition("%")[0]


def _open(family: socket.AddressFamily, ip: str, port: int, *, or_free: bool) -> socket.socket:
    opened = socket.socket(family, socket.SOCK_STREAM)
    try:
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        opened.bind((ip, port))
        opened.listen(BACKLOG)
    except OSError as error:
        opened.close()
        if or_free and port:
            return _open(family, ip, 0, or_free=False)
        raise EnvironmentFault(
            f"`{ip}:{port}`: cannot listen there: {error.strerror}",
            hint="`--listen 127.0.0.1:0` takes a free port",
        ) from None
    return opened


def _outside_name() -> str:
    """The address by which other machines reach this one, as far as its routes tell."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # of the documentation; nothing is sent
            return str(probe.getsockname()[0])
        except OSError:
            return socket.gethostname()
