"""The address to connect to: of the host or the proxy of a command line."""

from __future__ import annotations

import socket

from httpdyno.compat.ab.abort import Abort
from httpdyno.compat.ab.options import Options

__all__ = ["find_address"]

_LOOKUP = 670_000
"""APR's first number of an error of a name lookup."""
_UNKNOWN = "Name or service not known"


def find_address(options: Options) -> str | Abort:
    """The first address that accepts a connection; the last one if none does.

    A name with one address is not tried: the test itself finds out.
    """
    host, port = options.proxy or (options.url.host, options.url.port)
    family = 0
    if options.source is not None:
        family = socket.AF_INET6 if ":" in options.source else socket.AF_INET
    try:
        found = socket.getaddrinfo(host, port, family, socket.SOCK_STREAM)
    except (OSError, UnicodeError) as failed:
        number = _LOOKUP + abs(getattr(failed, "errno", None) or socket.EAI_NONAME)
        why = getattr(failed, "strerror", None) or _UNKNOWN
        return Abort(f"apr_sockaddr_info_get() for {host}: {why} ({number})", number)
    addresses = [str(place[0]) for *_, place in found]
    others = (address for address in addresses[:-1] if _accepts(address, port, options.timeout_s))
    return next(others, addresses[-1])


def _accepts(address: str, port: int, timeout_s: float) -> bool:
    try:
        socket.create_connection((address, port), timeout_s).close()
    except OSError:
        return False
    return True
