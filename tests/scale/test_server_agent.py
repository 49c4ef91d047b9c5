"""The agent of a server's machine: what it starts ends with it, and what it says is bounded."""

from __future__ import annotations

import http.client
import os
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from httpdyno.engine_plan import Tls
from httpdyno.errors import EnvironmentFault, NodeFault
from httpdyno.scale.server.agent import MOST_LOG, ServerAgent, Setup, StartedServer
from httpdyno.scale.server.callers import LocalCaller, run_job
from httpdyno.scale.server.machine import MachineAgent, ip_address
from httpdyno.scale.server.remote_server import RemoteServer
from httpdyno.servers import Server, ServerFailure, load_server
from httpdyno.servers.declaration.own import server_from_command
from httpdyno.servers.installation.cancellation import Cancellation
from httpdyno.servers.installation.execute import execute
from httpdyno.servers.installation.lock import hold_lock
from httpdyno.servers.process.tls import client_context
from namespaces import is_alive
from own_app import write_app
from small_server import COUNTED, NEVER_READY, write_server
from study_place import Place

pytest.importorskip("distributed", reason="several machines need the extra `scale`")

CPUS = tuple(sorted(os.sched_getaffinity(0)))[:1]
ADDRESS = "127.0.3.1"


@pytest.fixture(autouse=True)
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("CACHE", "STATE", "DATA"):
        monkeypatch.setenv(f"HTTPDYNO_{name}", str(tmp_path / name))


@pytest.fixture
def caller() -> Iterator[LocalCaller]:
    agent = ServerAgent("s", ADDRESS)
    yield LocalCaller("s", agent)
    agent.end()


def set_up(caller: LocalCaller, server: Server) -> str:
    setup: Setup = run_job(caller, None, "install", server, None, True)
    return setup.key


def started(
    caller: LocalCaller, server: Server, log: Path, watcher: LocalCaller | None = None
) -> RemoteServer:
    (deployment,) = server.deployments
    up: StartedServer = run_job(caller, log, "start", set_up(caller, server), deployment, CPUS)
    watcher = watcher or LocalCaller("s", MachineAgent("s", ADDRESS, ("server",)))
    return RemoteServer(caller, watcher, up, log)


def test_a_server_that_is_not_ready_yet_ends_with_the_lease(
    tmp_path: Path, caller: LocalCaller
) -> None:
    place = Place(tmp_path)
    (place.home / "server").mkdir()
    place.hold(1)
    server = load_server(write_server(tmp_path, "held", COUNTED.format(folder=tmp_path / "server")))
    key = set_up(caller, server)
    number = caller.call("begin", "start", key, "1-process", CPUS)
    while not (tmp_path / "server" / "held").exists():
        assert not caller.call("poll", number, 0.05).done
    assert place.living() != []
    caller.agent.end()
    assert place.living() == []
    while not (polled := caller.call("poll", number, 1.0)).done:
        pass
    assert polled.fault is not None
    with pytest.raises((NodeFault, RuntimeError)):
        run_job(caller, None, "start", key, "1-process", CPUS)


def test_a_server_with_tls_is_trusted_by_the_certificate_that_comes_back(
    tmp_path: Path, caller: LocalCaller
) -> None:
    write_app(tmp_path)
    app = (tmp_path / "app.py").read_text()
    (tmp_path / "app.py").write_text(app.replace('"127.0.0.1"', 'os.environ["HOST"]'))
    server = server_from_command(
        "app",
        f"{sys.executable} app.py {{port}} {{certificate}} {{key}}",
        cwd=tmp_path,
        env={"HOST": "{host}"},
        tls=Tls(),
    )
    with started(caller, server, tmp_path / "logs" / "app.log") as running:
        tls = running.target.tls
        assert tls is not None
        assert tls.ca is not None
        assert running.target.host == ADDRESS
        client = http.client.HTTPSConnection(
            ADDRESS, running.target.port, context=client_context(tls)
        )
        client.request("GET", "/")
        assert client.getresponse().read() == b"Hello"
        client.close()
        assert running.usage().processes == 1
    assert not Path(tls.ca).exists()
    assert "listening" in (tmp_path / "logs" / "app.log").read_text()


def test_the_log_of_a_server_that_fails_comes_back_and_is_bounded(
    tmp_path: Path, caller: LocalCaller
) -> None:
    print_much = "print('x' * 10**6, flush=True); raise SystemExit('no such module')"
    command = f'["{{python}}", "-c", "{print_much}"]'
    server = load_server(write_server(tmp_path, "loud", command))
    log = tmp_path / "logs" / "loud.log"
    with pytest.raises(ServerFailure, match="exited with code 1 before it was ready") as failure:
        started(caller, server, log)
    assert failure.value.stage == "start"
    assert failure.value.log == log
    said = log.read_bytes()
    assert MOST_LOG <= len(said) < MOST_LOG + 100
    assert said.endswith(b"no such module\n")
    assert b"[the middle of this log was not sent]" in said


def test_a_server_that_was_declared_in_another_way_there_is_refused(caller: LocalCaller) -> None:
    from httpdyno.servers.declaration.load import CATALOGUE

    server = load_server(CATALOGUE / "reference").model_copy(update={"title": "another"})
    with pytest.raises(EnvironmentFault, match="on `s`: its catalogue declares `reference`"):
        run_job(caller, None, "install", server, None, False)


