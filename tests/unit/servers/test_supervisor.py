"""Nothing that a server starts outlives it, whatever it does to get away and whoever is killed."""

from __future__ import annotations

import contextlib
import json
import os
import platform
import signal
import subprocess
import sys
import threading
import urllib.request
from pathlib import Path
from time import monotonic, sleep

import httpdyno
import pytest
from httpdyno.servers import ServerFailure, install, start
from httpdyno.servers.folders import records_folder
from httpdyno.servers.process.processes import Process, process
from httpdyno.servers.process.supervisor import Supervisor

from .conftest import APP, TOML, MakeServer

HIDE = """\
import os, sys, time

WAIT = '''
import os, signal, sys
signal.signal(signal.SIGTERM, signal.SIG_IGN)
with open(sys.argv[1] + ".tmp", "w") as file:
    file.write(str(os.getpid()))
os.rename(sys.argv[1] + ".tmp", sys.argv[1])
signal.alarm(300)
while True:
    signal.pause()
'''
PLACE = {place!r}
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.setsid()
        os.execve(sys.executable, [sys.executable, "-I", "-c", WAIT, PLACE], {{}})
    os._exit(0)
os.wait()
while not os.path.exists(PLACE):
    time.sleep(0.01)
"""
"""Starts a process twice orphaned, in a session of its own, without its environment, deaf to TERM:
nothing ties it to the server but that the server began it."""

QUICK_STOP = TOML.replace("grace_s = 30", "grace_s = 0.2")

STARTER = """\
import sys, time
from pathlib import Path
from httpdyno.servers import install, load_server, start

running = start(install(load_server(Path(sys.argv[1]))), "plain", cpus=None, log=Path(sys.argv[2]))
print(running.pid, running._supervisor.pid, flush=True)
time.sleep(600)
"""

PROGRAM = Path(httpdyno.__file__).parent / "servers" / "process" / "supervisor_main.py"
EXITS_FIRST = """\
import os, runpy, subprocess, sys

class Popen(subprocess.Popen):
    def __init__(self, *given, **more):
        super().__init__(*given, **more)
        os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOWAIT)

subprocess.Popen = Popen
runpy.run_path(sys.argv[1], run_name="__main__")
"""
"""The supervisor, on a machine that lets it continue only after its server has exited."""

NO_SUBREAPER = """\
import ctypes, struct
PRCTL, PR_SET_CHILD_SUBREAPER, PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP = {prctl}, 36, 38, 22
load, equal, answer = 0x20, 0x15, 0x06
rules = [
    (load, 0, 0, 0),  # the number of the system call
    (equal, 0, 3, PRCTL),
    (load, 0, 0, 16),  # its first argument
    (equal, 0, 1, PR_SET_CHILD_SUBREAPER),
    (answer, 0, 0, 0x00050001),  # EPERM
    (answer, 0, 0, 0x7FFF0000),  # allowed
]
program = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *rule) for rule in rules))
header = ctypes.create_string_buffer(struct.pack("HxxxxxxP", len(rules), ctypes.addressof(program)))
libc = ctypes.CDLL(None, use_errno=True)
assert libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0
assert libc.prctl(PR_SET_SECCOMP, 2, header, 0, 0) == 0, ctypes.get_errno()
"""
"""Lets no process be a subreaper, as a strict container may (seccomp(2))."""

PRCTL = {"x86_64": 157, "aarch64": 167}


def hider(tmp_path: Path, then: str) -> tuple[str, Path]:
    """An app that hides a process and goes on with `then`, and the file with that one's pid."""
    place = tmp_path / "hidden"
    return HIDE.format(place=str(place)) + then, place


def lives(pid: int) -> bool:
    found = process(pid)
    return found is not None and not found.zombie


def wait_until_gone(*pids: int) -> None:
    deadline = monotonic() + 60
    while any(map(lives, pids)):
        assert monotonic() < deadline, f"still alive: {[pid for pid in pids if lives(pid)]}"
        sleep(0.02)


