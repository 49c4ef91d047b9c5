"""Each probe of HTTP/2 detects its feature, on servers that have it and on servers that lack it."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from functools import partial

import pytest
from httpdyno import _engine
from httpdyno.engine_plan import Target
from httpdyno.servers.check import http2_client as h2
from httpdyno.servers.check import http2_probes as probes
from httpdyno.servers.check.client import ReplyError
from httpdyno.servers.check.http2_client import Frame, frame
from httpdyno.servers.check.http2_probes import (
    HTTP2_PROBES,
    plain_http2_status,
    run_http2_probe,
)

from .scripted import Script, scripted

OK, NOT_FOUND, ERROR = b"\x88", b"\x8d", b"\x8e"


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probes, "TIMEOUT_S", 60.0)
    monkeypatch.setattr(probes, "CLOSE_S", 60.0)


def probe(script: Script, *names: str) -> dict[str, tuple[str, str]]:
    """The results of these probes, or of all."""
    with scripted(script) as port:
        at = Target(host="127.0.0.1", port=port)
        results = [run_http2_probe(at, "/pong", name, 200) for name in names or HTTP2_PROBES]
    return {row.name.removeprefix("HTTP/2 "): (row.answer, row.detail) for row in results}


def frames(connection: socket.socket) -> Iterator[Frame]:
    reader = connection.makefile("rb")
    assert reader.read(len(h2.PREFACE)) == h2.PREFACE
    while len(head := reader.read(9)) == 9:
        length, stream = int.from_bytes(head[:3], "big"), int.from_bytes(head[5:], "big")
        yield Frame(head[3], head[4], stream, reader.read(length))


def pages(connection: socket.socket, fault: str = "") -> None:
    """A server of one page, with one fault."""
    connection.sendall(frame(h2.SETTINGS, b"\0\x03\0\0\0\x32"))
    window, block, cancelled = 65_535, b"", 0
    for one in frames(connection):
        if one.kind == h2.SETTINGS and len(one.payload) == 12:
            window = int.from_bytes(one.payload[8:], "big")
        if one.kind == h2.PING and not one.flags & h2.ACK:
            answer = b"somebody" if fault == "PING" else one.payload
            connection.sendall(frame(h2.PING, answer, h2.ACK))
        if one.kind == 0xFA and fault == "unknown frame":
            connection.sendall(frame(h2.GOAWAY, b"\0\0\0\0\0\0\0\1"))
        if one.kind == h2.RST_STREAM:
            cancelled += 1
            if fault == "cancels, 50" and cancelled == 10:
                connection.sendall(frame(h2.GOAWAY, b"\0\0\0\0\0\0\0\x0b"))
                return
        if one.kind == h2.WINDOW_UPDATE and one.stream and window == 1:
            connection.sendall(frame(h2.DATA, b"ONG", h2.END_STREAM, one.stream))
        if one.kind in (h2.HEADERS, h2.CONTINUATION):
            if one.kind == h2.CONTINUATION and fault == "CONTINUATION":
                connection.sendall(frame(h2.RST_STREAM, b"\0\0\0\1", 0, one.stream))
                block = b""
                continue
            block += one.payload
            if not one.flags & h2.END_HEADERS:
                continue
            if one.stream % 2 == 0 and fault != "wrong stream":
                connection.sendall(frame(h2.GOAWAY, b"\0\0\0\0\0\0\0\1"))
                return
            connection.sendall(_page(one.stream, block, fault, window))
            block = b""


def _page(stream: int, block: bytes, fault: str, window: int) -> bytes:
    if fault == "streams, 100" and stream in range(51, 100):
        return frame(h2.RST_STREAM, b"\0\0\0\7", 0, stream)
    status = NOT_FOUND if b"no-such-page" in block and fault != "404" else OK
    if len(block) > 60_000 and fault == "oversized header":
        status = ERROR
    is_head = b"HEAD" in block and fault != "HEAD"
    if is_head:
        return frame(h2.HEADERS, status, h2.END_HEADERS | h2.END_STREAM, stream)
    head = frame(h2.HEADERS, status, h2.END_HEADERS, stream)
    if window == 1 and fault != "window":
        return head + frame(h2.DATA, b"P", 0, stream)
    return head + frame(h2.DATA, b"PONG", h2.END_STREAM, stream)


def test_a_well_behaved_server_passes_every_probe() -> None:
    found = probe(pages)
    assert {name: answer for name, answer in found.items() if answer[0] != "yes"} == {}
    assert found["streams, 100"][1] == "50 of 50 requests at once answered, allows 50"
    assert found["window"][1] == "waits for a window, then sends 4 bytes"
    assert found["wrong stream"][1] == "GOAWAY, code 1"


def test_the_reference_server_passes_every_probe() -> None:
    server = _engine.Reference("127.0.0.1:0", [("/pong", "text/plain", b"PONG")])
    host, _, port = server.address.rpartition(":")
    at = Target(host=host, port=int(port))
    try:
        results = [run_http2_probe(at, "/pong", name, 200) for name in HTTP2_PROBES]
        status = plain_http2_status(at, "/nothing")
    finally:
        server.stop()
    assert not [row for row in results if row.answer != "yes"]
    assert status == 404


@pytest.mark.parametrize(
    ("fault", "answer", "detail"),
    [
        ("streams, 100", "partly", "requests at once answered, allows 50"),
        ("PING", "no", "answered with other bytes"),
        ("unknown frame", "no", "ends the connection (GOAWAY, code 1)"),
        ("CONTINUATION", "no", "resets the stream (code 1)"),
        ("window", "no", "sent 4 bytes into a window of 1"),
        ("HEAD", "no", "a body of 4 bytes"),
        ("404", "no", "status 200"),
        ("oversized header", "partly", "status 500"),
        ("cancels, 50", "no", "after at most 50 cancelled requests: "),
    ],
)
def test_a_server_with_a_fault_fails_its_probe_and_no_other(
    fault: str, answer: str, detail: str
) -> None:
    found = probe(partial(pages, fault=fault))
    assert found[fault][0] == answer
    assert detail in found[fault][1]
    assert {name for name, (given, _) in found.items() if given != "yes"} == {fault}


def test_a_server_that_answers_on_streams_of_its_own_goes_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(probes, "CLOSE_S", 0.2)
    found = probe(partial(pages, fault="wrong stream"), "HTTP/2 wrong stream")
    assert found == {"wrong stream": ("no", "goes on")}


def hangs_up(connection: socket.socket) -> None:
    connection.recv(1)


def sends_a_huge_frame(connection: socket.socket) -> None:
    connection.sendall(b"\xff\xff\xff\0\0\0\0\0\1")
    connection.recv(65_536)


def sends_frames_without_end(connection: socket.socket) -> None:
    try:
        while True:
            connection.sendall(frame(0xFA) * 1000)
    except OSError:
        pass


def answers_in_http1(connection: socket.socket) -> None:
    connection.recv(65_536)
    connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")


def sends_another_field_first(connection: socket.socket) -> None:
    for one in frames(connection):
        if one.kind == h2.HEADERS:
            connection.sendall(frame(h2.HEADERS, b"\x40\x01\x1b\x01x", 5, one.stream))


@pytest.mark.parametrize(
    "hostile",
    [
        hangs_up,
        sends_a_huge_frame,
        sends_frames_without_end,
        answers_in_http1,
        sends_another_field_first,
    ],
)
def test_a_hostile_server_fails_every_probe_in_words(
    hostile: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(probes, "TIMEOUT_S", 2.0)
    found = probe(hostile)
    # A server that closes the connection on an oversized header does what it should.
    assert {answer for name, (answer, _) in found.items() if name != "oversized header"} <= {
        "no",
        "partly",
    }
    assert all(detail.isprintable() for _, detail in found.values())


def test_a_silent_server_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probes, "TIMEOUT_S", 0.2)

    def silent(connection: socket.socket) -> None:
        while connection.recv(65_536):
            pass

    found = probe(silent, "HTTP/2 PING", "HTTP/2 oversized header")
    assert found == dict.fromkeys(found, ("no", "nothing more within 0.2 s"))


CODES = ["00000", "00001", "00010", *(f"{0b011001 + digit:06b}" for digit in range(7))]


@pytest.mark.parametrize("status", [*range(200, 206), 304, 404, 431, 500, 503, 599])
@pytest.mark.parametrize("name", [0x08, 0x0E, 0x18, 0x48, 0x4E])
def test_a_status_is_read_in_every_form(status: int, name: int) -> None:
    digits = str(status)
    bits = "".join(CODES[int(digit)] for digit in digits)
    whole = bits + "1" * (-len(bits) % 8)
    packed = int(whole, 2).to_bytes(len(whole) // 8, "big")
    plain = bytes([name, 3]) + digits.encode()
    squeezed = bytes([name, 0x80 + len(packed)]) + packed
    for block in (plain, squeezed, b"\x20" + plain):
        assert h2._status(Frame(h2.HEADERS, h2.END_HEADERS, 1, block + b"\x88")) == status


@pytest.mark.parametrize("block", [b"", b"\x20", b"\x82", b"\x48", b"\x48\x83\xff", b"\x48\x03ab"])
def test_what_is_no_status_is_an_error_in_words(block: bytes) -> None:
    with pytest.raises(ReplyError, match="does not begin with a status"):
        h2._status(Frame(h2.HEADERS, h2.END_HEADERS, 1, block))
