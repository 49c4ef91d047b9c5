"""The parts of a URL under which a server is reached."""

from __future__ import annotations

import re
import socket
from dataclasses import dataclass, replace
from urllib.parse import SplitResult, urlsplit

__all__ = [
    "UNSAFE",
    "Address",
    "ascii_host",
    "carrier_of",
    "family_of",
    "ip_of",
    "is_grpc",
    "parse_server",
    "parse_url",
    "split_url",
    "with_scheme",
]

UNSAFE = re.compile(r"[\x00-\x20\x7f]")
_WITHOUT_SCHEME = re.compile(
    r"(\[[0-9a-f:.%]+\]|[^\s:/?#@\[\]]+)(:[0-9]+)?([/?#].*)?", re.IGNORECASE
)
_CARRIERS = {"grpc": "http", "grpcs": "https"}
"""The scheme of HTTP that carries the calls of each."""
_EXPECTED = "expected a URL such as `http://localhost:8080/`"


@dataclass(frozen=True)
class Address:
    """The parts of a URL."""

    host: str
    """A name in ASCII or an address; IPv6 without its brackets."""
    port: int
    path: str
    """Path and query, as they are sent."""
    tls: bool = False
    """True if the scheme is `https`."""
    grpc: bool = False
    """True if the URL is one of gRPC."""

    @property
    def authority(self) -> str:
        """The value of the Host header."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _default_port(self.tls) else f"{host}:{self.port}"

    @property
    def origin(self) -> str:
        """Scheme, host and port: `http://localhost:8080`."""
        scheme = "grpc" if self.grpc else "http"
        return f"{scheme}{'s' if self.tls else ''}://{self.authority}"


def family_of(host: str) -> socket.AddressFamily:
    """IPv6 for an IPv6 address, else IPv4."""
    return socket.AF_INET6 if ":" in host else socket.AF_INET


def ip_of(host: str) -> str:
    """The IP address of a host, IPv4 if it has one. Raises OSError, and UnicodeError for a name
    that no host can have."""
    found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    return str(min(found, key=lambda one: one[0] != socket.AF_INET)[4][0])


def with_scheme(text: str) -> str:
    """Put `http://` before a host that is given without a scheme, as curl does."""
    return f"http://{text}" if _WITHOUT_SCHEME.fullmatch(text) else text


def parse_server(text: str) -> Address:
    """Split a URL of HTTP or of gRPC into its parts. Raises ValueError with what was expected."""
    return replace(parse_url(carrier_of(text)), grpc=is_grpc(text))


def is_grpc(text: str) -> bool:
    """True for a `grpc://` or `grpcs://` URL."""
    scheme, colon, _ = text.partition("://")
    return bool(colon) and scheme.lower() in _CARRIERS


def carrier_of(text: str) -> str:
    """The URL of HTTP that carries the calls of a URL of gRPC; any other text as it is."""
    scheme, _, rest = text.partition("://")
    return f"{_CARRIERS[scheme.lower()]}://{rest}" if is_grpc(text) else text


def parse_url(text: str) -> Address:
    """Split a URL into its parts. Raises ValueError with what was expected."""
    text = with_scheme(text)
    if is_grpc(text):
        raise ValueError(f"{_EXPECTED}, with http or https")
    if not text.lower().startswith(("http://", "https://")):
        raise ValueError(f"{_EXPECTED}, with http or https" if "://" in text else _EXPECTED)
    if UNSAFE.search(text):
        raise ValueError("expected no space or control character; write a space as `%20`")
    parts, port = split_url(text, _EXPECTED)
    if not parts.hostname or port == 0:
        raise ValueError("expected a host, and a port from 1 to 65535 if any")
    if parts.username is not None:
        raise ValueError(
            "expected no user or password; send them from a study, by a request's"
            ' `headers = { Authorization = "Basic ${NAME}" }` (NAME: base64 of USER:PASSWORD)'
        )
    path = parts.path or "/"
    if not path.isascii() or not parts.query.isascii():
        raise ValueError("expected characters outside of ASCII percent-encoded")
    query = f"?{parts.query}" if parts.query else ""
    tls = parts.scheme == "https"
    return Address(ascii_host(parts.hostname), port or _default_port(tls), path + query, tls)


def split_url(text: str, expected: str) -> tuple[SplitResult, int | None]:
    """A URL in parts, and its port. Raises ValueError with `expected`."""
    try:
        parts = urlsplit(text)
    except ValueError:  # its words may repeat a password
        raise ValueError(expected) from None
    try:
        return parts, parts.port
    except ValueError:
        raise ValueError(f"{expected}, with a port from 1 to 65535 if any") from None


def ascii_host(name: str) -> str:
    """The name as it is looked up (RFC 5890), in ASCII. Raises ValueError."""
    if ":" in name:
        return name
    try:
        return name.encode("idna").decode("ascii")
    except UnicodeError:
        raise ValueError(
            "expected a host whose name has 1 to 63 characters between its dots"
        ) from None


def _default_port(tls: bool) -> int:
    return 443 if tls else 80
