"""Clients that send or read slowly are dropped, and cost the others nothing."""

from __future__ import annotations

import socket
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from http.client import HTTPConnection
from pathlib import Path

import psutil
import pytest
from httpdyno.running.live.identity import Identity
from httpdyno.running.live.journal import Journal, folder_of
from httpdyno.web import page_server, protocol, security
from httpdyno.web.listener import Listener, listen_at
from httpdyno.web.live import feed
from httpdyno.web.server import serving

pytestmark = pytest.mark.timeout(120)

HEAD = "{} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n"


@pytest.fixture
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Listener]:
    """A page server in this process, with limits of a moment."""
    for name in ("STATE", "DATA", "CACHE"):
        monkeypatch.setenv(f"HTTPDYNO_{name}", str(tmp_path / name))
    monkeypatch.setattr(protocol, "REQUEST_S", 0.3)
    monkeypatch.setattr(protocol, "READ_S", 0.3)
    monkeypatch.setattr(security, "BODY_S", 0.3)
    monkeypatch.setattr(feed, "EVERY_S", 0.02)
    monkeypatch.setattr(feed, "MOST_VIEWERS", 20)
    monkeypatch.setattr(page_server, "MOST_CONNECTIONS", 40)
    with listen_at("127.0.0.1:0") as listening, serving(listening, tmp_path):
        yield listening


@contextmanager
def connected(page: Listener, buffer: int | None = None) -> Iterator[socket.socket]:
    with socket.socket() as client:
        if buffer is not None:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
        client.connect(("127.0.0.1", page.port))
        yield client


def answered(page: Listener) -> bool:
    connection = HTTPConnection("127.0.0.1", page.port)
    connection.request("GET", "/static/icon.svg")
    status = connection.getresponse().status
    connection.close()
    return status == 200


@pytest.mark.parametrize("begun", ["", "G", "GET / HTTP/1.1\r\nHost: 127"], ids=len)
def test_who_never_ends_the_head_of_a_request_is_dropped(page: Listener, begun: str) -> None:
    with connected(page) as client:
        client.sendall(begun.encode())
        assert is_dropped(client)
    assert answered(page)


def test_who_never_ends_the_head_of_a_second_request_is_dropped(page: Listener) -> None:
    with connected(page) as client:
        first = HEAD.format("GET /missing", page.port) + "\r\n"
        client.sendall(first.encode())
        received = b""
        while b"</html>" not in received:
            received += client.recv(4096)
        client.sendall(b"GET / HTTP/1.1\r\n")
        assert is_dropped(client)


def test_who_never_ends_a_form_is_refused(page: Listener) -> None:
    with connected(page) as client:
        head = HEAD.format("POST /start/study", page.port)
        client.sendall(f"{head}Content-Length: 100\r\n\r\nsecret=".encode())
        assert client.recv(4096).startswith(b"HTTP/1.1 408")


def test_a_form_without_an_end_is_refused_whatever_its_size(page: Listener) -> None:
    with connected(page) as client:
        head = HEAD.format("POST /start/study", page.port)
        client.sendall(f"{head}Transfer-Encoding: chunked\r\n\r\n".encode())
        for _ in range(40):
            client.sendall(b"400\r\n" + b"x" * 0x400 + b"\r\n")
        assert client.recv(4096).startswith(b"HTTP/1.1 413")


def test_a_viewer_that_reads_nothing_is_dropped_and_one_that_reads_is_not(page: Listener) -> None:
    # With a small buffer of the client, what it does not read stays with the server.
    with (
        journal_of_this_process() as journal,
        connected(page, 4096) as silent,
        connected(page) as reading,
    ):
        for client in (silent, reading):
            client.sendall(stream_of_this_process(page))
        reading.settimeout(0.05)
        number = 0
        while not is_reset(silent):
            number += 1
            journal.add("note", text=f"{number} {'x' * 2000}")
            read_for_a_moment(reading)
        journal.add("note", text="the last one")
        read = b""
        while b"the last one" not in read:
            read = read[-100:] + read_for_a_moment(reading)


def test_a_request_is_answered_at_once_beside_more_idle_connections_than_the_limit(
    page: Listener, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(protocol, "REQUEST_S", 600.0)
    most = page_server.most_connections()
    with ExitStack() as opened:
        for _ in range(3):
            idle = [opened.enter_context(connected(page)) for _ in range(most)]
        assert answered(page)
        assert descriptors_to(page) <= most
        assert not is_reset(idle[-1])


def test_a_connection_with_a_request_is_kept_before_those_without(
    page: Listener, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(protocol, "REQUEST_S", 600.0)
    with ExitStack() as opened, journal_of_this_process() as journal:
        viewer = opened.enter_context(connected(page))
        viewer.sendall(stream_of_this_process(page))
        assert viewer.recv(4096).startswith(b"HTTP/1.1 200")
        for _ in range(2 * page_server.most_connections()):
            opened.enter_context(connected(page))
        assert answered(page)
        journal.add("note", text="the last one")
        read = b""
        while b"the last one" not in read:
            read += (part := viewer.recv(1 << 16))
            assert part


def test_viewers_that_come_together_are_not_more_than_the_limit(
    page: Listener, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(protocol, "REQUEST_S", 600.0)
    with ExitStack() as opened, journal_of_this_process():
        viewers = [opened.enter_context(connected(page)) for _ in range(feed.MOST_VIEWERS + 10)]
        for viewer in viewers:
            viewer.sendall(stream_of_this_process(page))
        statuses = Counter(viewer.recv(4096).split()[1] for viewer in viewers)
    assert statuses == {b"200": feed.MOST_VIEWERS, b"503": 10}


@contextmanager
def journal_of_this_process() -> Iterator[Journal]:
    own = Identity.own()
    journal = Journal(folder_of(own.key))
    journal.add("begin", verb="run", command="x", title="x", boot=own.boot)
    yield journal
    journal.close()


def stream_of_this_process(page: Listener) -> bytes:
    """The request of a viewer."""
    path = f"/live/{Identity.own().key}/events"
    return f"{HEAD.format(f'GET {path}', page.port)}\r\n".encode()


def descriptors_to(page: Listener) -> int:
    """The connections that the page, in this process, has open."""
    found = psutil.Process().net_connections("tcp")
    return sum(one.laddr.port == page.port and one.status == "ESTABLISHED" for one in found)


def read_for_a_moment(client: socket.socket) -> bytes:
    """All that can be read now; the connection is open."""
    read = b""
    with suppress(TimeoutError):
        while len(read) < 1 << 20:
            read += (part := client.recv(1 << 16))
            assert part
    return read


def is_dropped(client: socket.socket) -> bool:
    """Waits for the end of the connection."""
    try:
        return client.recv(1) == b""
    except ConnectionResetError:
        return True


def is_reset(client: socket.socket) -> bool:
    """True once the other side has given the connection up."""
    return client.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR) != 0
