"""Plans whose requests are bytes, whose run makes no connection of its own, and which know wrong
statuses."""

from __future__ import annotations

import socket
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, replace
from threading import Thread

import pytest
from httpdyno import engine
from httpdyno.engine_plan import (
    Arrivals,
    Base64,
    EnginePlan,
    Expect,
    Request,
    SessionsLoad,
    Source,
    Stop,
    Target,
    to_json,
)
from httpdyno.engine_plan.reading import read, read_json
from httpdyno.errors import TargetError, UsageError

RAW = b"BREW  /pot?a b HTCPCP/1.0\r\nx:y\r\n\r\n"
REPLY = b"HTTP/1.1 418 I'm a teapot\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"


@contextmanager
def teapot(received: list[bytes]) -> Iterator[int]:
    """A server that keeps what each connection sent before its reply."""
    with socket.create_server(("127.0.0.1", 0)) as door:
        door.settimeout(60)
        thread = Thread(target=_serve, args=(door, received), daemon=True)
        thread.start()
        yield door.getsockname()[1]
        with socket.create_connection(door.getsockname()) as last:
            last.sendall(b"stop")
        thread.join()


def _serve(door: socket.socket, received: list[bytes]) -> None:
    while True:
        connection, _ = door.accept()
        with connection:
            connection.settimeout(60)
            content = connection.recv(65536)
            if content == b"stop":
                return
            received.append(content)
            if content:
                connection.sendall(REPLY)
                connection.recv(65536)


def plan(port: int, **parts: object) -> EnginePlan:
    raw = Request(path="/pot", raw=Base64(base64=b64encode(RAW).decode()))
    known = {"requests": [raw], "load": SessionsLoad(arrivals=None), "stop": Stop(count=3)}
    return read({"target": Target(port=port), **known, **parts})


def test_bytes_are_sent_as_they_are_and_no_connection_precedes_them() -> None:
    received: list[bytes] = []
    with teapot(received) as port:
        measured = engine.measure(plan(port, preflight=False))
    assert received == [RAW] * 3
    assert (measured.calls.wrong_status, measured.statuses) == (3, {"418": 3})


def test_by_default_one_connection_precedes_them() -> None:
    received: list[bytes] = []
    with teapot(received) as port:
        engine.measure(plan(port))
    assert received == [b"", RAW, RAW, RAW]


def test_an_absent_server_is_a_measurement_only_without_the_first_connection() -> None:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        port = held.getsockname()[1]
        measured = engine.measure(plan(port, preflight=False))
        assert measured.calls.errors == {"refused": 3}
        with pytest.raises(TargetError, match="refused"):
            engine.measure(plan(port))


@pytest.mark.parametrize(("wrong", "right"), [([], 3), ([404], 3), ([404, 418], 0)])
def test_any_status_is_right_that_is_not_named_as_wrong(wrong: list[int], right: int) -> None:
    raw = Base64(base64=b64encode(RAW).decode())
    request = Request(raw=raw, expect=Expect(status=[200], wrong_status=wrong))
    with teapot([]) as port:
        measured = engine.measure(plan(port, requests=[request], preflight=False))
    assert (measured.calls.ok, measured.calls.wrong_status) == (right, 3 - right)


def test_a_request_of_no_bytes_is_refused() -> None:
    empty = Request(path="/pot", raw=Base64(base64=""))
    with pytest.raises(UsageError, match="`GET /pot`: its bytes are empty"):
        engine.measure(plan(9, requests=[empty]))


def test_a_spread_beyond_the_mean_is_refused() -> None:
    too_wide = replace(Arrivals.steady(1), spread=1.5)
    with pytest.raises(ValueError, match="spread"):
        read_json(to_json(plan(80, load=SessionsLoad(arrivals=too_wide))))


def test_a_source_port_that_another_program_has_is_skipped() -> None:
    received: list[bytes] = []
    with teapot(received) as port, socket.create_server(("127.0.0.1", 0)) as other:
        taken = other.getsockname()[1]
        low = taken if taken < 65500 else taken - 30
        source = Source(addresses=["127.0.0.1"], ports=(low, low + 30))
        measured = engine.measure(plan(port, source=source, preflight=False))
    assert measured.calls.errors == {}
    assert len(received) == 3


def test_a_record_holds_the_digest_of_the_bytes() -> None:
    recorded = plan(9).without_secrets().requests[0]
    assert recorded.raw is not None
    assert asdict(recorded.raw)["length"] == len(RAW)
