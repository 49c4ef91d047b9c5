"""A study with its server on one machine, load from two, and links between them that are cut."""

from __future__ import annotations

import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from httpdyno.errors import ExitCode
from httpdyno.result import StudyResult
from httpdyno.store import open_store
from machine_cluster import GENERATORS, PROGRAM, MachineCluster, listening, read_until
from namespaces import COORDINATOR, GENERATOR_1, GENERATOR_2, LINKS, SERVER, Namespaces

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

pytest.importorskip("distributed", reason="`distributed` of the extra `scale` is not installed")
pytest.importorskip("cryptography", reason="`cryptography` of the extra `scale` is not installed")

APP = """\
import asyncio, sys

REPLY = b"HTTP/1.1 200 OK\\r\\nContent-Type: text/plain\\r\\nContent-Length: %d\\r\\n"
BODY = b"Hello" if len(sys.argv) < 4 else b"x" * int(sys.argv[3])

class Answer(asyncio.Protocol):
    def connection_made(self, transport):
        self.transport, self.waiting = transport, b""

    def data_received(self, data):
        self.waiting += data
        while b"\\r\\n\\r\\n" in self.waiting:
            head, _, self.waiting = self.waiting.partition(b"\\r\\n\\r\\n")
            close = b"connection: close" in head.lower()
            last = b"Connection: close\\r\\n" if close else b""
            self.transport.write(REPLY % len(BODY) + last + b"\\r\\n" + BODY)
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


def result(results: Path) -> StudyResult:
    return StudyResult.model_validate_json((results / "result.json").read_text())


def reasons(cluster: MachineCluster, results: Path) -> list[list[str]]:
    """The codes of the reasons of each trial, in order."""
    store = open_store(f"sqlite:///{cluster.home}/{COORDINATOR}/data/results.sqlite")
    run = store.newest_of(results.name)
    assert run is not None
    return [[one.code for one in trial.reasons] for trial in store.trials(run.id)]


def started(cluster: MachineCluster, argv: list[str]) -> subprocess.Popen[str]:
    """A study that has begun to send load."""
    run = cluster.start(COORDINATOR, [*PROGRAM, *argv])
    read_until(run, "generator ceiling ", run.stderr)
    cluster.wait_for_connections(run)
    return run


def wait_for_no_server(cluster: MachineCluster) -> None:
    """Wait until only its worker listens on the server's machine."""
    deadline = time.monotonic() + 60
    while len(listening(cluster.machines, SERVER)) > 1:
        assert time.monotonic() < deadline, "the server still listens"


def test_server_and_load_are_on_machines_of_their_own_and_the_way_between_is_measured(
    cluster: MachineCluster, tmp_path: Path
) -> None:
    results = tmp_path / "whole"
    run = started(cluster, arguments(cluster, results, 1, "2s"))
    own = tuple(f"{cluster.machines.address(SERVER, link)}:" for link in LINKS)
    assert all(one.startswith(own) for one in listening(cluster.machines, SERVER))
    _, said = run.communicate()
    assert run.returncode == ExitCode.OK, said
    found = result(results)
    assert {(path.generator, path.server) for path in found.paths} == {
        (GENERATOR_1, SERVER),
        (GENERATOR_2, SERVER),
    }
    assert {row.name for row in found.machines} == {COORDINATOR, *GENERATORS, SERVER}
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
    first, second = reasons(cluster, results)
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
    killed = time.monotonic()
    cluster.wait_for_silence(*GENERATORS)
    wait_for_no_server(cluster)
    assert time.monotonic() - killed < 20  # 10 s are promised, on a machine that is not busy
    resumed = cluster.httpdyno(*argv, "--resume")
    assert resumed.returncode == ExitCode.OK, resumed.stderr
    assert len(reasons(cluster, results)) == 1


SLOW = """\
title = "A slow network"
blocks = 1
warm_up = 0
[[arms]]
name = "mine"
start = "{python} app.py {host} {port} 4000"
cwd = "app"
[[workloads.page.requests]]
path = "/"
expect = { status = 200 }
[loads.full]
kind = "closed"
connections = 32  # so many replies queue that the wire stays full when the sender is late
duration = "2s"
[loads.some]
kind = "requests"
rate = 30
connections = 8
duration = "2s"
"""
MS, MTU, BITS_PER_S = 5, 1400, 4e6


def test_a_server_that_is_faster_than_its_network_is_told_from_one_that_is_not(
    cluster: MachineCluster, tmp_path: Path
) -> None:
    machines, results = cluster.machines, tmp_path / "slow"
    study = cluster.home / "slow.toml"
    study.write_text(SLOW)
    machines.run(SERVER, ["ip", "link", "set", "load", "mtu", str(MTU)])
    machines.delay(SERVER, MS, bits_per_s=BITS_PER_S)
    try:
        run = cluster.httpdyno(
            "run", str(study), "--on", str(cluster.hosts), "--results", str(results)
        )
    finally:
        machines.delay(SERVER, 0)
        machines.run(SERVER, ["ip", "link", "set", "load", "mtu", "1500"])
    assert run.returncode == ExitCode.OK, run.stderr
    found = result(results)
    for path in found.paths:
        assert path.round_trip_min_s >= 2 * MS / 1000
        assert path.mtu == MTU
        assert path.carried_bits_per_s is not None
        assert 0.5 * BITS_PER_S < path.carried_bits_per_s < 1.1 * BITS_PER_S
    said = " ".join(run.stderr.split())
    assert "all paths together carry " in said
    assert "the network carries at most about " in said
    told = {
        cell.load: [one.text for one in cell.reasons if one.code == "wire_limit"]
        for cell in found.cells
    }
    assert told["some"] == []
    (sentence,) = told["full"]
    assert "the network is the bottleneck: the load generators received " in sentence
    assert "over a network that carried " in sentence
    assert "ceiling" not in {one.code for cell in found.cells for one in cell.reasons}
