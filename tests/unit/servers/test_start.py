"""A server is started on its cores, known to be ready, and ended whole."""

from __future__ import annotations

import os
import resource
import socket
import sys
import tempfile
import urllib.request
from pathlib import Path

import pytest
from httpdyno.errors import EnvironmentFault
from httpdyno.servers import ServerFailure, UsageMeter, install, start
from httpdyno.servers.folders import records_folder
from httpdyno.servers.process.port import free_port, is_free
from httpdyno.servers.process.processes import process
from httpdyno.servers.process.start import NEVER_HTTP

from .conftest import APP, TOML, MakeServer

STUBBORN = (
    """\
import os, signal, subprocess, sys

# A child of a child, in a session of its own, orphaned, deaf to TERM.
deaf = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); signal.alarm(60)"
code = deaf + "; print(end='1', flush=True); signal.pause()"
if os.fork() == 0:
    os.setsid()
    child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
    child.stdout.read(1)
    with open(sys.argv[2] + "/child.tmp", "w") as file:
        file.write(str(child.pid))
    os.rename(sys.argv[2] + "/child.tmp", sys.argv[2] + "/child")
    os._exit(0)
os.wait()
signal.signal(signal.SIGTERM, signal.SIG_IGN)
"""
    + APP
)

WITH_RUN = TOML.replace('"{port}"', '"{port}", "{run}"').replace("grace_s = 30", "grace_s = 0.2")


def test_a_server_answers_when_start_returns_and_is_gone_when_stop_does(
    make_server: MakeServer, tmp_path: Path
) -> None:
    with start(install(make_server()), "plain", cpus=None, log=tmp_path / "log") as running:
        url = f"http://{running.address}/pong"
        assert urllib.request.urlopen(url, timeout=60).read() == b"PONG"
        assert (running.run_folder / "files" / "file.png").stat().st_size == 50_990
        assert len(list(records_folder().iterdir())) == 1
    assert process(running.pid) is None
    assert is_free(running.port)
    assert not running.run_folder.exists()
    assert not list(records_folder().iterdir())
    running.stop()


def test_the_server_has_the_cores_it_was_given_and_the_runner_keeps_its_own(
    make_server: MakeServer, tmp_path: Path
) -> None:
    before = os.sched_getaffinity(0)
    core = min(before)
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(512, hard), hard))
    with start(install(make_server()), "plain", cpus=[core], log=tmp_path / "log") as running:
        assert os.sched_getaffinity(running.pid) == {core}
        limits = Path(f"/proc/{running.pid}/limits").read_text(encoding="utf-8")
    assert os.sched_getaffinity(0) == before
    assert resource.getrlimit(resource.RLIMIT_NOFILE) == (min(512, hard), hard)
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    (files,) = [line.split() for line in limits.splitlines() if line.startswith("Max open files")]
    assert files[3] == files[4], "the soft limit of open files is not the hard one"


@pytest.mark.parametrize("in_place", [False, True])
def test_a_server_does_not_know_the_database_of_results(
    make_server: MakeServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, in_place: bool
) -> None:
    monkeypatch.setenv("HTTPDYNO_STORE", "postgresql://me:hidden@db/bench")
    monkeypatch.setenv("PGPASSWORD", "of my database")
    server = make_server().model_copy(update={"in_place": in_place})
    with start(install(server), "plain", cpus=None, log=tmp_path / "log") as running:
        environment = Path(f"/proc/{running.pid}/environ").read_text(encoding="utf-8").split("\0")
    own = [one for one in environment if one.startswith(("HTTPDYNO_", "PGPASSWORD"))]
    # The user's own program may have a database of its own.
    passwords = ["PGPASSWORD=of my database"] if in_place else []
    assert [one for one in own if not one.startswith("HTTPDYNO_SERVER=")] == passwords
    assert any(one.startswith("PATH=") for one in environment)


