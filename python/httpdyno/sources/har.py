"""Reads HAR files, which browsers and proxies record (HAR 1.2).

Entries of static files, WebSockets and `data:` URLs are left out; equal requests become one with
a weight.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlencode, urlsplit

from httpdyno.address import Address
from httpdyno.sources.request import (
    Header,
    Source,
    SourceError,
    SourceRequest,
    kept_headers,
    merge_requests,
    server_and_path,
)

__all__ = ["read_har"]

MOST_ENTRIES = 100_000
_STATIC_TYPES = ("image/", "font/", "video/", "audio/", "text/css", "application/font")
_STATIC_SCRIPTS = ("javascript", "ecmascript", "wasm")
_STATIC_NAMES = (
    *(".css", ".js", ".mjs", ".map", ".png", ".jpg", ".jpeg", ".gif", ".svg", ".ico", ".webp"),
    *(".avif", ".woff", ".woff2", ".ttf", ".otf", ".mp4", ".webm", ".mp3", ".wasm"),
)
_LEFT_OUT = frozenset(("accept-encoding", "if-none-match", "if-modified-since"))
"""Headers that belong to the browser's own decoding and cache."""


def read_har(text: str, *, static: bool = False, origin: str | None = None) -> Source:
    """The requests of a recording; with `static`, those of static files too; with `origin`, only
    those to that server. Raises SourceError with the entry of the first fault."""
    try:
        document = json.loads(text)
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise SourceError(f"{place}: not JSON: {error.msg}") from None
    except (RecursionError, ValueError):
        raise SourceError("not a HAR file: its JSON is nested too deeply") from None
    entries = _of(_of(document, "log", dict), "entries", list)
    if len(entries) > MOST_ENTRIES:
        raise SourceError(f"it has {len(entries):,} entries: expected at most {MOST_ENTRIES:,}")
    left: Counter[str] = Counter()
    found = list(_requests(entries, left, static=static, origin=origin))
    notes = [f"{number:,} left out: {why}" for why, number in left.items()]
    if not found:
        more = f" ({'; '.join(notes)})" if notes else ""
        raise SourceError(f"no request that can be sent{more}")
    return Source(merge_requests(found), notes)


def _requests(
    entries: list[Any], left: Counter[str], *, static: bool, origin: str | None
) -> Iterator[SourceRequest]:
    for number, entry in enumerate(entries, 1):
        try:
            request = _of(entry, "request", dict)
            url = _of(request, "url", str)
            if not url.lower().startswith(("http://", "https://")):
                left["not HTTP"] += 1
            elif _is_upgraded(entry):
                left["a WebSocket"] += 1
            elif not static and _is_static(entry, url):
                left["static files (`--static` keeps them)"] += 1
            else:
                at, path = server_and_path(
                    url.replace("${", "$%7B")
                )  # names no variable of a study
                if origin is None or at.origin == origin:
                    yield _request(request, at, path)
                else:
                    left["another server than that of `--origin`"] += 1
        except SourceError as error:
            raise SourceError(f"entry {number}: {error}") from None


def _of(table: Any, key: str, kind: Any) -> Any:
    """A value of its kind. Raises SourceError."""
    value = table.get(key) if isinstance(table, dict) else None
    if not isinstance(value, kind):
        kinds = {dict: "an object", list: "a list", str: "a text"}
        raise SourceError(f"`{key}` is missing, or is not {kinds[kind]}: expected a HAR file")
    return value


def _request(request: dict[str, Any], at: Address, path: str) -> SourceRequest:
    headers = kept_headers(list(_headers(request)))
    method = _of(request, "method", str).upper()
    return SourceRequest(at, path, method, headers, _body(request))


def _headers(request: dict[str, Any]) -> Iterator[Header]:
    for one in request.get("headers") or ():
        name, value = _of(one, "name", str), _of(one, "value", str)
        if "${" in value:
            raise SourceError(f"the header `{ascii(name)[1:-1]}` has `${{`, which names a variable")
        if name.lower() not in _LEFT_OUT:
            yield name, value.replace("\n", ", ").strip()


def _body(request: dict[str, Any]) -> str | None:
    posted = request.get("postData")
    if not isinstance(posted, dict):
        return None
    text, params = posted.get("text"), posted.get("params")
    if isinstance(text, str) and text:
        return text
    if isinstance(params, list) and params:
        if any(isinstance(one, dict) and one.get("fileName") for one in params):
            raise SourceError("a form with a file cannot be sent again: expected its text")
        return urlencode([(_of(one, "name", str), str(one.get("value", ""))) for one in params])
    return None


def _is_upgraded(entry: dict[str, Any]) -> bool:
    response = entry.get("response")
    status = response.get("status") if isinstance(response, dict) else None
    return status == 101 or entry.get("_resourceType") == "websocket"


def _is_static(entry: dict[str, Any], url: str) -> bool:
    response = entry.get("response")
    content = response.get("content") if isinstance(response, dict) else None
    media_type = content.get("mimeType") if isinstance(content, dict) else None
    shown = media_type.lower() if isinstance(media_type, str) else ""
    if shown.startswith(_STATIC_TYPES) or any(one in shown for one in _STATIC_SCRIPTS):
        return True
    try:
        return urlsplit(url).path.lower().endswith(_STATIC_NAMES)
    except ValueError:
        return False