def test_a_second_server_is_refused_while_one_runs(tmp_path: Path, caller: LocalCaller) -> None:
    server = load_server(write_server(tmp_path, "good"))
    with (
        started(caller, server, tmp_path / "log"),
        pytest.raises(EnvironmentFault, match="a server runs there already"),
    ):
        started(caller, server, tmp_path / "log")
    assert Place(tmp_path).living() == []


def test_a_server_that_never_starts_leaves_nothing(tmp_path: Path, caller: LocalCaller) -> None:
    server = load_server(write_server(tmp_path, "broken", NEVER_READY))
    with pytest.raises(ServerFailure):
        started(caller, server, tmp_path / "log")
    assert Place(tmp_path).living() == []


@pytest.mark.parametrize("host", ["0.0.0.0", "no.such.host.invalid", "::"])
def test_an_address_that_no_server_can_listen_on_is_refused(host: str) -> None:
    with pytest.raises(EnvironmentFault, match="expected one address"):
        ip_address(host)


def test_pings_tell_the_round_trip_and_an_address_that_is_not_reached(tmp_path: Path) -> None:
    there = LocalCaller("s", MachineAgent("s", ADDRESS, ("server",)))
    here = LocalCaller("a", MachineAgent("a", "127.0.3.2", ("generator",)))
    port = there.call("answer_pings")
    assert there.call("answer_pings") == port
    found = here.call("ping", ADDRESS, port)
    assert len(found.seconds) == 40
    assert 0 < found.seconds[0] <= found.seconds[-1]
    assert found.mtu == 65535
    there.call("end_pings")
    with pytest.raises(EnvironmentFault, match=f"`{ADDRESS}` cannot be reached from `127.0.3.2`"):
        here.call("ping", ADDRESS, port)


def test_a_machine_is_watched_from_one_call_to_the_other() -> None:
    caller = LocalCaller("s", MachineAgent("s", ADDRESS, ("server",)))
    caller.call("settle")
    caller.call("watch")
    busy = threading.Thread(target=lambda: sum(range(10**6)))
    busy.start()
    busy.join()
    use = caller.call("end_sampling")
    assert (use.name, use.roles, use.interface) == ("s", ("server",), "lo")
    assert use.window_s > 0
    assert use.load_before is not None
    assert len(use.cores) == os.cpu_count()
    assert len(use.samples) >= 1
    assert caller.call("end_sampling") is None


def test_a_server_is_sampled_while_it_is_measured_and_its_meter_never_waits(
    tmp_path: Path, caller: LocalCaller
) -> None:
    watcher = LocalCaller("s", MachineAgent("s", ADDRESS, ("server",)))
    server = load_server(write_server(tmp_path, "good"))
    with started(caller, server, tmp_path / "log", watcher) as running:
        watcher.call("watch")
        meter = running.usage_meter()
        first = None
        while first is None:
            first = meter.quick()
        assert first.rss_bytes > 2**20
        busy = meter.quick()
        client = http.client.HTTPConnection(ADDRESS, running.target.port)
        while busy is None or busy.cpu_s == first.cpu_s:
            client.request("GET", "/hello")
            client.getresponse().read()
            busy = meter.quick()
        client.close()
        assert busy.at > first.at
        assert watcher.call("end_sampling").sampling_cpu_s > 0


BUILDING = """\
import os, pathlib, subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(3600)"])
pathlib.Path({file!r}).write_text(f"{{os.getpid()}} {{child.pid}}")
time.sleep(3600)
"""


def test_a_build_ends_with_the_lease_and_so_do_the_processes_that_it_has_started(
    tmp_path: Path, caller: LocalCaller
) -> None:
    file = tmp_path / "pids"
    build = '[build]\ncommand = ["{python}", "build.py"]'
    toml = write_server(tmp_path, "slow", build=build)
    (toml.parent / "build.py").write_text(BUILDING.format(file=str(file)))
    number = caller.call("begin", "install", load_server(toml), None, True)
    while not file.exists() or not file.read_text():
        assert not caller.call("poll", number, 0.05).done
    pids = [int(word) for word in file.read_text().split()]
    assert all(is_alive(pid) for pid in pids)
    caller.agent.end()
    polled = caller.call("poll", number, 0.0)
    assert polled.fault is not None
    assert "failed to build" in polled.fault.message
    assert not any(is_alive(pid) for pid in pids)


def test_an_installation_that_waits_for_another_one_is_cancelled_before_it_begins(
    tmp_path: Path,
) -> None:
    cancellation, ran, held = Cancellation(), tmp_path / "ran", tmp_path / "lock"

    def install() -> None:
        with cancellation.watch(), hold_lock(held, cancellation.cancel):
            execute(["touch", str(ran)], tmp_path / "log", cwd=tmp_path, limit_s=60)

    with hold_lock(held, lambda: None), pytest.raises(EnvironmentFault, match="was cancelled"):
        install()
    with pytest.raises(EnvironmentFault, match="was cancelled"):
        install()
    assert not ran.exists()