def test_a_process_that_hid_from_its_server_is_stopped_with_it(
    make_server: MakeServer, tmp_path: Path
) -> None:
    app, place = hider(tmp_path, APP)
    with start(
        install(make_server(app=app, toml=QUICK_STOP)), "plain", cpus=None, log=tmp_path / "log"
    ) as running:
        hidden = process(int(place.read_text()))
        assert hidden is not None
        assert hidden.session == hidden.pid
        assert hidden.pid in running.stop().killed
    assert process(hidden.pid) is None


def test_a_process_that_hid_from_a_server_that_never_got_ready_is_ended(
    make_server: MakeServer, tmp_path: Path
) -> None:
    app, place = hider(tmp_path, "raise SystemExit(9)")
    installation = install(make_server(app=app, toml=QUICK_STOP))
    with pytest.raises(ServerFailure, match="exited with code 9"):
        start(installation, "plain", cpus=None, log=tmp_path / "log")
    assert not lives(int(place.read_text()))


def test_a_killed_runner_takes_its_server_along_and_what_hid_from_it(
    make_server: MakeServer, tmp_path: Path
) -> None:
    app, place = hider(tmp_path, APP)
    starter, server, supervisor = started_elsewhere(make_server(app=app).folder, tmp_path)
    hidden = int(place.read_text())
    assert all(map(lives, (server, supervisor, hidden)))
    starter.kill()
    starter.communicate()
    wait_until_gone(server, supervisor, hidden)


def test_a_server_whose_supervisor_was_killed_is_still_stopped(
    make_server: MakeServer, tmp_path: Path
) -> None:
    with start(install(make_server()), "plain", cpus=None, log=tmp_path / "log") as running:
        os.kill(running._supervisor.pid, signal.SIGKILL)
        wait_until_gone(running._supervisor.pid)
        assert lives(running.pid)
        assert running.exit_code == -signal.SIGKILL
    assert not lives(running.pid)
    assert not list(records_folder().iterdir())


@pytest.mark.parametrize(("end", "code"), [("os._exit(7)", 7), ("os.kill(os.getpid(), 6)", -6)])
def test_the_exit_code_of_a_server_that_ends_by_itself_is_known(
    make_server: MakeServer, tmp_path: Path, end: str, code: int
) -> None:
    app = APP.replace("import sys", "import os, sys").replace(
        "        self.send_response",
        f"        if self.path == '/end': {end}\n        self.send_response",
    )
    with start(install(make_server(app=app)), "plain", cpus=None, log=tmp_path / "log") as running:
        assert running.exit_code is None
        with contextlib.suppress(OSError):
            urllib.request.urlopen(f"http://{running.address}/end", timeout=60)
        deadline = monotonic() + 60
        while running.exit_code is None and monotonic() < deadline:
            sleep(0.01)
        assert running.exit_code == code
    assert running.stop().exit_code == code


# Where the interrupt strikes, a file of /proc may be open that nobody can close then.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_an_interrupted_stop_kills_at_once(make_server: MakeServer, tmp_path: Path) -> None:
    asked = tmp_path / "asked"
    deaf = f"import signal\nsignal.signal(15, lambda *_: open({str(asked)!r}, 'w'))\n"
    toml = TOML.replace("grace_s = 30", "grace_s = 120")
    running = start(
        install(make_server(app=deaf + APP, toml=toml)), "plain", cpus=None, log=tmp_path / "log"
    )

    def interrupt() -> None:
        while not asked.exists():
            sleep(0.01)
        os.kill(os.getpid(), signal.SIGINT)

    impatient = threading.Thread(target=interrupt)
    impatient.start()
    with pytest.raises(KeyboardInterrupt):
        running.stop()
    impatient.join()
    assert not lives(running.pid)
    assert running.stop().exit_code == -signal.SIGKILL
    assert not list(records_folder().iterdir())
    assert not running.run_folder.exists()


