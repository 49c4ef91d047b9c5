"""The requests of a test as bytes, and the order of their URIs."""

from __future__ import annotations

from base64 import b64encode

from httpdyno.compat.httperf.options import Options
from httpdyno.compat.httperf.values import WorkingSet
from httpdyno.engine_plan import Base64, Expect, Request

__all__ = ["USER_AGENT", "encode_request", "request", "rotation"]

USER_AGENT = "httperf/0.9.0"
"""As httperf sends it, so that requests have the same length and logs the same lines."""
MOST_PLACES = 100_000
"""Most requests before their order repeats."""
_FIRST_MISS = 11 / 2**48
"""The first number of an unseeded `drand48`, with which httperf begins."""


def encode_request(
    options: Options, uri: bytes, method: str | None = None, contents: bytes = b""
) -> bytes:
    """A request as httperf writes it."""
    lines = [b"%s %s HTTP/%s" % (_method(options, method).encode(), uri, options.http.encode())]
    lines.append(b"User-Agent: " + USER_AGENT.encode())
    if options.http == "1.0":
        lines.append(b"Connection: keep-alive")
    if options.host_header:
        lines.append(b"Host: " + (options.server_name or _in_url(options.server)).encode())
    head = b"".join(line + b"\r\n" for line in lines) + options.header
    if contents:
        head += b"Content-length: %d\r\n" % len(contents)
    return head + b"\r\n" + contents


def request(
    options: Options, uri: bytes, method: str | None = None, contents: bytes = b""
) -> Request:
    """A request of the engine's plan."""
    raw = encode_request(options, uri, method, contents)
    wrong = [options.failure_status] if options.failure_status and options.has_sessions else []
    return Request(
        method=_method(options, method),
        path=uri.decode(errors="backslashreplace"),
        raw=Base64(base64=b64encode(raw).decode()),
        expect=Expect(wrong_status=wrong),
    )


def rotation(options: Options, calls: int) -> list[bytes]:
    """The URIs of the first `calls` requests; after the last one they begin again."""
    if options.wlog is not None:
        return list(options.wlog.uris[:calls])
    if options.wset is None:
        return [options.uri]
    return _working_set(options.wset, options.uri, options.client, min(calls, MOST_PLACES))


def _working_set(
    files: WorkingSet, prefix: bytes, client: tuple[int, int], calls: int
) -> list[bytes]:
    """The walk through a working set, until it is back where it began."""
    place, stride = client[0] % files.files, client[1]
    digits = len(str(files.files - 1)) if files.files > 1 else 0
    miss = _FIRST_MISS
    found: list[bytes] = []
    begin = (place, round(miss, 9))
    while len(found) < calls:
        miss += files.miss_rate
        if miss >= 1:
            miss -= 1
            place = (place + stride) % files.files
        path = "".join(f"/{digit}" for digit in f"{place:0{digits}}"[:digits])
        found.append(prefix.removesuffix(b"/") + path.encode() + b".html")
        if (place, round(miss, 9)) == begin:
            break
    return found


def _in_url(host: str) -> str:
    """A host as in a URL: an IPv6 address is put in brackets."""
    return f"[{host}]" if ":" in host else host


def _method(options: Options, method: str | None) -> str:
    return method or options.method or "GET"
