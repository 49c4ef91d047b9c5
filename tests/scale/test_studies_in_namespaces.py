"""A study with its server on one machine, load from two, and links between them that are cut."""

from __future__ import annotations

import json
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from httpdyno.errors import ExitCode
from machine_cluster import GENERATORS, PROGRAM, MachineCluster, listening
from namespaces import COORDINATOR, GENERATOR_1, GENERATOR_2, SERVER, Namespaces

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

pytest.importorskip("distributed", reason="`distributed` of the extra `scale` is not installed")
pytest.importorskip("cryptography", reason="`cryptography` of the extra `scale` is not installed")

APP = """\
import asyncio, sys

REPLY = b"HTTP/1.1 200 OK\\r\\nContent-Type: text/plain\\r\\nContent-Length: 5\\r\\n"

class Answer(asyncio.Protocol):
    def connection_made(self, transport):
        self.transport, self.waiting = transport, b""

    def data_received(self, data):
        self.waiting += data
        while b"\\r\\n\\r\\n" in self.waiting:
            head, _, self.waiting = self.waiting.partition(b"\\r\\n\\r\\n")
            close = b"connection: close" in head.lower()
            self.transport.write(REPLY + (b"Connection: close\\r\\n" if close else b"") + b"\\r\\nHello")
            if close:
                self.transport.close()

async def main():
    server = await asyncio.get_running_loop().create_server(Answer, sys.argv[1], int(sys.argv[2]))
    await server.serve_forever()

asyncio.run(main())
"""
STUDY = """\
title = "My app"
blocks = {blocks}
warm_up = 0
[[arms]]
name = "mine"
start = "{{python}} app.py {{host}} {{port}}"
cwd = "app"
[[workloads.page.requests]]
path = "/"
expect = {{ status = 200, body = "Hello" }}
[loads.some]
kind = "requests"
rate = 100
connections = 8
duration = "{duration}"
"""


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MachineCluster]:
    with (
        Namespaces() as machines,
        MachineCluster(machines, tmp_path_factory.mktemp("cluster"), studies=True) as made,
    ):
        (made.home / "app").mkdir()
        (made.home / "app" / "app.py").write_text(APP)
        yield made


@pytest.fixture
def cluster(whole: MachineCluster) -> Iterator[MachineCluster]:
    yield whole
    whole.repair()


def arguments(cluster: MachineCluster, results: Path, blocks: int, duration: str) -> list[str]:
    study = cluster.home / f"{results.name}.toml"
    study.write_text(STUDY.format(blocks=blocks, duration=duration))
    return ["run", str(study), "--on", str(cluster.hosts), "--results", str(results)]


def result(results: Path) -> dict[str, Any]:
    document: dict[str, Any] = json.loads((results / "result.json").read_text())
    return document


def reasons(results: Path) -> list[list[str]]:
    """The codes of the reasons of each trial, in order."""
    return [[one["code"] for one in trial["reasons"]] for trial in result(results)["trials"]]


def started(cluster: MachineCluster, argv: list[str]) -> subprocess.Popen[str]:
    """A study that has begun to send load."""
    run = cluster.start(COORDINATOR, [*PROGRAM, *argv])
    cluster.wait_for_connections(run)
    return run


def wait_for_no_server(cluster: MachineCluster) -> None:
    """Wait until only its worker listens on the server's machine."""
    while len(listening(cluster.machines, SERVER)) > 1:
        pass


def test_server_and_load_are_on_machines_of_their_own_and_the_way_between_is_measured(
    cluster: MachineCluster, tmp_path: Path
) -> None:
    results = tmp_path / "whole"
    run = cluster.start(COORDINATOR, [*PROGRAM, *arguments(cluster, results, 2, "1s")])
    cluster.wait_for_connections(run)
    worker, server = sorted(
        listening(cluster.machines, SERVER), key=lambda one: one.startswith("10.0.0.")
    )
    assert worker.startswith(f"{cluster.machines.address(SERVER, 'control')}:")
    assert server.startswith(f"{cluster.machines.address(SERVER)}:")
    _, said = run.communicate()
    assert run.returncode == ExitCode.OK, said
    found = result(results)
    assert {(path["generator"], path["server"]) for path in found["paths"]} == {
        (GENERATOR_1, SERVER),
        (GENERATOR_2, SERVER),
    }
    assert {row["name"] for row in found["machines"]} == {COORDINATOR, *GENERATORS, SERVER}
    wait_for_no_server(cluster)


def test_a_server_whose_machine_is_cut_off_makes_the_trial_invalid_and_the_study_goes_on(
    cluster: MachineCluster, tmp_path: Path
) -> None:
    results = tmp_path / "cut"
    run = started(cluster, arguments(cluster, results, 2, "10s"))
    cluster.machines.cut(SERVER)
    assert run.stderr is not None
    said = ""
    for line in run.stderr:
        said += line
        if SERVER in line and "join" in line:
            break
    cluster.machines.restore(SERVER)
    said += run.communicate()[1]
    assert run.returncode == ExitCode.OK, said
    first, second = reasons(results)
    assert first == ["node_lost"], said
    assert "node_lost" not in second, said
    wait_for_no_server(cluster)


def test_a_killed_coordinator_leaves_no_server_and_no_load_and_can_resume(
    cluster: MachineCluster, tmp_path: Path
) -> None:
    results = tmp_path / "killed"
    argv = arguments(cluster, results, 1, "5s")
    run = started(cluster, argv)
    run.send_signal(signal.SIGKILL)
    run.communicate()
    cluster.wait_for_silence(*GENERATORS)
    wait_for_no_server(cluster)
    resumed = cluster.httpdyno(*argv, "--resume")
    assert resumed.returncode == ExitCode.OK, resumed.stderr
    assert len(reasons(results)) == 1
