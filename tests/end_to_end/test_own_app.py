"""A study of a user's own app: started by a command, or running already."""

from __future__ import annotations

import collections
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from time import sleep

import pytest
from own_app import LOAD, PAGE, study, write_app
from study_place import Place, end

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

STARTED = '[[arms]]\nname = "mine"\nstart = "{python} app.py {port}"\n'
MANY = """\
[[workloads.mixed.requests]]
path = "/a"
weight = 3
expect = { status = 200, body = "a page" }
[[workloads.mixed.requests]]
path = "/b"
expect = { length = 7 }
[[workloads.mixed.requests]]
method = "POST"
path = "/orders"
body_file = "order.json"
expect = { status = 201, body_file = "ordered.txt" }
[[workloads.mixed.requests]]
path = "/mine"
headers = { Authorization = "Bearer ${APP_TOKEN}" }
expect = { same = true }
"""


def write(place: Place, text: str) -> None:
    write_app(place.home)
    (place.home / "own.toml").write_text(text, encoding="utf-8")


def run(place: Place, *more: str) -> subprocess.CompletedProcess[str]:
    return place.call("run", "own.toml", "--results", str(place.results), *more)


def counts(place: Place) -> collections.Counter[str]:
    """The requests that the app counted, over all of its starts."""
    files = (place.home / "counts").glob("*.json")
    return sum((collections.Counter(json.loads(file.read_text())) for file in files), _none())


def _none() -> collections.Counter[str]:
    return collections.Counter()


