"""A machine that is lost, stopped, foreign or old ends a load with its name and the reason."""

from __future__ import annotations

import re
import signal
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import psutil
import pytest
from machines import Machines, Process, with_patch

if TYPE_CHECKING:
    from httpdyno import _engine

pytestmark = pytest.mark.slow

pytest.importorskip("distributed", reason="`distributed` of the extra `scale` is not installed")
pytest.importorskip("cryptography", reason="`cryptography` of the extra `scale` is not installed")

PROMISED_S = 10
"""Load and server of a killed coordinator have ended by then, on a machine that is not busy."""
LONG = ["--rate", "100", "--duration", "300s"]
CLOCK = "import time\nreal = time.time_ns\ntime.time_ns = lambda: real() + 10 * 10**9\n"
NO_CLOCK = "import httpdyno.scale.agent\ndel httpdyno.scale.agent.Agent.clock\n"
OLD = "import httpdyno\nhttpdyno.__version__ = '0.0.9'\n"


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[Machines]:
    """Two machines that one test may break."""
    with Machines(tmp_path) as cluster:
        yield cluster.start_all()


def url(server: _engine.Reference) -> str:
    return f"http://{server.address}/hello"


def until(condition: object, within_s: float = 60.0) -> None:
    deadline = time.monotonic() + within_s
    while not condition():  # type: ignore[operator]
        assert time.monotonic() < deadline, "it never came"
        time.sleep(0.05)


def connections(worker: Process, server: _engine.Reference) -> int:
    """The connections of a worker to the server under load."""
    port = int(server.address.rpartition(":")[2])
    found = psutil.Process(worker.pid).net_connections()
    return sum(bool(one.raddr) and one.raddr.port == port for one in found)


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGSTOP])
def test_a_machine_that_is_lost_ends_the_load_of_all(
    pair: Machines, server: _engine.Reference, how: signal.Signals
) -> None:
    load = pair.load(url(server), *LONG)
    until(lambda: server.requests > 20)
    pair.workers["b"].signal(how)

    assert load.wait(60) == 4, load.text
    assert "error: `b`: " in load.text
    assert "Actor" not in load.text
    until(lambda: connections(pair.workers["a"], server) == 0)
    if how == signal.SIGSTOP:
        pair.workers["b"].signal(signal.SIGCONT)
        again = pair.run("load", url(server), "--on", str(pair.hosts), "--requests", "100")
        assert again.returncode == 0, again.stderr


def test_a_coordinator_that_is_killed_leaves_no_load_behind(
    pair: Machines, server: _engine.Reference
) -> None:
    load = pair.load(url(server), *LONG)
    until(lambda: server.requests > 20)
    load.signal(signal.SIGKILL)

    killed = time.monotonic()
    until(lambda: not any(connections(one, server) for one in pair.workers.values()))
    assert time.monotonic() - killed < 2 * PROMISED_S
    again = pair.run("load", url(server), "--on", str(pair.hosts), "--wait", "--requests", "100")
    assert again.returncode == 0, again.stderr


def test_a_coordinator_that_was_stopped_finds_that_its_load_has_ended(
    pair: Machines, server: _engine.Reference
) -> None:
    load = pair.load(url(server), *LONG)
    until(lambda: server.requests > 20)
    load.signal(signal.SIGSTOP)
    until(lambda: not any(connections(one, server) for one in pair.workers.values()))
    load.signal(signal.SIGCONT)

    assert load.wait(60) == 4, load.text
    assert re.search(r"^error: `[ab]`: ", load.text, re.MULTILINE)


def test_a_clock_that_cannot_be_read_is_a_dash_and_a_reason(tmp_path: Path) -> None:
    with Machines(tmp_path, ("a",)) as cluster:
        cluster.start("a", **with_patch(tmp_path / "mute", NO_CLOCK))
        checked = cluster.run("hosts", "check", str(cluster.hosts))

    assert checked.returncode == 4, checked.stderr
    assert "`a`: its clock cannot be read: " in checked.stdout
    (row,) = re.findall(r"^a  .*", checked.stdout, re.MULTILINE)
    assert re.split(r" {2,}", row)[3:5] == ["–", "–"]


def test_a_worker_ends_with_its_scheduler_and_at_a_signal(pair: Machines) -> None:
    pair.workers["a"].signal(signal.SIGTERM)
    assert pair.workers["a"].wait() == 0, pair.workers["a"].text
    pair.scheduler.signal(signal.SIGTERM)
    assert pair.scheduler.wait() == 0, pair.scheduler.text
    assert pair.workers["b"].wait() == 0, pair.workers["b"].text
    assert "the scheduler has ended" in pair.workers["b"].text


