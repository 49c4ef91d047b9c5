"""The addresses that `httpdyno load` is given: the URL, and the proxy."""

from __future__ import annotations

from base64 import b64encode
from urllib.parse import unquote

from httpdyno.address import UNSAFE, Address, ascii_host, parse_url, split_url, with_scheme
from httpdyno.engine_plan import Proxy

__all__ = ["Address", "parse_proxy", "parse_url", "with_scheme"]

_EXPECTED_PROXY = "expected a proxy such as `http://proxy.example:3128`"


def parse_proxy(text: str) -> Proxy:
    """Split the address of a proxy into its parts. Raises ValueError with what was expected."""
    if UNSAFE.search(text) or not text.lower().startswith("http://"):
        raise ValueError(_EXPECTED_PROXY)
    parts, port = split_url(text, _EXPECTED_PROXY)
    if not parts.hostname or port == 0 or parts.path not in ("", "/") or parts.query:
        raise ValueError(_EXPECTED_PROXY)
    authorization = None
    if parts.username is not None:
        user = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
        encoded = b64encode(user.encode(errors="surrogateescape"))
        authorization = "Basic " + encoded.decode("ascii")
    return Proxy(host=ascii_host(parts.hostname), port=port or 80, authorization=authorization)
