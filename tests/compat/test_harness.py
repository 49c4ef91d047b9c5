"""The harness itself: a small client plays both the real tool and ours."""

from __future__ import annotations

import http.client
import socket
import ssl
import sys
from pathlib import Path
from typing import get_args

import pytest

from .compare import (
    Order,
    assert_same,
    count_differences,
    near_differences,
    same_shape,
    shape_differences,
)
from .recorder import HOST, Recorder, refusing
from .replies import Reply, by_path, by_place, in_turn
from .tools import Both, certificate, run

CLIENT = """\
import http.client, sys
port, requests, label, replies = sys.argv[1:]
client = http.client.HTTPConnection("127.0.0.1", int(port))
for number in range(int(requests)):
    client.request("GET", f"/{number}", headers={"User-Agent": f"client of {label}"})
    client.getresponse().read()
client.close()
print(f"Server Port: {port}")
print(f"Total: requests {requests} {label} {replies} in 0.123 s")
"""


def played(folder: Path, *ours: str) -> Both:
    """The client as the real tool, and with other arguments as ours."""
    runs = []
    (folder / "client.py").write_text(CLIENT, encoding="utf-8")
    for name, words in (("real", ("3", "replies", "3")), ("ours", ours)):
        with Recorder() as server:
            command = [sys.executable, str(folder / "client.py")]
            ran = run(command, ["{port}", *words], HOST, server.port, folder / name)
        runs.append(ran.on(server.connections))
    return Both(*runs)


def test_two_runs_alike_are_the_same_in_spite_of_port_and_user_agent(tmp_path: Path) -> None:
    both = played(tmp_path, "3", "replies", "3")
    assert [request.line for request in both.ours.requests] == [
        f"GET /{number} HTTP/1.1" for number in range(3)
    ]
    for order in get_args(Order):
        assert_same(both, order=order, counts=["requests", "replies"], near={"in": 0.0})


@pytest.mark.parametrize(
    ("ours", "said"),
    [
        (("3", "answers", "3"), "+Total: requests 3 answers 3 in 0.123 s"),
        (("2", "replies", "3"), "-1 × GET /2 HTTP/1.1"),
        (("3", "replies", "2"), "count `replies`: 3 by the real tool, 2 by ours"),
    ],
    ids=["a changed label", "a missing request", "a changed count"],
)
def test_a_difference_is_seen_and_shown(tmp_path: Path, ours: tuple[str, ...], said: str) -> None:
    with pytest.raises(pytest.fail.Exception) as caught:
        assert_same(played(tmp_path, *ours), counts=["replies"])
    assert said in str(caught.value)


def test_numbers_match_numbers_of_the_same_format_only() -> None:
    assert same_shape("Net I/O: 1.5 KB/s (0.0*10^6 bps)", "Net I/O: 123.4 KB/s (1.0*10^6 bps)")
    assert not same_shape("Net I/O: 1.5 KB/s (0.0*10^6 bps)", "Net I/O: 1.5 KB/s (0.0*10^9 bps)")
    assert not same_shape("took 1.5 s", "took 1.50 s")
    assert not same_shape("Reply status: 1xx=0 2xx=10", "Reply status: 1xx=0 3xx=10")
    assert same_shape("Connect:        0    1   0.5", "Connect:       12  345  10.5")
    assert not same_shape("Connect:        0    1", "Connect:   0    1")
    assert not same_shape("Total: 5", "Total:  5")
    assert same_shape("Total:     5", "Total: 1234567")
    assert same_shape("Complete requests:      5", "Complete requests:      1234")
    assert not same_shape("Total: 5", "Total: nan")


def test_lines_may_be_left_out_or_optional() -> None:
    real, ours = ["first", "WARNING: 1", "last"], ["first", "Completed 10", "last"]
    assert shape_differences(real, ours)
    assert shape_differences(real, ours, without=["Completed"])
    assert not shape_differences(real, ours, optional=["WARNING", "Completed"])
    assert not shape_differences(real, ours, without=["WARNING|Completed"])
    assert shape_differences(["a", "b"], ["b", "a"])


def test_a_missing_count_is_never_equal() -> None:
    assert count_differences("a 1", "a 1", ["b"])
    assert not count_differences("a 1 b: 2", "b: 2 a 1", ["a", "b:"])
    assert near_differences("rate 100", "rate 80", {"rate": 0.1})
    assert not near_differences("rate 100", "rate 95", {"rate": 0.1})


def test_the_recorder_answers_by_its_script_and_records_how_connections_end() -> None:
    pages = by_path(
        {
            "/chunked": Reply(framing="chunked", body=b"x" * 2500, trailers=(("End", "yes"),)),
            "/slow": Reply(pieces=3, between_s=0.01, after_s=0.01),
            "/short": Reply(length=99, then="close"),
            "/reset": Reply(cut=0, then="reset"),
        }
    )
    with Recorder(pages) as server:
        client = http.client.HTTPConnection(HOST, server.port)
        for path, size in (("/chunked", 2500), ("/slow", 13), ("/none", 12)):
            client.request("POST", path, body=b"12345")
            assert len(client.getresponse().read()) == size
        client.request("GET", "/short")
        with pytest.raises(http.client.IncompleteRead):
            client.getresponse().read()
        client.close()
        client.request("GET", "/reset")
        with pytest.raises(ConnectionResetError):
            client.getresponse()
        client.close()
    first, second = server.connections
    assert [request.body for request in first.requests] == [b"12345"] * 3 + [b""]
    assert (first.ended, second.ended) == ("server closed", "server reset")
    assert first.source == HOST


def test_the_recorder_closes_and_keeps_as_the_version_asks() -> None:
    with Recorder(by_place(Reply(), Reply("503 No", b"busy"))) as server:
        for http_version, header, kept in (
            ("1.0", "", False),
            ("1.0", "Connection: Keep-Alive\r\n", True),
            ("1.1", "", True),
            ("1.1", "Connection: close\r\n", False),
        ):
            with socket.create_connection((HOST, server.port)) as client:
                text = f"GET / HTTP/{http_version}\r\nHost: a\r\n{header}\r\n".encode()
                client.sendall(text)
                assert client.recv(10_000).endswith(b"Hello, world!")
                if kept:
                    client.sendall(text)
                    assert client.recv(10_000).endswith(b"busy")
                else:
                    assert client.recv(10_000) == b""
    ended = [connection.ended for connection in server.connections]
    assert ended == ["server closed", "client closed", "client closed", "server closed"]


def test_the_recorder_keeps_what_was_no_request() -> None:
    with (
        Recorder(in_turn(Reply(raw=b"nonsense", then="hang"))) as server,
        socket.create_connection((HOST, server.port)) as client,
    ):
        client.sendall(b"GET / HTTP/1.1\r\n\r\nGET /more")
        assert client.recv(100) == b"nonsense"
        client.shutdown(socket.SHUT_WR)
    assert server.connections[0].rest == b"GET /more"


def test_the_recorder_speaks_tls(tmp_path: Path) -> None:
    with Recorder(tls=certificate(tmp_path)) as server:
        trusted = ssl.create_default_context(cafile=str(tmp_path / "server.pem"))
        client = http.client.HTTPSConnection("localhost", server.port, context=trusted)
        client.request("GET", "/")
        assert client.getresponse().read() == b"Hello, world!"
        client.close()
    assert len(server.requests) == 1


def test_nothing_listens_at_a_refusing_address() -> None:
    with refusing() as address, pytest.raises(ConnectionRefusedError):
        socket.create_connection((HOST, int(address.rpartition(":")[2])), timeout=5)
