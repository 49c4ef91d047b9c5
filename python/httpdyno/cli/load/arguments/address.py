"""The addresses that `httpdyno load` is given: the URL, and the proxy."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import unquote

from httpdyno.address import UNSAFE, Address, ascii_host, parse_url, split_url, with_scheme
from httpdyno.engine_plan import Proxy, Target, check_placeholders
from httpdyno.output.secrets import masked_url

__all__ = [
    "Address",
    "UrlParts",
    "basic",
    "check_url",
    "origin_of",
    "parse_proxy",
    "parse_url",
    "parse_url_parts",
    "with_scheme",
]

_EXPECTED_PROXY = "expected a proxy such as `http://proxy.example:3128`"
_WRONG_ESCAPE = re.compile(r"%(?![0-9a-f]{2})", re.IGNORECASE)
_CREDENTIALS = re.compile(r"(https?://)([^/?#]*)@", re.IGNORECASE)


@dataclass(frozen=True)
class UrlParts:
    """A URL in parts, and the credentials in it."""

    address: Address
    authorization: str | None = None
    """The value of `Authorization`."""


def check_url(text: str, names: Sequence[str] = ()) -> str:
    """The URL, if all its placeholders are right. Raises ValueError, without a credential in it."""
    return check_placeholders(text, names, is_secret=masked_url(text) != text)


def parse_url_parts(text: str) -> UrlParts:
    """Split a URL that may have a user and a password. Raises ValueError with what was expected."""
    found = _CREDENTIALS.match(text)
    if found is None:
        return UrlParts(parse_url(text))
    user, _, password = found[2].partition(":")
    bare = found[1] + text[found.end() :]
    return UrlParts(parse_url(bare), _basic_of(user, password))


def basic(user: str, password: str) -> str:
    """The credentials as the value of a header (RFC 7617)."""
    content = f"{user}:{password}".encode(errors="surrogateescape")
    return "Basic " + b64encode(content).decode("ascii")


def _basic_of(user: str, password: str) -> str:
    """The credentials of percent-encoded texts. Raises ValueError."""
    if _WRONG_ESCAPE.search(user + ":" + password):
        raise ValueError(
            "expected two hexadecimal digits after each `%` in the user and the password;"
            " write a `%` as `%25`"
        )
    return basic(*(unquote(text, errors="surrogateescape") for text in (user, password)))


def origin_of(target: Target) -> str:
    """Scheme, host and port of a server."""
    return Address(target.host, target.port, "/", target.tls is not None).origin


def parse_proxy(text: str) -> Proxy:
    """Split the address of a proxy into its parts. Raises ValueError with what was expected."""
    if UNSAFE.search(text) or not text.lower().startswith("http://"):
        raise ValueError(_EXPECTED_PROXY)
    parts, port = split_url(text, _EXPECTED_PROXY)
    if not parts.hostname or port == 0 or parts.path not in ("", "/") or parts.query:
        raise ValueError(_EXPECTED_PROXY)
    authorization = None
    if parts.username is not None:
        authorization = _basic_of(parts.username, parts.password or "")
    return Proxy(host=ascii_host(parts.hostname), port=port or 80, authorization=authorization)
