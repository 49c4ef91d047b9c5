"""Each probe detects its feature, on servers that have it and on servers that lack it."""

from __future__ import annotations

import socket

import pytest
from httpdyno.servers.check import probes
from httpdyno.servers.check.probes import run_probe

from .scripted import Script, page, read_head, scripted


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Waits that a reply ends are long, for a busy machine; the silence of some servers is not."""
    monkeypatch.setattr(probes, "TIMEOUT_S", 60.0)
    monkeypatch.setattr(probes, "CLOSE_S", 60.0)
    monkeypatch.setattr(probes, "CONTINUE_S", 60.0)
    monkeypatch.setattr(probes, "OVERSIZED", 2048)


def probe(script: Script, *names: str) -> dict[str, tuple[str, str]]:
    """The results of these probes, or of all."""
    with scripted(script) as port:
        results = [run_probe("127.0.0.1", port, "/pong", name) for name in names or probes.PROBES]
    return {row.name: (row.answer, row.detail) for row in results}


def well_behaved(connection: socket.socket) -> None:
    while head := read_head(connection):
        body = b"" if head.startswith(b"HEAD") else b"PONG"
        reply = page(b"PONG").removesuffix(b"PONG") + body
        if b"no-such-page" in head:
            reply = page(b"", status="404 Not Found")
        keeps = b"HTTP/1.1" in head and b"Connection: close" not in head
        if b"Connection: keep-alive" in head:
            keeps, reply = True, reply.replace(b"\r\n", b"\r\nConnection: keep-alive\r\n", 1)
        connection.sendall(reply)
        if not keeps:
            return


def closes_each_time(connection: socket.socket) -> None:
    read_head(connection)
    connection.sendall(page(b"PONG").replace(b"\r\n", b"\r\nConnection: close\r\n", 1))


def drops_what_is_pipelined(connection: socket.socket) -> None:
    while head := connection.recv(65_536):
        while b"\r\n\r\n" not in head:
            head += connection.recv(65_536)
        connection.sendall(page(b"PONG"))


def says_nothing(connection: socket.socket) -> None:
    while connection.recv(65_536):
        pass


def waits_for_the_body(connection: socket.socket) -> None:
    head = read_head(connection)
    if b"Expect" in head:
        connection.recv(4)
    connection.sendall(page(b"PONG"))


def says_continue(connection: socket.socket) -> None:
    if b"Expect" in read_head(connection):
        connection.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
        connection.recv(4)
    connection.sendall(page(b"", status="405 Method Not Allowed"))


def is_strict(connection: socket.socket) -> None:
    head = read_head(connection)
    if len(head) > 1024:
        return
    status = "404 Not Found" if b"GET http://" in head else "200 OK"
    connection.sendall(page(b"PONG", status=status))


def chunks_to_the_old(connection: socket.socket) -> None:
    read_head(connection)
    connection.sendall(
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nPONG\r\n0\r\n\r\n"
    )


def test_a_well_behaved_server_passes_every_probe(monkeypatch: pytest.MonkeyPatch) -> None:
    closing = {"closes when asked", "HTTP/1.0", "HEAD"}
    found = probe(well_behaved, *closing)
    monkeypatch.setattr(probes, "CLOSE_S", 0.1)
    found |= probe(well_behaved, *(probes.PROBES.keys() - closing))
    assert {answer for answer, _ in found.values()} == {"yes"}, found
    assert len(found) == len(probes.PROBES)
    assert found["100-continue"][1] == "200 at once, without the body"
    assert found["oversized header"][1] == "status 200 (accepted)"


def test_a_server_that_closes_each_time_keeps_nothing_alive() -> None:
    found = probe(closes_each_time)
    assert found["keep-alive"] == ("no", "closes after 1 of 50 requests")
    assert found["HTTP/1.0 keep-alive"][0] == "no"
    assert found["pipelining, 2"][0] == "partly"
    assert found["closes when asked"][0] == "yes"
    assert found["404"] == ("no", "status 200")


def test_a_server_that_drops_pipelined_requests_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probes, "CLOSE_S", 0.1)
    alone = ("keep-alive", "closes when asked", "HTTP/1.0", "HTTP/1.0 keep-alive")
    found = probe(drops_what_is_pipelined, *alone)
    assert found["keep-alive"][0] == "yes"
    assert found["closes when asked"] == ("no", "still open 0.1 s after the reply")
    assert found["HTTP/1.0"][0] == "partly"
    assert found["HTTP/1.0 keep-alive"][0] == "partly"
    monkeypatch.setattr(probes, "TIMEOUT_S", 4)
    found = probe(drops_what_is_pipelined, "pipelining, 10")
    assert found == {"pipelining, 10": ("partly", "1 of 10 replies: nothing within 4 s")}


def test_a_silent_server_passes_no_probe_and_the_probes_still_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(probes, "TIMEOUT_S", 0.1)
    monkeypatch.setattr(probes, "CONTINUE_S", 0.1)
    found = probe(says_nothing)
    assert {answer for answer, _ in found.values()} == {"no"}, found


def test_chunks_are_not_for_http_1_0() -> None:
    answer, detail = probe(chunks_to_the_old, "HTTP/1.0")["HTTP/1.0"]
    assert (answer, detail) == ("no", "answers HTTP/1.1 200 in chunks, unknown to HTTP/1.0")


def test_a_client_that_waits_for_100_continue_is_seen_to_wait(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    name = "100-continue"
    assert probe(says_continue, name)[name] == ("yes", "100, then 405")
    monkeypatch.setattr(probes, "CONTINUE_S", 0.1)
    waits = ("partly", "no 100 within 0.1 s; 200 after the body")
    assert probe(waits_for_the_body, name)[name] == waits


def test_an_oversized_header_may_end_the_connection_and_the_absolute_form_must_be_known() -> None:
    found = probe(is_strict, "oversized header", "absolute-form URI")
    assert found["oversized header"][0] == "yes"
    assert found["oversized header"][1].startswith("closes the connection without a reply")
    assert found["absolute-form URI"] == ("no", "status 404")
