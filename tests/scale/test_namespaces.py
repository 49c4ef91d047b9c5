"""The machines of the tests: namespaces that reach each other, and nothing else."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from namespaces import COORDINATOR, LINKS, SERVER, Namespaces, is_alive, take_down_stale

ECHO = """
import socket, sys
server = socket.create_server((sys.argv[1], 7))
print("ready", flush=True)
while True:
    connection, _ = server.accept()
    while data := connection.recv(100):
        connection.sendall(data)
"""
ASK = """
import socket, sys
connection = socket.create_connection((sys.argv[1], 7), timeout=float(sys.argv[2]))
for line in sys.stdin:
    connection.sendall(line.encode())
    print(connection.recv(100).decode(), end="", flush=True)
"""
PATIENT, IMPATIENT = "60", "0.5"


@pytest.fixture(scope="module")
def machines() -> Iterator[Namespaces]:
    with Namespaces((COORDINATOR, SERVER)) as made:
        for link in LINKS:
            echo = made.start(SERVER, script(ECHO, made.address(SERVER, link)), **PIPED)
            assert echo.stdout is not None
            assert echo.stdout.readline() == "ready\n"
        yield made


def script(text: str, *arguments: str) -> list[str]:
    return [sys.executable, "-c", text, *arguments]


def ask(
    machines: Namespaces, address: str, patience_s: str = PATIENT
) -> subprocess.CompletedProcess[str]:
    return machines.run(COORDINATOR, script(ASK, address, patience_s), input="hello\n")


PIPED: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}


class Talk:
    """A connection that stays open, from the coordinator to the server."""

    def __init__(self, machines: Namespaces, link: str) -> None:
        argv = script(ASK, machines.address(SERVER, link), PATIENT)
        self._process = machines.start(COORDINATOR, argv, **PIPED)

    def says(self, line: str) -> str:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{line}\n")
        self._process.stdin.flush()
        return self._process.stdout.readline().rstrip("\n")

    def end(self) -> None:
        self._process.communicate()


@pytest.mark.parametrize("link", LINKS)
def test_machines_reach_each_other_by_each_link(machines: Namespaces, link: str) -> None:
    assert ask(machines, machines.address(SERVER, link)).stdout == "hello\n"


@pytest.mark.parametrize("elsewhere", ["127.0.0.1", "192.0.2.1"])
def test_machines_reach_nothing_else(machines: Namespaces, elsewhere: str) -> None:
    refused = ask(machines, elsewhere)
    assert refused.returncode != 0
    assert "Connection refused" in refused.stderr or "unreachable" in refused.stderr


def test_a_cut_link_carries_nothing_and_the_other_one_goes_on(machines: Namespaces) -> None:
    machines.cut(SERVER, "load")
    try:
        assert ask(machines, machines.address(SERVER, "load"), IMPATIENT).returncode != 0
        assert ask(machines, machines.address(SERVER, "control")).stdout == "hello\n"
    finally:
        machines.restore(SERVER, "load")
    assert ask(machines, machines.address(SERVER, "load")).stdout == "hello\n"


def test_a_connection_outlives_a_short_cut(machines: Namespaces) -> None:
    talk = Talk(machines, "control")
    assert talk.says("before") == "before"
    machines.cut(SERVER)
    machines.restore(SERVER)
    assert talk.says("after") == "after"
    talk.end()


def test_a_delayed_link_delays_each_way_until_it_is_taken_away(machines: Namespaces) -> None:
    talk = Talk(machines, "load")
    talk.says("connected")
    machines.delay(SERVER, 40)
    began = time.monotonic()
    assert talk.says("slow") == "slow"
    assert time.monotonic() - began >= 0.08
    machines.delay(SERVER, 0)
    assert talk.says("again") == "again"
    talk.end()


def test_tcp_gets_through_a_link_that_loses_packets(machines: Namespaces) -> None:
    machines.delay(SERVER, 1, loss=0.2)
    talk = Talk(machines, "load")
    assert [talk.says(str(number)) for number in range(5)] == [str(number) for number in range(5)]
    talk.end()
    machines.delay(SERVER, 0)


def test_machines_of_a_killed_process_are_taken_down_by_the_next(tmp_path: Path) -> None:
    made = tmp_path / "made"
    text = f"""
import os, signal, subprocess, sys, pathlib
from namespaces import Namespaces
machines = Namespaces(("coordinator",)).__enter__()
silent = {{"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}}
asleep = machines.start("coordinator", ["sleep", "1000"], **silent)
pathlib.Path({str(made)!r}).write_text(machines.command("coordinator", [])[-1] + f" {{asleep.pid}}")
os.kill(os.getpid(), signal.SIGKILL)
"""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        script(text), env=environment, capture_output=True, text=True, check=False
    )
    if not made.exists():
        pytest.skip(done.stderr.strip().splitlines()[-1])
    namespace, asleep = made.read_text().split()
    take_down_stale()
    assert namespace not in subprocess.check_output(["ip", "netns", "list"], text=True)
    assert not is_alive(int(asleep))