def test_a_worker_whose_scheduler_is_killed_looks_for_it_and_then_gives_up(tmp_path: Path) -> None:
    with Machines(tmp_path, ("a",)) as cluster:
        worker = cluster.start("a", "--rejoin", "1s")
        cluster.scheduler.signal(signal.SIGKILL)

        assert worker.wait() == 4
        assert "joining again" in worker.text
        assert f"error: `{cluster.address}` cannot be joined" in worker.text


def test_machines_that_do_not_fit_are_refused_with_the_reason(
    tmp_path: Path, server: _engine.Reference
) -> None:
    with Machines(tmp_path) as cluster:
        cluster.start("a")
        cluster.start("b", **with_patch(tmp_path / "old", OLD))
        old = cluster.run("load", url(server), "--on", str(cluster.hosts))
        up = cluster.run("hosts", "up", str(cluster.hosts))
        cluster.workers["b"].end()
        cluster.start("b", **with_patch(tmp_path / "clock", CLOCK))
        clock = cluster.run("load", url(server), "--on", str(cluster.hosts))

        assert old.returncode == 4, old.stdout
        assert "`b`: it has httpdyno 0.0.9 (here 0." in old.stderr
        assert "pip install" in old.stderr
        assert up.returncode == 4, up.stdout
        assert "a  runs already\nb  runs already, cannot be used\n" in up.stdout
        assert "`b`: it has httpdyno 0.0.9 (here 0." in up.stderr
        assert clock.returncode == 4, clock.stdout
        assert "`b`: its clock is 10.0 s ahead of that of this machine" in clock.stderr
        assert server.requests == 0


def test_certificates_of_another_authority_are_refused(tmp_path: Path) -> None:
    (tmp_path / "ours").mkdir()
    (tmp_path / "theirs").mkdir()
    with Machines(tmp_path / "ours") as ours, Machines(tmp_path / "theirs") as theirs:
        foreign = str(theirs.certificates / "a")
        worker = ours.run("worker", ours.address, "--certificates", foreign, "--rejoin", "0s")
        load = ours.run(
            "load", "http://127.0.0.1:1/", "--on", ours.address, "--certificates", foreign
        )
        plain = ours.run("worker", ours.address.replace("tls", "tcp"), "--rejoin", "0s")
        none = ours.run("worker", ours.address)

        assert worker.returncode == 4
        assert "another authority" in worker.stderr
        assert load.returncode == 4
        assert "another authority" in load.stderr
        assert "refused a connection from tls://127.0.0.1:" in ours.scheduler.text
        assert "_ssl.c" not in ours.scheduler.text
        assert plain.returncode == 4
        assert none.returncode == 2
        assert "expected `--certificates FOLDER`" in none.stderr


def test_a_scheduler_listens_on_the_network_only_with_certificates(tmp_path: Path) -> None:
    refused = Process(["scheduler", "--listen", "0.0.0.0:0"], tmp_path)

    assert refused.wait() == 2
    assert "127.0.0.0/8" in refused.text


@pytest.mark.parametrize(
    "sent", [b"GET / HTTP/1.1\r\n\r\n", b"\0" * 8, b"\xff" * 100], ids=["http", "zeros", "huge"]
)
def test_a_stray_connection_to_a_scheduler_is_one_line(tmp_path: Path, sent: bytes) -> None:
    scheduler = Process(["scheduler", "--listen", "127.0.0.1:0"], tmp_path)
    try:
        port = int(scheduler.line("scheduler on ").rpartition(":")[2])
        with socket.create_connection(("127.0.0.1", port)) as stray:
            stray.sendall(sent)
            own = stray.getsockname()[1]
            scheduler.line(f"refused a connection from tcp://127.0.0.1:{own}: it does not speak")
    finally:
        scheduler.end()
    assert len(list(filter(None, scheduler.lines))) == 2, scheduler.text


def test_without_certificates_everything_is_on_this_machine(
    tmp_path: Path, server: _engine.Reference
) -> None:
    scheduler = Process(["scheduler", "--listen", "127.0.0.1:0"], tmp_path)
    address = scheduler.line("scheduler on ").removeprefix("scheduler on ")
    nobody = Process(["hosts", "check", address], tmp_path)
    assert nobody.wait() == 4
    assert "no machine has joined" in nobody.text
    assert "nothing stands in the way" not in nobody.text
    worker = Process(["worker", address, "--name", "a", "--cores", "0"], tmp_path)
    try:
        worker.line("joined ")
        second = Process(["worker", address, "--name", "a"], tmp_path)
        load = Process(["load", url(server), "--on", address, "--requests", "100"], tmp_path)

        assert address.startswith("tcp://127.0.0.1:")
        assert second.wait() == 2
        assert "`--name a`: a worker of this name has joined" in second.text
        assert "`--name a-2`" in second.text
        assert "Unable to connect" not in second.text
        assert load.wait() == 0, load.text
        assert server.requests >= 100
    finally:
        worker.end()
        scheduler.end()