def test_an_interrupt_before_the_pid_is_known_ends_the_server_without_another_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(file: int, data: bytes) -> None:
        os.write(file, data)
        raise KeyboardInterrupt

    monkeypatch.setattr("httpdyno.servers.process.supervisor._write", interrupted)
    started = tmp_path / "started"
    waiting = f"echo $$ > {started}.tmp; mv {started}.tmp {started}; exec sleep 600"
    supervisor = Supervisor(tmp_path / "log")
    with pytest.raises(KeyboardInterrupt):
        supervisor.start(["sh", "-c", waiting], folder=tmp_path, environment={}, cpus=None)
    while not started.exists():
        sleep(0.01)
    supervisor.close()
    assert supervisor.exit_code() == -signal.SIGKILL
    assert not lives(int(started.read_text()))


def test_the_supervisor_of_a_server_does_not_know_the_database_of_results(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTPDYNO_STORE", "postgresql://me:hidden@db/bench")
    supervisor = Supervisor(tmp_path / "log")
    while not (environment := Path(f"/proc/{supervisor.pid}/environ").read_bytes()):
        sleep(0.001)  # the kernel fills it in after the old program is gone
    supervisor.close()
    assert b"PATH=" in environment
    assert b"hidden" not in environment


def test_the_exit_of_a_server_that_ends_at_once_is_reported(tmp_path: Path) -> None:
    slow = [sys.executable, "-I", "-S", "-c", EXITS_FIRST, str(PROGRAM)]
    orders = {"command": ["sh", "-c", "exit 3"], "folder": str(tmp_path)}
    line = json.dumps({**orders, "environment": dict(os.environ), "cpus": None}) + "\n"
    pipe = subprocess.PIPE
    with subprocess.Popen(slow, stdin=pipe, stdout=pipe, text=True) as supervisor:
        assert supervisor.stdin is not None
        assert supervisor.stdout is not None
        supervisor.stdin.write(line)
        supervisor.stdin.flush()
        assert "pid" in json.loads(supervisor.stdout.readline())
        within = threading.Timer(30, supervisor.kill)
        within.start()
        assert supervisor.stdout.readline() == '{"exit_code": 3}\n'
        within.cancel()
        supervisor.stdin.close()


def test_where_no_process_may_be_a_subreaper_no_server_is_started(
    make_server: MakeServer, tmp_path: Path
) -> None:
    if platform.machine() not in PRCTL:
        pytest.skip(f"the number of prctl on {platform.machine()} is not known here")
    script = NO_SUBREAPER.format(prctl=PRCTL[platform.machine()]) + STARTER
    done = subprocess.run(
        [sys.executable, "-c", script, make_server().folder / "server.toml", tmp_path / "log"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "cannot run: PR_SET_CHILD_SUBREAPER: Operation not permitted" in done.stderr
    assert "`httpdyno load URL` measures a server that you started yourself" in done.stderr
    assert not list(records_folder().iterdir())


def test_what_a_hidden_process_uses_is_the_servers(make_server: MakeServer, tmp_path: Path) -> None:
    app, place = hider(tmp_path, APP)
    app = app.replace("while True:\n    signal.pause()", "while True:\n    pass")
    toml = QUICK_STOP
    with start(
        install(make_server(app=app, toml=toml)), "plain", cpus=None, log=tmp_path / "log"
    ) as running:
        meter = running.usage_meter()
        assert meter.snapshot().processes == 2
        hidden = int(place.read_text())
        burnt = cpu_of(hidden)
        while cpu_of(hidden) < burnt + 0.2:
            sleep(0.01)
        used = meter.snapshot().cpu_s
        assert used >= burnt + 0.2
        os.kill(hidden, signal.SIGKILL)
        wait_until_gone(hidden)
        assert meter.snapshot().cpu_s >= used - 0.02  # user and system, now in whole ticks


def cpu_of(pid: int) -> float:
    found: Process | None = process(pid)
    return 0.0 if found is None else found.cpu_s


def started_elsewhere(folder: Path, tmp_path: Path) -> tuple[subprocess.Popen[bytes], int, int]:
    """A process that started the server of `folder`, the server's pid, its supervisor's."""
    starter = subprocess.Popen(
        [sys.executable, "-c", STARTER, folder / "server.toml", tmp_path / "log"],
        stdout=subprocess.PIPE,
    )
    assert starter.stdout is not None
    server, supervisor = map(int, starter.stdout.readline().split())
    return starter, server, supervisor
