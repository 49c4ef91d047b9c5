"""Servers without a `server.toml`: a command, and the process that listens at an address."""

from __future__ import annotations

import os
import socket
import ssl
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from httpdyno.engine_plan import Target
from httpdyno.errors import UsageError
from httpdyno.servers import ServerFailure, check_workloads, examine, install, start
from httpdyno.servers.check.connect import connect
from httpdyno.servers.declaration.own import server_at, server_from_command
from httpdyno.servers.process.attached_server import AttachedServer
from httpdyno.servers.process.listening_process import listening_pid
from httpdyno.servers.process.start_or_attach import start_or_attach
from httpdyno.workloads import Exchange, Workload
from own_app import write_app

HOME = Workload(
    "home",
    "Home",
    "GET / returns Hello",
    (Exchange(path="/", answer=b"Hello", content_type="text/plain", why="the page"),),
    own=True,
)


@pytest.fixture(autouse=True)
def _own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("CACHE", "STATE", "DATA"):
        monkeypatch.setenv(f"HTTPDYNO_{name}", str(tmp_path / "own" / name))


def test_a_command_starts_in_its_own_folder_with_its_port_and_is_stopped_whole(
    tmp_path: Path,
) -> None:
    write_app(tmp_path)
    server = server_from_command("mine", "{python} app.py", cwd=tmp_path, env={"GREETING": "Hello"})
    with start(install(server), "command", cpus=None, log=tmp_path / "log") as running:
        at = running.target
        (row,) = check_workloads(at.host, at.port, [HOME], target=at)
        assert Path(f"/proc/{running.pid}/cwd").readlink() == tmp_path
        assert listening_pid(at) == running.pid
    assert row.ok, row.detail
    assert running.exit_code == 0
    assert (tmp_path / "counts").is_dir()


def test_a_server_is_ready_when_it_answers_at_all_or_when_its_path_answers_200(
    tmp_path: Path,
) -> None:
    write_app(tmp_path)
    any_answer = server_from_command("mine", "{python} app.py", cwd=tmp_path)
    assert any_answer.ready.any_status
    ready = server_from_command("mine", "{python} app.py", cwd=tmp_path, ready="/a")
    assert (ready.ready.path, ready.ready.any_status) == ("/a", False)
    for server in (any_answer, ready):
        with start(install(server), "command", cpus=None, log=tmp_path / "log") as running:
            assert running.was_ready


def test_tls_is_trusted_by_its_own_certificate_and_by_no_other(tmp_path: Path) -> None:
    from httpdyno.engine_plan import Tls

    write_app(tmp_path)
    command = "{python} app.py {port} {certificate} {key}"
    server = server_from_command("mine", command, cwd=tmp_path, tls=Tls(max_version="1.2"))
    with start(install(server), "command", cpus=None, log=tmp_path / "log") as running:
        at = running.target
        assert at.tls is not None
        assert at.tls.max_version == "1.2"
        (row,) = check_workloads(at.host, at.port, [HOME], target=at)
        with pytest.raises(ssl.SSLCertVerificationError):
            connect(replace(at, tls=Tls()), 5.0)
        key = Path(at.tls.ca or "").parent / "key.pem"
        assert key.stat().st_mode & 0o077 == 0
    assert row.ok, row.detail
    assert not key.exists()


def test_a_server_that_runs_already_is_neither_installed_nor_stopped(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as door:
        server = server_at("mine", Target(port=door.getsockname()[1]))
        said: list[str] = []
        installation = install(server, report=said.append)
        with start_or_attach(installation, "running", cpus=None, log=tmp_path / "log") as running:
            assert isinstance(running, AttachedServer)
            meter = running.usage_meter()
            assert meter is not None
            assert meter.snapshot().processes >= 1
        assert listening_pid(running.target) == os.getpid()
        assert said == []


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "::1"])
def test_the_process_that_listens_on_a_port_is_found(host: str) -> None:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as door:
        try:
            door.bind(("::1" if ":" in host else "127.0.0.1", 0))
        except OSError:
            pytest.skip("this machine has no IPv6")
        door.listen()
        target = Target(host=host, port=door.getsockname()[1])
        assert listening_pid(target) == os.getpid()
    assert listening_pid(target) is None