def test_a_child_that_left_the_session_and_ignores_term_is_ended_too(
    make_server: MakeServer, tmp_path: Path
) -> None:
    server = make_server(app=STUBBORN, toml=WITH_RUN)
    with start(install(server), "plain", cpus=None, log=tmp_path / "log") as running:
        child = int((running.run_folder / "child").read_text(encoding="utf-8"))
        assert process(child) is not None
    left = process(child)
    assert left is None or left.zombie
    assert process(running.pid) is None


@pytest.mark.parametrize(
    ("app", "toml", "expected"),
    [
        (
            "print('cannot find my teapot'); raise SystemExit(9)",
            TOML,
            "`mine` exited with code 9 before it was ready; its log ends: cannot find my teapot",
        ),
        (
            "print('thinking', flush=True); import time; time.sleep(600)",
            TOML.replace("timeout_s = 60", "timeout_s = 6"),
            "`mine` was not ready after 6 s: expected 200 for `/pong`, got [Errno 111] "
            "Connection refused; its log ends: thinking",
        ),
        (
            APP.replace("send_response(200)", "send_response(500)"),
            TOML.replace("timeout_s = 60", "timeout_s = 6"),
            "`mine` was not ready after 6 s: expected 200 for `/pong`, got 500",
        ),
    ],
)
def test_a_server_that_does_not_get_ready_says_why_and_leaves_nothing(
    make_server: MakeServer, tmp_path: Path, app: str, toml: str, expected: str
) -> None:
    log = tmp_path / "log"
    own_pid = "import os; open('pid', 'w').write(str(os.getpid()))\n"
    installation = install(make_server(app=own_pid + app, toml=toml))
    with pytest.raises(ServerFailure) as error:
        start(installation, "plain", cpus=None, log=log)
    assert error.value.message.startswith(expected)
    assert (error.value.stage, error.value.log) == ("start", log)
    assert not list(records_folder().iterdir())
    assert process(int((installation.source / "pid").read_text(encoding="utf-8"))) is None


def test_a_server_that_listens_on_a_taken_port_of_its_own_is_not_told_that_ours_is_taken(
    make_server: MakeServer, tmp_path: Path
) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        app = f"import socket; socket.socket().bind({taken.getsockname()!r})"
        installation = install(make_server(app=app))
        with pytest.raises(EnvironmentFault, match="`mine` found an address in use") as error:
            start(installation, "plain", cpus=None, log=tmp_path / "log")
    assert "is free; its log ends: " in error.value.message
    assert "Address already in use" in error.value.message
    assert error.value.hint is not None
    assert "`{port}`" in error.value.hint


def test_a_command_that_is_not_there_is_told(make_server: MakeServer, tmp_path: Path) -> None:
    toml = TOML.replace(
        'command = ["{python}", "app.py", "{port}"]', 'command = ["no-such-program"]'
    )
    with pytest.raises(ServerFailure, match="`no-such-program`: No such file or directory"):
        start(install(make_server(toml=toml)), "plain", cpus=None, log=tmp_path / "log")
    assert not list(records_folder().iterdir())


def test_a_log_that_cannot_be_written_is_told_and_leaves_nothing(
    make_server: MakeServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "scratch").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "scratch"))
    (tmp_path / "a-file").touch()
    log = tmp_path / "a-file" / "log"
    with pytest.raises(EnvironmentFault, match="cannot be written: File exists"):
        start(install(make_server()), "plain", cpus=None, log=log)
    assert not list(records_folder().iterdir())
    assert not list((tmp_path / "scratch").iterdir())


def test_a_core_that_is_not_there_is_told(make_server: MakeServer, tmp_path: Path) -> None:
    with pytest.raises(EnvironmentFault, match="cores `9999` cannot be used: expected some of "):
        start(install(make_server()), "plain", cpus=[9999], log=tmp_path / "log")


