"""The URL of a load: where to connect, what to ask, and whether anyone is there."""

from __future__ import annotations

import re
import socket
from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

from httpdyno.engine_plan import Proxy, Target
from httpdyno.errors import EnvironmentFault, HttpdynoError, TargetError

__all__ = ["Address", "knock", "parse_proxy", "parse_url"]

_UNSAFE = re.compile(r"[\x00-\x20\x7f]")


@dataclass(frozen=True)
class Address:
    """A URL taken apart."""

    host: str
    """A name or an address; IPv6 without its brackets."""
    port: int
    path: str
    """Path and query, as they are sent."""
    tls: bool = False
    """Whether it begins with `https://`."""

    @property
    def authority(self) -> str:
        """The value of the Host header."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _port(self.tls) else f"{host}:{self.port}"


def parse_url(text: str) -> Address:
    """Take a URL apart. Raises ValueError with what was expected."""
    if not text.lower().startswith(("http://", "https://")):
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
    query = f"?{parts.query}" if parts.query else ""
    tls = parts.scheme == "https"
    return Address(parts.hostname, port or _port(tls), path + query, tls)


def parse_proxy(text: str) -> Proxy:
    """Take the address of a proxy apart. Raises ValueError with what was expected."""
    expected = "expected a proxy such as `http://proxy.example:3128`"
    if _UNSAFE.search(text) or not text.lower().startswith("http://"):
        raise ValueError(expected)
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError as wrong:
        raise ValueError(f"{expected} ({wrong})") from None
    if not parts.hostname or port == 0 or parts.path not in ("", "/") or parts.query:
        raise ValueError(expected)
    authorization = None
    if parts.username is not None:
        user = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
        authorization = "Basic " + b64encode(user.encode()).decode()
    return Proxy(host=parts.hostname, port=port or 80, authorization=authorization)


def _port(tls: bool) -> int:
    return 443 if tls else 80


def knock(
    target: Target, sources: Sequence[str], timeout_s: float, proxy: Proxy | None = None
) -> None:
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
            if proxy is not None:
                target = Target(host=proxy.host, port=proxy.port)
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
    tls = target.tls is not None
    where = target.unix or Address(target.host, target.port, "/", tls).authority
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
