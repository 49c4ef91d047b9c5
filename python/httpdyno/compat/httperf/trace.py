"""Requests and replies as httperf prints them: each line with its kind and the call's number."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from operator import itemgetter

from httpdyno.compat.httperf.values import PrintPart

__all__ = ["printed_calls"]

_LAST_LINE_OF_CHUNKS = 2


def printed_calls(
    trace: Iterable[tuple[int, str, bytes]], requests: PrintPart | None, replies: PrintPart | None
) -> Iterator[bytes]:
    """The lines of a trace, call by call: number, name of the part, and bytes."""
    for call, parts in itertools.groupby(trace, key=itemgetter(0)):
        whole: dict[str, bytes] = {}
        for _, name, content in parts:
            whole[name] = whole.get(name, b"") + content
        if requests and "request_head" in whole:
            yield from _request(call, whole, requests)
        if replies and "reply_head" in whole:
            yield from _reply(call, whole, replies)


def _request(call: int, whole: dict[str, bytes], part: PrintPart) -> Iterator[bytes]:
    head, body = whole["request_head"], whole.get("request_body", b"")
    if part != "body":
        yield from _lines(b"SH", call, head)
    if part != "header":
        yield from _lines(b"SB", call, body)
    yield b"SS%d: header %d content %d\n" % (call, len(head), len(body))


def _reply(call: int, whole: dict[str, bytes], part: PrintPart) -> Iterator[bytes]:
    head, body = whole["reply_head"], whole.get("reply_body", b"")
    if part != "body":
        yield from _lines(b"RH", call, head)
    if part != "header":
        yield from _lines(b"RB", call, body)
    footer = _LAST_LINE_OF_CHUNKS if _is_chunked(head) else 0
    yield b"RS%d: header %d content %d footer %d\n" % (call, len(head), len(body), footer)


def _lines(kind: bytes, call: int, text: bytes) -> Iterator[bytes]:
    """Each line, as it came: with its carriage return."""
    pieces = text.split(b"\n")
    for piece in pieces if pieces[-1] else pieces[:-1]:
        yield b"%s%d:%s\n" % (kind, call, piece)


def _is_chunked(head: bytes) -> bool:
    lines = head.lower().split(b"\r\n")
    return any(
        line.startswith(b"transfer-encoding:") and line.endswith(b"chunked") for line in lines
    )
