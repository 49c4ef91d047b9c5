"""`load` asked to stop: at once, said at once, and with all that was measured."""

from __future__ import annotations

import signal
import socket
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from httpdyno.cli.load.output.record import LoadRecord
from httpdyno.cli.signals import SIGNALS

from .conftest import started

if TYPE_CHECKING:
    from httpdyno import _engine

INTERRUPTED = 130


def _wait_for_requests(server: _engine.Reference, count: int) -> None:
    given_up = time.monotonic() + 60
    while server.requests < count:
        assert time.monotonic() < given_up, "the load never began"
        time.sleep(0.01)


@pytest.mark.parametrize("number", SIGNALS)
def test_a_request_to_stop_keeps_what_was_measured(
    number: signal.Signals, server: _engine.Reference, tmp_path: Path
) -> None:
    url = f"http://{server.address}/hello"
    program = started(tmp_path, "load", url, "-d", "100s", "--json", "out.json")
    _wait_for_requests(server, 100)
    program.send_signal(number)
    shown, said = program.communicate(timeout=60)
    record = LoadRecord.model_validate_json((tmp_path / "out.json").read_text())
    assert program.returncode == INTERRUPTED
    assert record.measurement.stopped_by == "interrupt"
    assert record.measurement.calls.ok >= 100
    assert record.measurement.calls.in_flight == 0
    assert "(interrupted)" in shown
    assert "stopping: waiting for replies in flight, at most 5 s" in said


def test_a_second_request_waits_no_longer_and_keeps_what_was_measured(
    server: _engine.Reference, tmp_path: Path
) -> None:
    # No reply comes before the test would give up: only the second request can end this run.
    url = f"http://{server.address}/hello?delay=300s"
    patience = ["--timeout", "300s", "--drain", "300s"]
    program = started(tmp_path, "load", url, "-d", "300s", *patience, "--json", "out.json")
    _wait_for_requests(server, 1)
    program.send_signal(signal.SIGINT)
    assert program.stderr is not None
    while "stopping: waiting for" not in program.stderr.readline():
        assert program.poll() is None
    program.send_signal(signal.SIGINT)
    _, said = program.communicate(timeout=60)
    record = LoadRecord.model_validate_json((tmp_path / "out.json").read_text())
    assert program.returncode == INTERRUPTED
    assert said.startswith("stopping: not waiting any longer\n")
    assert record.measurement.calls.in_flight == 10


@pytest.mark.parametrize("number", SIGNALS)
def test_before_the_load_begins_a_request_to_stop_ends_the_program(
    number: signal.Signals, tmp_path: Path
) -> None:
    # A listener whose queue is full answers nobody: the program waits for its first connection.
    with socket.socket() as listener, socket.socket() as first, socket.socket() as second:
        listener.bind(("127.0.0.1", 0))
        listener.listen(0)
        for client in (first, second):
            client.setblocking(False)
            client.connect_ex(listener.getsockname())
        port = listener.getsockname()[1]
        before = _connecting(port)
        waits = ["--connect-timeout", "100s", "--json", "out.json"]
        program = started(tmp_path, "load", f"http://127.0.0.1:{port}/", *waits)
        given_up = time.monotonic() + 60
        while _connecting(port) == before:
            assert time.monotonic() < given_up, "the program never tried to connect"
            time.sleep(0.01)
        program.send_signal(number)
        shown, said = program.communicate(timeout=60)
    assert (program.returncode, shown, said) == (INTERRUPTED, "", "")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("number", SIGNALS)
def test_a_handshake_that_stalls_can_be_interrupted(number: signal.Signals, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"https://127.0.0.1:{silent.getsockname()[1]}/"
        program = started(tmp_path, "load", url, "--connect-timeout", "100s")
        silent.settimeout(60)
        peers = [silent.accept()[0]]
        while not peers[-1].recv(1):  # the first one only looks whether somebody is there
            peers.append(silent.accept()[0])
        program.send_signal(number)
        shown, said = program.communicate(timeout=60)
        for peer in peers:
            peer.close()
    assert (program.returncode, shown, said) == (INTERRUPTED, "", "")


def _connecting(port: int) -> int:
    """The number of connections to this port that are being opened (state 02)."""
    return Path("/proc/net/tcp").read_text().count(f"0100007F:{port:04X} 02 ")
