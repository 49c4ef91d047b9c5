"""Verdicts that `load` must not get wrong, by the whole program against servers that fail."""

from __future__ import annotations

import json
import shlex
import shutil
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

import pytest
from httpdyno import engine
from httpdyno.cli.reference import served_pages

from .conftest import Program

if TYPE_CHECKING:
    from httpdyno import _engine

OK, INVALID = 0, 6
REPLY = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
CONNECTIONS = 5


@pytest.fixture
def server() -> Iterator[_engine.Reference]:
    with engine.reference(pages=served_pages()) as running:
        yield running


@contextmanager
def one_reply_each(after_s: float) -> Iterator[str]:
    """A server that answers one request a connection, no sooner than so long after, then dies."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=_serve, args=(listener, after_s), daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/"
        thread.join()


def _serve(listener: socket.socket, after_s: float) -> None:
    clients: list[socket.socket] = []
    with listener, ExitStack() as close:
        while len(clients) < CONNECTIONS:
            client = close.enter_context(listener.accept()[0])
            if client.recv(4096):  # A connection without a request only asks whether we are there.
                clients.append(client)
        time.sleep(after_s)
        for client in clients:
            client.sendall(REPLY)


@contextmanager
def answering(count: int, then: str) -> Iterator[str]:
    """A server that answers so many requests, then goes away, hangs, or answers after 3.5 s."""
    over = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=_answer, args=(listener, count, then, over), daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/"
        over.set()
        thread.join()


def _answer(listener: socket.socket, count: int, then: str, over: threading.Event) -> None:
    with listener, ExitStack() as close:
        client = close.enter_context(listener.accept()[0])
        # A connection without a request only asks whether we are there.
        while not client.recv(4096):
            client = close.enter_context(listener.accept()[0])
        for _ in range(count):
            client.sendall(REPLY)
            client.recv(4096)
        if then == "is late":
            time.sleep(3.5)
            client.sendall(REPLY)
        elif then == "hangs":
            over.wait(60)


def verdict(httpdyno: Program, *arguments: str) -> tuple[int, dict[str, Any]]:
    """The exit code, and what `--json` says."""
    answer = httpdyno("load", *arguments, "--json", "-")
    return answer.returncode, json.loads(answer.stdout)


@pytest.mark.parametrize("load", [[], ["--rate", "200"]], ids=["closed", "requests"])
def test_a_server_that_dies_after_the_warm_up_is_invalid(
    load: list[str], httpdyno: Program
) -> None:
    # The replies to the warm-up's calls come in the window, since the server withholds them longer
    # than the warm-up lasts; then nothing listens any more.
    flags = ["-c", f"{CONNECTIONS}", "--warm-up", "1s", "-d", "3s", *load]
    with one_reply_each(after_s=1.2) as address:
        code, said = verdict(httpdyno, address, *flags)
    assert said["measurement"]["completed_in_window"] == CONNECTIONS
    assert said["measurement"]["calls"]["ok"] == 0
    assert (code, said["verdict"]) == (INVALID, "invalid")
    assert [one["code"] for one in said["reasons"]][:2] == ["no_reply", "errors"]


@pytest.mark.parametrize("rate", [20, 50_000])
def test_an_overload_after_a_warm_up_is_called_overload(
    rate: int, httpdyno: Program, server: _engine.Reference
) -> None:
    # One connection and 100 ms a call are ten calls a second at most.
    url = f"http://{server.address}/hello?delay=100ms"
    flags = ["--rate", f"{rate}", "-c", "1", "--warm-up", "1s", "-d", "2s"]
    _, said = verdict(httpdyno, url, *flags)
    codes = [one["code"] for one in said["reasons"]]
    assert "overload" in codes
    assert "unsent" not in codes
    assert ("no_reply" in codes) == (said["measurement"]["calls"]["ok"] == 0)


def test_a_run_without_a_warm_up_has_no_queue_of_one_to_work_off(
    httpdyno: Program, server: _engine.Reference
) -> None:
    _, said = verdict(httpdyno, f"http://{server.address}/hello", "--rate", "50", "-n", "7")
    assert "backlog" not in [one["code"] for one in said["reasons"]]


def test_a_hint_can_be_pasted_behind_the_command_or_into_a_shell(
    httpdyno: Program, server: _engine.Reference
) -> None:
    command = [f"http://{server.address}/nowhere?a=1&b", "-n", "100"]
    code, said = verdict(httpdyno, *command)
    assert code == INVALID
    (hint,) = [one["hint"] for one in said["reasons"] if one["code"] == "wrong_replies"]
    curl, accept = hint.split("`")[1::2]
    assert accept == "--expect-status 404"
    assert verdict(httpdyno, *command, *shlex.split(accept))[0] == OK
    if shutil.which("curl") is None:
        pytest.skip("curl is not installed")
    asked = subprocess.run(curl, shell=True, capture_output=True, text=True, check=True)
    assert "HTTP/1.1 404" in asked.stderr


@pytest.mark.parametrize("then", ["goes away", "hangs"])
def test_the_answer_says_that_a_server_stopped_answering_and_when(
    then: str, httpdyno: Program
) -> None:
    with answering(100, then) as address:
        done = httpdyno("load", address, "-c", "1", "-d", "3s", "--drain", "100ms")
    assert done.returncode == INVALID
    headline = done.stdout.splitlines()[0]
    assert headline == "INVALID: no result: the server stopped answering after about 1 s"
    assert "stopped answering after about 1 s: no correct reply in the last 2 seconds" in (
        " ".join(done.stdout.split())
    )


def test_a_last_reply_that_only_the_drain_waits_for_does_not_end_a_server(
    httpdyno: Program,
) -> None:
    with answering(100, "is late") as address:
        _, said = verdict(httpdyno, address, "-c", "1", "-d", "3s")
    assert said["measurement"]["calls"]["ok"] > 0
    assert "stopped_answering" not in [one["code"] for one in said["reasons"]]
