"""The URL of a load: where to connect, what to ask, and whether anyone is there."""

from __future__ import annotations

import re
import socket
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from httpdyno.engine_plan import Target
from httpdyno.errors import EnvironmentFault, HttpdynoError, TargetError

__all__ = ["Address", "knock", "parse_url"]

_UNSAFE = re.compile(r"[\x00-\x20\x7f]")


@dataclass(frozen=True)
class Address:
    """A URL taken apart."""

    host: str
    """A name or an address; IPv6 without its brackets."""
    port: int
    path: str
    """Path and query, as they are sent."""

    @property
    def authority(self) -> str:
        """The value of the Host header."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == 80 else f"{host}:{self.port}"


def parse_url(text: str) -> Address:
    """Take a URL apart. Raises ValueError with what was expected."""
    if text.lower().startswith("https://"):
        raise ValueError("TLS is not there yet: expected a URL that begins with `http://`")
    if not text.lower().startswith("http://"):
        raise ValueError("expected a URL such as `http://localhost:8080/`")
    if _UNSAFE.search(text):
        raise ValueError("expected no space or control character; write a space as `%20`")
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError as wrong:
        raise ValueError(f"expected a URL such as `http://localhost:8080/` ({wrong})") from None
    if not parts.hostname or port == 0:
        raise ValueError("expected a host, and a port of 1 to 65535 if any")
    if parts.username is not None:
        raise ValueError("expected no user in the URL; send one with --header 'Authorization: …'")
    path = parts.path or "/"
    if not path.isascii() or not parts.query.isascii():
        raise ValueError("expected other than ASCII characters percent-encoded")
    return Address(parts.hostname, port or 80, path + (f"?{parts.query}" if parts.query else ""))


def knock(target: Target, sources: Sequence[str], timeout_s: float) -> None:
    """Connect once and hang up, so that a server that is not there costs a sentence, not a run.

    Raises TargetError: unknown name, refused, unreachable, too slow; EnvironmentFault: no
    permission, or a source address that is not this machine's.
    """
    for source in sources:
        _bind(source)
    try:
        if target.unix is not None:
            with socket.socket(socket.AF_UNIX) as door:
                door.settimeout(timeout_s)
                door.connect(target.unix)
        else:
            origin = (sources[0], 0) if sources else None
            socket.create_connection((target.host, target.port), timeout_s, origin).close()
    except OSError as refused:
        raise _nobody_there(target, refused, timeout_s) from refused


def _bind(source: str) -> None:
    family = socket.AF_INET6 if ":" in source else socket.AF_INET
    try:
        with socket.socket(family) as door:
            door.bind((source, 0))
    except OSError as refused:
        raise EnvironmentFault(
            f"`--source {source}` cannot be connected from: {refused.strerror}",
            hint="name an address of this machine: ip address",
        ) from refused


def _nobody_there(target: Target, refused: OSError, timeout_s: float) -> HttpdynoError:
    where = target.unix or Address(target.host, target.port, "/").authority
    if isinstance(refused, socket.gaierror):
        return TargetError(
            f"`{target.host}` cannot be resolved: expected the name or address of a host",
            hint="check the spelling, or use the address",
        )
    if isinstance(refused, PermissionError):
        return EnvironmentFault(f"`{where}`: this user may not connect to it ({refused.strerror})")
    if isinstance(refused, ConnectionRefusedError | FileNotFoundError):
        return TargetError(
            f"`{where}` refused the connection: expected a server to listen there",
            hint="start the server, or check the port; to try httpdyno itself: httpdyno reference",
        )
    if isinstance(refused, TimeoutError):
        return TargetError(
            f"`{where}` did not take a connection within {timeout_s:g} s",
            hint="check the address, or wait longer with --connect-timeout",
        )
    return TargetError(f"`{where}` cannot be reached: {refused.strerror or refused}")