@contextmanager
def running(place: Place, *words: str, **variables: str) -> Iterator[int]:
    """The app, started by hand; its port."""
    app = subprocess.Popen(
        [sys.executable, "app.py", *words],
        cwd=place.home,
        env={**os.environ, **variables},
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        assert app.stdout is not None
        where = app.stdout.readline().split()[-1]
        yield int(where) if where.isdigit() else 0
    finally:
        with suppress(ProcessLookupError):
            os.killpg(app.pid, signal.SIGTERM)
        app.communicate()


def test_requests_rotate_by_their_weights_as_the_server_counts_them(place: Place) -> None:
    (place.home / "order.json").write_text('{"item": 1}')
    (place.home / "ordered.txt").write_text('ordered {"item": 1}')
    load = LOAD.replace("40", "600")
    write(place, study(STARTED, MANY, load=load))
    place.environment["APP_TOKEN"] = "s3cret"
    done = run(place)
    assert done.returncode == 0, done.stderr
    (cell,) = place.result().cells
    assert cell.throughput_per_s is not None
    assert cell.server_cpu_s_per_request is not None
    asked = counts(place)
    # Each is checked once before, and the one whose replies must be the same twice.
    assert asked["GET /a"] == 300 + 1
    assert asked["GET /b"] == 100 + 1
    assert asked["POST /orders"] == 100 + 1
    assert asked["GET /mine"] == 100 + 2
    stored = b"".join(file.read_bytes() for file in (place.home / "DATA").rglob("*.sqlite*"))
    assert b"APP_TOKEN" in stored
    assert b"s3cret" not in stored


@pytest.mark.parametrize(
    ("expect", "told"),
    [
        ('{ body = "Hallo" }', "GET /: body: from byte 1: got 'Hello', expected 'Hallo'"),
        ("{ length = 6 }", "GET /: body: 5 bytes, expected 6"),
        ("{ status = 201 }", "GET /: status 200, expected 201"),
    ],
)
def test_a_wrong_reply_keeps_an_arm_out_and_is_told(expect: str, told: str, place: Place) -> None:
    page = PAGE.replace('{ status = 200, body = "Hello" }', expect)
    write(place, study(STARTED, page))
    done = run(place)
    assert done.returncode == 6, done.stderr
    (failure,) = place.result().failures
    assert failure.stage == "check"
    assert told in failure.reason
    assert "httpdyno servers check --study own.toml mine" in failure.reason


def test_replies_that_change_are_wrong_where_they_must_be_the_same(place: Place) -> None:
    page = PAGE.replace('"/"', '"/changes"').replace('status = 200, body = "Hello"', "same = true")
    write(place, study(STARTED, page))
    assert run(place).returncode == 6
    (failure,) = place.result().failures
    assert "the second reply differs from the first" in failure.reason
    checked = place.call("servers", "check", "--study", "own.toml", "mine")
    assert checked.returncode == 3, checked.stderr
    assert "wrong" in checked.stdout


def test_a_running_server_is_measured_as_it_is_and_the_report_says_so(place: Place) -> None:
    write(place, "")
    with running(place, "0") as port:
        arm = f'[[arms]]\nname = "mine"\nurl = "http://127.0.0.1:{port}"\n'
        (place.home / "own.toml").write_text(study(arm, blocks=2))
        done = run(place)
        assert done.returncode == 0, done.stderr
        result = place.result()
        (cell,) = result.cells
        assert [trial.block for trial in cell.trials] == [0, 1]
        # The process that listens was found, because it is ours.
        assert cell.server_cpu_s_per_request is not None
        assert cell.ceiling_per_s is not None
        (arm_info,) = result.arms
        assert arm_info.name == "mine"
        (note,) = [note for note in result.notes if "already running" in note]
        assert "not restarted" in note
        assert "already running" in (place.results / "report.html").read_text()
        checked = place.call("servers", "check", "--study", "own.toml")
        assert checked.returncode == 0, checked.stderr
        assert "keep-alive" in checked.stdout
    assert (place.home / "counts").is_dir()  # it ended when we said so, not before


def test_where_nothing_runs_the_arm_is_a_row_that_says_so(place: Place) -> None:
    with socket.create_server(("127.0.0.1", 0)) as door:
        port = door.getsockname()[1]
    write(place, study(f'[[arms]]\nname = "mine"\nurl = "http://127.0.0.1:{port}"\n'))
    assert run(place).returncode == 6
    (failure,) = place.result().failures
    assert failure.stage == "start"
    assert f"`mine` at `127.0.0.1:{port}`: no connection: Connection refused" in failure.reason


def test_a_server_behind_a_unix_socket_is_measured(place: Place) -> None:
    write(place, study('[[arms]]\nname = "mine"\nunix = "app.sock"\n'))
    with running(place, "app.sock"):
        done = run(place)
    assert done.returncode == 0, done.stderr
    (cell,) = place.result().cells
    assert cell.throughput_per_s is not None
    assert cell.server_cpu_s_per_request is not None
    assert cell.ceiling_per_s is None


def test_a_server_of_which_nothing_is_known_has_no_cost_and_still_a_report(
    place: Place,
) -> None:
    """Two processes listen, and neither is the other's parent."""
    write(place, "")
    with running(place, "0", FORKS="2") as port:
        arm = f'[[arms]]\nname = "mine"\nurl = "http://127.0.0.1:{port}"\n'
        (place.home / "own.toml").write_text(study(arm))
        done = run(place)
    assert done.returncode == 0, done.stderr
    (cell,) = place.result().cells
    assert cell.throughput_per_s is not None
    assert (cell.server_cpu_s_per_request, cell.server_rss_bytes) == (None, None)
    assert (place.results / "report.html").is_file()


@pytest.mark.parametrize("version", ["1.2", "1.3"])
def test_tls_uses_a_certificate_made_for_the_run(version: str, place: Place) -> None:
    if shutil.which("openssl") is None:
        pytest.skip("`openssl` is not installed")
    arm = (
        '[[arms]]\nname = "mine"\ntls = true\n'
        f'start = "{{python}} app.py {{port}} {{certificate}} {{key}}"\ntls_version = "{version}"\n'
    )
    write(place, study(arm))
    done = run(place)
    assert done.returncode == 0, done.stderr
    (trial,) = place.trials()
    assert trial.measurement is not None
    assert trial.measurement.handshakes is not None
    assert trial.measurement.handshakes.full > 0
    (cell,) = place.result().cells
    assert cell.ceiling_per_s is None
    checked = place.call("servers", "check", "--study", "own.toml")
    assert checked.returncode == 0, checked.stderr


def test_an_interrupted_study_of_a_command_is_resumed_and_leaves_no_process(place: Place) -> None:
    load = '[loads.some]\nkind = "closed"\nconnections = 1\nduration = "400ms"\n'
    write(place, study(STARTED, blocks=3, load=load))
    words = place.program("run", "own.toml", "--results", str(place.results))
    begun = place.spawn(words)
    while not place.home.joinpath("DATA").exists() or not _stored(place):
        assert begun.poll() is None, begun.communicate()
        sleep(0.02)
    end(begun, signal.SIGINT)
    stored = len(place.trials())
    assert 0 < stored < 3
    done = run(place, "--resume")
    assert done.returncode == 0, done.stderr
    assert len(place.trials()) == 3
    assert _apps(place) == []


def _stored(place: Place) -> int:
    return len(place.store.trials(1)) if (place.home / "DATA" / "results.sqlite").exists() else 0


def _apps(place: Place) -> list[int]:
    """Processes that still run in the folder of the app."""
    found = []
    for cwd in Path("/proc").glob("[0-9]*/cwd"):
        with suppress(OSError):
            if cwd.readlink() == place.home:
                found.append(int(cwd.parent.name))
    return found


def test_a_build_runs_first_and_the_environment_and_the_ready_path_are_those_declared(
    place: Place,
) -> None:
    (place.home / "app").mkdir()
    write_app(place.home / "app")
    arm = (
        '[[arms]]\nname = "mine"\ncwd = "app"\nready = "/ready"\n'
        'env = { GREETING = "Hi" }\n'
        "build = \"sh -c 'mv app.py built.py && echo built'\"\n"
        "start = \"sh -c 'sed s,/a,/ready, built.py > served.py && exec {python} served.py'\"\n"
    )
    page = PAGE.replace('"Hello"', '"Hi"')
    (place.home / "own.toml").write_text(study(arm, page))
    done = run(place)
    assert done.returncode == 0, done.stderr
    (cell,) = place.result().cells
    assert cell.throughput_per_s is not None


def test_a_command_that_never_listens_says_where_it_should(place: Place) -> None:
    write(place, study('[[arms]]\nname = "mine"\nstart = "{python} -c pass"\n'))
    assert run(place).returncode == 6
    (failure,) = place.result().failures
    assert failure.stage == "start"
    assert "`mine` exited with code 0 before it was ready" in failure.reason


@pytest.mark.parametrize("how", ["--url", "--command"])
def test_what_init_writes_for_an_own_app_runs_at_once(how: str, place: Place) -> None:
    write_app(place.home)
    command = f"{sys.executable} app.py {{port}}"
    with running(place, "0") as port:
        given = f"http://127.0.0.1:{port}/" if how == "--url" else command
        made = place.call("init", "own.toml", how, given)
        assert made.returncode == 0, made.stderr
        planned = place.call("run", "own.toml", "--dry-run")
        assert planned.returncode == 0, planned.stderr
        assert "arm mine" in planned.stdout
        done = run(place, "--quick", "--blocks", "1")
    assert done.returncode == 0, done.stderr
    assert {cell.load for cell in place.result().cells} == {"full-speed", "steady"}
    assert all(cell.throughput_per_s is not None for cell in place.result().cells)
