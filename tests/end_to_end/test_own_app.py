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
from httpdyno.servers.process.tls import make_certificate
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


def test_requests_vary_and_are_checked_with_the_values_of_a_first_call(place: Place) -> None:
    varied = """\
[[workloads.varied.requests]]
path = "/{choice:a,b}"
headers = { X-Key = "${HOME}" }
expect = { status = 200 }
[[workloads.varied.requests]]
path = "/orders"
body = "{random:1000:9999}"
expect = { status = 201, length = 12 }
"""
    write(place, study(STARTED, varied, load=LOAD.replace("40", "600")))
    ran = run(place)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    counted = counts(place)
    assert set(counted) <= {"GET /a", "GET /b", "POST /orders", "GET /"}, counted
    assert min(counted["GET /a"], counted["GET /b"]) > 100  # of about 300


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


WRONG = {
    "body": (
        '{ body = "Hallo" }',
        "GET /: body: from byte 1: got 'Hello', expected 'Hallo'",
    ),
    "length": ("{ length = 6 }", "GET /: body: 5 bytes, expected 6"),
    "status": ("{ status = 201 }", "GET /: status 200, expected 201"),
}


def test_a_wrong_reply_keeps_an_arm_out_and_is_told(place: Place) -> None:
    arms = "".join(f'{STARTED}workload = "{name}"\n' for name in WRONG)
    requests = "\n".join(
        f'[[workloads.{name}.requests]]\npath = "/"\nexpect = {expect}'
        for name, (expect, _) in WRONG.items()
    )
    write(place, study(arms, f"{requests}\n"))
    done = run(place)
    assert done.returncode == 6, done.stderr
    failures = {row.arm: row for row in place.result().failures}
    assert failures.keys() == {f"mine {name}" for name in WRONG}
    for name, (_, told) in WRONG.items():
        failure = failures[f"mine {name}"]
        assert failure.stage == "check"
        assert told in failure.reason
        assert f"httpdyno servers check --study own.toml 'mine {name}'" in failure.reason


def test_replies_that_change_are_wrong_where_they_must_be_the_same(place: Place) -> None:
    page = PAGE.replace('"/"', '"/changes"').replace('status = 200, body = "Hello"', "same = true")
    write(place, study(STARTED, page))
    assert run(place).returncode == 6
    (failure,) = place.result().failures
    assert "the second reply differs from the first" in failure.reason
    checked = place.call("servers", "check", "--study", "own.toml", "mine")
    assert checked.returncode == 3, checked.stderr
    assert "wrong" in checked.stdout


URL = '[[arms]]\nname = "{}"\nurl = "http://127.0.0.1:{}"\n'


def test_running_servers_are_measured_as_they_are_and_the_report_says_so(place: Place) -> None:
    """One on a port, one behind a Unix socket, and one whose process cannot be told."""
    write(place, "")
    make_certificate(place.home)
    with (
        running(place, "0") as port,
        running(place, "0", "certificate.pem", "key.pem") as secure,
        running(place, "0", FORKS="2") as forked,
        running(place, "app.sock"),
    ):
        arms = URL.format("mine", port) + URL.format("forked", forked)
        arms += '[[arms]]\nname = "socket"\nunix = "app.sock"\n'
        arms += URL.format("secure", secure).replace("http:", "https:") + 'ca = "authority.pem"\n'
        (place.home / "own.toml").write_text(study(arms, blocks=2))
        done = run(place)
        assert done.returncode == 0, done.stderr
        checked = place.call("servers", "check", "--study", "own.toml", "mine")
        assert checked.returncode == 0, checked.stderr
        assert "keep-alive" in checked.stdout
        assert not (place.home / "counts").is_dir()  # each runs until we end it
    result = place.result()
    assert [arm.name for arm in result.arms] == ["mine", "forked", "socket", "secure"]
    mine, forked_cell, behind_socket, over_tls = result.cells
    assert [trial.block for trial in mine.trials] == [0, 1]
    assert mine.throughput_per_s is not None
    assert mine.server_cpu_s_per_request is not None
    assert mine.ceiling_per_s is not None
    # Two processes listen, and neither is the other's parent.
    assert forked_cell.throughput_per_s is not None
    assert forked_cell.server_cpu_s_per_request is None
    assert forked_cell.server_rss_bytes is None
    assert behind_socket.server_cpu_s_per_request is not None
    assert behind_socket.ceiling_per_s is None
    assert over_tls.throughput_per_s is not None
    assert over_tls.ceiling_per_s is None
    (note,) = [note for note in result.notes if "already running" in note]
    assert note.startswith("mine, forked, socket, secure: already running, so")
    assert "already running" in (place.results / "report.html").read_text()


def test_where_nothing_runs_the_arm_is_a_row_that_says_so(place: Place) -> None:
    with socket.create_server(("127.0.0.1", 0)) as door:
        port = door.getsockname()[1]
    write(place, study(URL.format("mine", port)))
    assert run(place).returncode == 6
    (failure,) = place.result().failures
    assert failure.stage == "start"
    assert f"`mine` at `127.0.0.1:{port}`: no connection: Connection refused" in failure.reason


def test_tls_uses_a_certificate_made_for_the_run(place: Place) -> None:
    if shutil.which("openssl") is None:
        pytest.skip("`openssl` is not installed")
    arm = (
        '[[arms]]\nname = "mine"\ntls = true\n'
        'start = "{python} app.py {port} {certificate} {key}"\ntls_version = "1.2"\n'
    )
    write(place, study(arm))
    done = run(place)
    assert done.returncode == 0, done.stderr
    (trial,) = place.trials()
    assert trial.measurement is not None
    assert trial.measurement.handshakes is not None
    assert trial.measurement.handshakes.full > 0
    assert trial.measurement.handshakes.version == "1.2"
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
        assert planned.stdout.splitlines()[1].startswith("20 trials, about ")
        shorter = (place.home / "own.toml").read_text().replace('"5s"', '"1s"')
        (place.home / "own.toml").write_text(shorter.replace('"2s"', '"500ms"'))
        done = run(place, "--quick", "--blocks", "1")
    assert done.returncode == 0, done.stderr
    assert {cell.load for cell in place.result().cells} == {"full-speed", "steady"}
    assert all(cell.throughput_per_s is not None for cell in place.result().cells)