def test_a_process_on_another_address_or_machine_is_not_the_one(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.2", 0)) as door:
        port = door.getsockname()[1]
        assert listening_pid(Target(host="127.0.0.1", port=port)) is None
        assert listening_pid(Target(host="192.0.2.1", port=port)) is None
    path = str(tmp_path / "app.sock")
    with socket.socket(socket.AF_UNIX) as unix:
        unix.bind(path)
        assert listening_pid(Target(unix=path)) is None
        unix.listen()
        assert listening_pid(Target(unix=path)) == os.getpid()


def test_of_two_equal_listeners_none_is_the_server() -> None:
    with socket.socket() as mine:
        mine.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        mine.bind(("127.0.0.1", 0))
        mine.listen()
        port = mine.getsockname()[1]
        script = (
            "import os, socket, sys\nif os.fork(): os._exit(0)\ndoor = socket.socket()\n"
            "door.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)\n"
            f"door.bind(('127.0.0.1', {port}))\ndoor.listen()\nprint('there', flush=True)\n"
            "sys.stdin.read()\n"
        )
        other = subprocess.Popen(
            [sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert other.stdout is not None
        assert other.stdout.readline() == "there\n"
        assert listening_pid(Target(port=port)) is None
        other.communicate()


def test_a_build_runs_first_in_the_folder_and_again_for_each_run(tmp_path: Path) -> None:
    write_app(tmp_path)
    script = "sed s,/a,/ready, built.py > served.py && exec {python} served.py"
    server = server_from_command(
        "mine",
        f"sh -c '{script}'",
        build="sh -c 'cp app.py built.py && echo x >> times'",
        cwd=tmp_path,
        env={"GREETING": "Hello"},
        ready="/ready",
    )
    for _ in range(2):
        with start(install(server), "command", cpus=None, log=tmp_path / "log") as running:
            at = running.target
            (row,) = check_workloads(at.host, at.port, [HOME], target=at)
            assert row.ok, row.detail
    assert (tmp_path / "times").read_text() == "x\nx\n"


def test_a_command_that_listens_elsewhere_is_told_where_it_should(tmp_path: Path) -> None:
    write_app(tmp_path)
    server = server_from_command("mine", "{python} app.py 0", cwd=tmp_path)
    hasty = server.model_copy(update={"ready": server.ready.model_copy(update={"timeout_s": 1.0})})
    with pytest.raises(ServerFailure) as caught:
        start(install(hasty), "command", cpus=None, log=tmp_path / "log")
    assert "was not ready after 1 s: expected an answer to `/`" in caught.value.message
    assert "it has to listen on `{port}` of 127.0.0.1" in caught.value.message


def test_a_build_that_fails_is_a_failure_of_the_build(tmp_path: Path) -> None:
    server = server_from_command("mine", "serve", build="sh -c 'echo error: no; exit 3'")
    with pytest.raises(ServerFailure) as caught:
        install(server)
    assert (caught.value.stage, caught.value.message) == (
        "build",
        "`mine` failed to build: error: no",
    )


def test_a_folder_that_is_not_there_is_the_users_fault(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="expected a folder that exists"):
        server_from_command("mine", "serve", cwd=tmp_path / "none")


def test_a_check_asks_for_no_declaration_that_a_study_cannot_make(tmp_path: Path) -> None:
    write_app(tmp_path)
    app = tmp_path / "app.py"
    app.write_text(app.read_text().replace('"HTTP/1.1"', '"HTTP/1.0"'))
    server = server_from_command("mine", "{python} app.py", cwd=tmp_path)
    found = examine(install(server), "command", tmp_path / "log", [HOME])
    assert {"keep-alive": "no"}.items() <= {one.name: one.answer for one in found.probes}.items()
    assert not found.contradictions
