"""The addresses that `httpdyno load` is given: the URL, and the proxy."""

from __future__ import annotations

import re
from base64 import b64encode
from dataclasses import dataclass
from urllib.parse import SplitResult, unquote, urlsplit

from httpdyno.engine_plan import Proxy

__all__ = ["Address", "parse_proxy", "parse_url", "with_scheme"]

_UNSAFE = re.compile(r"[\x00-\x20\x7f]")
_WITHOUT_SCHEME = re.compile(
    r"(\[[0-9a-f:.%]+\]|[^\s:/?#@\[\]]+)(:[0-9]+)?([/?#].*)?", re.IGNORECASE
)
_EXPECTED_URL = "expected a URL such as `http://localhost:8080/`"
_EXPECTED_PROXY = "expected a proxy such as `http://proxy.example:3128`"


@dataclass(frozen=True)
class Address:
    """The parts of a URL."""

    host: str
    """A name in ASCII or an address; IPv6 without its brackets."""
    port: int
    path: str
    """Path and query, as they are sent."""
    tls: bool = False
    """Whether the scheme is `https`."""

    @property
    def authority(self) -> str:
        """The value of the Host header."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _default_port(self.tls) else f"{host}:{self.port}"


def with_scheme(text: str) -> str:
    """Put `http://` before a host that is given without a scheme, as curl does."""
    return f"http://{text}" if _WITHOUT_SCHEME.fullmatch(text) else text


def parse_url(text: str) -> Address:
    """Split a URL into its parts. Raises ValueError with what was expected."""
    text = with_scheme(text)
    if not text.lower().startswith(("http://", "https://")):
        raise ValueError(_EXPECTED_URL)
    if _UNSAFE.search(text):
        raise ValueError("expected no space or control character; write a space as `%20`")
    parts, port = _split(text, _EXPECTED_URL)
    if not parts.hostname or port == 0:
        raise ValueError("expected a host, and a port from 1 to 65535 if any")
    if parts.username is not None:
        raise ValueError("expected no user or password; send them with -H 'Authorization: …'")
    path = parts.path or "/"
    if not path.isascii() or not parts.query.isascii():
        raise ValueError("expected characters outside of ASCII percent-encoded")
    query = f"?{parts.query}" if parts.query else ""
    tls = parts.scheme == "https"
    return Address(_host(parts.hostname), port or _default_port(tls), path + query, tls)


def parse_proxy(text: str) -> Proxy:
    """Split the address of a proxy into its parts. Raises ValueError with what was expected."""
    if _UNSAFE.search(text) or not text.lower().startswith("http://"):
        raise ValueError(_EXPECTED_PROXY)
    parts, port = _split(text, _EXPECTED_PROXY)
    if not parts.hostname or port == 0 or parts.path not in ("", "/") or parts.query:
        raise ValueError(_EXPECTED_PROXY)
    authorization = None
    if parts.username is not None:
        user = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
        encoded = b64encode(user.encode(errors="surrogateescape"))
        authorization = "Basic " + encoded.decode("ascii")
    return Proxy(host=_host(parts.hostname), port=port or 80, authorization=authorization)


def _split(text: str, expected: str) -> tuple[SplitResult, int | None]:
    try:
        parts = urlsplit(text)
        return parts, parts.port
    except ValueError:  # its words may repeat a password
        raise ValueError(expected) from None


def _host(name: str) -> str:
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
