"""Requests and replies as httperf prints them: each line with its kind and the call's number."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from httpdyno.compat.httperf.values import Printed

__all__ = ["printed_calls"]

_HEAD_END = b"\r\n\r\n"


def printed_calls(
    trace: Iterable[tuple[int, str, bytes]], requests: Printed | None, replies: Printed | None
) -> Iterator[bytes]:
    """The lines of a trace: (call, `request` or `reply`, bytes) in the order of the events."""
    for call, kind, content in trace:
        if kind == "request" and requests:
            yield from _request(call, content, requests)
        elif kind == "reply" and replies:
            yield from _reply(call, content, replies)


def _request(call: int, content: bytes, part: Printed) -> Iterator[bytes]:
    head, body = _split(content)
    if part != "body":
        yield from _lines(b"SH", call, head)
    if part != "header":
        yield from _lines(b"SB", call, body)
    yield b"SS%d: header %d content %d\n" % (call, len(head), len(body))


def _reply(call: int, content: bytes, part: Printed) -> Iterator[bytes]:
    head, rest = _split(content)
    body, footer = _unchunked(rest) if _is_chunked(head) else (rest, b"")
    if part != "body":
        yield from _lines(b"RH", call, head)
    if part != "header":
        yield from _lines(b"RB", call, body)
    sizes = call, len(head), len(body), len(footer)
    yield b"RS%d: header %d content %d footer %d\n" % sizes


def _lines(kind: bytes, call: int, text: bytes) -> Iterator[bytes]:
    """Each line, as it came: with its carriage return."""
    pieces = text.split(b"\n")
    for piece in pieces if pieces[-1] else pieces[:-1]:
        yield b"%s%d:%s\n" % (kind, call, piece)


def _split(content: bytes) -> tuple[bytes, bytes]:
    head, end, rest = content.partition(_HEAD_END)
    return head + end, rest


def _is_chunked(head: bytes) -> bool:
    lines = head.lower().split(b"\r\n")
    return any(
        line.startswith(b"transfer-encoding:") and line.endswith(b"chunked") for line in lines
    )


def _unchunked(rest: bytes) -> tuple[bytes, bytes]:
    """The content of chunks, and what follows the last one. Stops where it is no chunk."""
    body, at = bytearray(), 0
    while (end := rest.find(b"\r\n", at)) >= 0:
        try:
            size = int(rest[at:end].partition(b";")[0], 16)
        except ValueError:
            break
        at = end + 2
        if size <= 0:
            return bytes(body), rest[at:]
        body += rest[at : at + size]
        at += size + 2
    return bytes(body), b""
