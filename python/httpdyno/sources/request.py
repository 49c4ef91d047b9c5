"""The requests that a source has, and the server that they go to."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from urllib.parse import quote

from httpdyno.address import Address, parse_url

__all__ = [
    "Source",
    "SourceError",
    "SourceRequest",
    "merge_requests",
    "one_origin",
    "server_and_path",
]

Header = tuple[str, str]

MOST_ORIGINS = 8
"""An error lists no more servers than this."""
_SENT_BY_US = frozenset(("connection", "content-length", "host", "keep-alive", "transfer-encoding"))
_KEPT = "!#$%&'()*+,/:;=?@[]~{}|"
"""Characters of a path that are sent as they are."""
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*://", re.IGNORECASE)
_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")


class SourceError(ValueError):
    """A source that cannot be read, with the place of the fault."""


@dataclass(frozen=True)
class SourceRequest:
    """One request as its source has it."""

    url: Address | None
    """None: the source has only paths."""
    path: str
    method: str = "GET"
    headers: tuple[Header, ...] = ()
    body: str | None = None
    body_file: str | None = None
    status: int | None = None
    """The status that is documented for a right reply."""
    weight: int = 1
    name: str | None = None


@dataclass(frozen=True)
class Source:
    """The requests of a source, in its order."""

    requests: Sequence[SourceRequest]
    notes: list[str] = field(default_factory=list)
    """Parts of the source that are left out, and those that have to be edited."""
    has_placeholders: bool = False
    """Its texts have placeholders; otherwise, each brace stands for itself."""
    insecure: bool = False
    """The certificate of the server is not checked."""
    http2: bool = False
    """The server is to speak HTTP/2."""


def server_and_path(url: str) -> tuple[Address, str]:
    """The server and the path of a URL, with what a browser would percent-encode. Raises
    SourceError."""
    text, _, _ = url.partition("#")
    scheme = _SCHEME.match(text)
    start = "" if scheme is None else scheme[0]
    rest = text[len(start) :]
    cut = re.search(r"[/?]", rest)
    host, path = (rest, "/") if cut is None else (rest[: cut.start()], rest[cut.start() :])
    path = path if path.startswith("/") else f"/{path}"
    try:
        at = parse_url(start + host)
    except ValueError as error:
        raise SourceError(f"a URL cannot be used: {error}") from None
    return at, encode_path(path)


def encode_path(path: str) -> str:
    """A path with its spaces and all outside of ASCII percent-encoded."""
    return quote(path, safe=_KEPT)


def kept_headers(headers: Sequence[Header]) -> tuple[Header, ...]:
    """The headers that a study can send: each once, without those of a connection.

    Raises SourceError for one that is none.
    """
    found: dict[str, Header] = {}
    for name, value in headers:
        key = name.lower()
        if key in _SENT_BY_US or name.startswith(":"):
            continue
        if _NAME.fullmatch(name) is None:
            raise SourceError(f"`{ascii(name)[1:-1][:40]}` is not the name of a header")
        if any((ord(one) < 32 and one != "\t") or ord(one) == 127 for one in value):
            raise SourceError(f"the header `{name}` has a line break or a control character")
        before = found.get(key)
        joined = "; " if key == "cookie" else ", "
        found[key] = (name, value) if before is None else (before[0], before[1] + joined + value)
    return tuple(found.values())


def merge_requests(requests: Sequence[SourceRequest]) -> list[SourceRequest]:
    """Requests that are equal become one of more weight, if that says as much in fewer."""
    counted = Counter(requests)
    return [replace(one, weight=times * one.weight) for one, times in counted.items()]


def one_origin(requests: Sequence[SourceRequest]) -> Address | None:
    """The only server of the requests; None: they have only paths. Raises SourceError with all
    servers, if there are several."""
    origins: Counter[Address] = Counter()
    for one in requests:
        if one.url is not None:
            origins[one.url] += one.weight
    if len(origins) > 1:
        listed = [f"`{at.origin}` ({times})" for at, times in origins.most_common(MOST_ORIGINS)]
        more = f" and {len(origins) - MOST_ORIGINS} more" if len(origins) > MOST_ORIGINS else ""
        raise SourceError(
            f"its requests go to {len(origins)} servers: {', '.join(listed)}{more}: expected one"
        )
    return next(iter(origins), None)