def test_a_taken_port_is_told_before_anything_is_started(
    make_server: MakeServer, tmp_path: Path
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(EnvironmentFault, match=f"port `{port}` is taken"):
            start(install(make_server()), "plain", cpus=None, port=port, log=tmp_path / "log")
    assert not (tmp_path / "log").exists()


def test_a_chosen_port_that_another_program_takes_meanwhile_is_replaced(
    make_server: MakeServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        ports = [taken.getsockname()[1], free_port()]
        monkeypatch.setattr(sys.modules[start.__module__], "free_port", lambda _host: ports.pop(0))
        with start(install(make_server()), "plain", cpus=None, log=tmp_path / "log") as running:
            assert running.port != taken.getsockname()[1]
            url = f"http://{running.address}/pong"
            assert urllib.request.urlopen(url, timeout=60).read() == b"PONG"
    assert not list(records_folder().iterdir())


def test_a_port_that_needs_root_is_told_from_one_that_is_taken(
    make_server: MakeServer, tmp_path: Path
) -> None:
    first_open = int(Path("/proc/sys/net/ipv4/ip_unprivileged_port_start").read_text())
    if first_open <= 81:
        pytest.skip("here anyone may listen on port 81")
    installation = install(make_server())
    euid = os.geteuid()
    if euid == 0:
        os.seteuid(65534)
    try:
        with pytest.raises(EnvironmentFault) as fault:
            start(installation, "plain", cpus=None, port=81, log=tmp_path / "log")
    finally:
        os.seteuid(euid)
    assert str(fault.value) == (
        f"port `81` is reserved for root: expected one from {first_open} on\n"
        "hint: without `--port`, httpdyno chooses a free one"
    )


def test_files_are_written_with_the_deployments_own_values(
    make_server: MakeServer, tmp_path: Path
) -> None:
    toml = TOML.replace('"{port}"]', '"{port}"]\nvalues = { colour = "blue" }')
    toml += '\n[files]\n"app.py" = "{run}/filled.py"\n'
    app = f"# {{colour}} {{port}} {{other}}\n{APP}"
    with start(
        install(make_server(app=app, toml=toml)), "plain", cpus=None, log=tmp_path / "log"
    ) as r:
        first = (r.run_folder / "filled.py").read_text(encoding="utf-8").splitlines()[0]
        assert first == f"# blue {r.port} {{other}}"


def test_usage_counts_every_process_of_the_tree_and_only_grows(
    make_server: MakeServer, tmp_path: Path
) -> None:
    server = make_server(app=STUBBORN, toml=WITH_RUN)
    with start(install(server), "plain", cpus=None, log=tmp_path / "log") as running:
        meter = UsageMeter(running.pid)
        alone = meter.snapshot()
        for _ in range(200):
            urllib.request.urlopen(f"http://{running.address}/pong", timeout=60).read()
        busy = meter.snapshot()
    assert alone.processes >= 1
    assert alone.threads >= 1
    assert alone.rss_peak_bytes >= alone.rss_bytes > 1_000_000
    assert busy.at > alone.at
    assert busy.cpu_s > alone.cpu_s
    assert busy.voluntary_switches > alone.voluntary_switches
    gone = meter.snapshot()
    assert (gone.processes, gone.rss_bytes) == (0, 0)


NOT_HTTP = """\
import socket, sys

with socket.create_server(("127.0.0.1", int(sys.argv[1]))) as door:
    while True:
        peer, _ = door.accept()
        print("asked", flush=True)
        peer.sendall(b"SSH-2.0-OpenSSH\\r\\n")
        peer.recv(4096)
        peer.close()
"""


def test_a_server_of_another_protocol_is_not_waited_for(
    make_server: MakeServer, tmp_path: Path
) -> None:
    installation = install(make_server(app=NOT_HTTP))
    with pytest.raises(ServerFailure) as caught:
        start(installation, "plain", cpus=None, log=tmp_path / "log")
    assert caught.value.message.startswith(
        "`mine` does not speak HTTP: it answers `/pong` with SSH-2.0-OpenSSH;"
    )
    assert (tmp_path / "log").read_text().count("asked") == NEVER_HTTP
