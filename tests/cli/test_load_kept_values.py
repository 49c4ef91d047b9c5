"""Sessions of a workload that log in first: values of a reply are sent by later calls."""

from __future__ import annotations

import json
import subprocess
import sys
from base64 import b64decode
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
import shop

from .conftest import CLOSED_AT, Program

OK, USAGE, INVALID = 0, 2, 6
LOGIN = """\
session = true

[[requests]]
path    = "/login"
headers = { Content-Type = "application/json" }
body    = '''{"email": "u{sequence:1}@example.org",
  "password": "secret of u{sequence:1}@example.org"}'''
keep    = { token = { json = "/access_token" }, email = { regex = '"email": "([^"]+)"' } }
expect  = { status = 200, any = true }

[[requests]]
path    = "/items/{random:1:10000}"
headers = { Authorization = "Bearer {token}" }

[[requests]]
path    = "/orders?token={token}&email={email}"
headers = { Authorization = "Bearer {token}", Content-Type = "application/json" }
body    = '{"item": {random:1:10000}, "count": 1, "for": "{email}"}'
weight  = 2
think   = "1ms"
expect  = { status = 201, any = true }
"""


@contextmanager
def running(log: Path) -> Iterator[str]:
    """A shop as a program of its own, which logs its requests."""
    program = [sys.executable, shop.__file__, "0", "--log", str(log)]
    with subprocess.Popen(program, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            yield f"http://127.0.0.1:{process.stdout.readline().split()[1]}"
        finally:
            process.kill()


def logged(log: Path) -> list[tuple[str, str, int, bytes]]:
    """Method, target, status and body of each request."""
    lines = [line.split(" ") for line in log.read_text().splitlines()]
    return [(one[0], one[1], int(one[2]), b64decode(one[3])) for one in lines]


@pytest.mark.parametrize(
    "load",
    [
        ["-c", "8", "--threads", "2"],
        ["--sessions", "300", "--threads", "2"],
        ["-c", "2", "--driver", "epoll", "--no-keep-alive"],
    ],
)
def test_each_session_logs_in_and_sends_its_own_token(
    called: Program, tmp_path: Path, load: list[str]
) -> None:
    (tmp_path / "login.toml").write_text(LOGIN)
    with running(tmp_path / "log") as url:
        flags = ["--workload", "./login.toml", "-n", "200", "--warm-up", "0", "--json", "m.json"]
        answer = called("load", url, *flags, *load)
    assert answer.returncode == OK, answer.stdout + answer.stderr
    measured = json.loads((tmp_path / "m.json").read_text())["measurement"]
    assert (measured["calls"]["ok"], measured["sessions"]["completed"]) == (800, 200)
    requests = logged(tmp_path / "log")
    orders = [one for one in requests if one[1].startswith("/orders")]
    assert len(orders) == 400
    users = set()
    for _, target, status, body in orders:
        query = {key: one for key, (one,) in parse_qs(urlsplit(target).query).items()}
        assert status == 201
        assert query["token"] == shop.token_of(query["email"])
        assert json.loads(body)["for"] == query["email"]
        users.add(query["email"])
    assert users == {f"u{number}@example.org" for number in range(1, 201)}


def test_kept_values_are_in_no_output(called: Program, tmp_path: Path) -> None:
    (tmp_path / "login.toml").write_text(LOGIN)
    files = ["m.json", "page.html", "calls.csv", "seconds.json", "x.md"]
    with running(tmp_path / "log") as url:
        flags = ["--workload", "./login.toml", "-n", "20", "-c", "2"]
        outputs = ["--json", "m.json", "--report", "page.html", "--call-log", "calls.csv"]
        outputs += ["--intervals", "seconds.json", "--export", "markdown=x.md"]
        answer = called("load", url, *flags, *outputs)
    assert answer.returncode == OK, answer.stdout + answer.stderr
    texts = [answer.stdout, answer.stderr, *((tmp_path / one).read_text() for one in files)]
    tokens = {
        shop.token_of(json.loads(body)["email"])
        for _, target, _, body in logged(tmp_path / "log")
        if target == "/login"
    }
    assert len(tokens) >= 20
    for text in texts:
        assert not any(token in text for token in tokens)


def test_a_reply_without_the_value_ends_the_session_and_shows_how_it_begins(
    called: Program, tmp_path: Path
) -> None:
    (tmp_path / "login.toml").write_text(LOGIN.replace("/access_token", "/token"))
    with running(tmp_path / "log") as url:
        flags = ["--workload", "./login.toml", "-n", "5", "--json", "m.json", "--warm-up", "0"]
        limit = ["--fail-if", "value_not_found>1%", "--call-log", "calls.csv"]
        answer = called("load", url, *flags, *limit)
    assert answer.returncode == INVALID, answer.stdout + answer.stderr
    calls = json.loads((tmp_path / "m.json").read_text())["measurement"]["calls"]
    assert (calls["errors"], calls["ok"], calls["unsent"]) == ({"value_not_found": 5}, 0, 15)
    shown = " ".join(answer.stdout.split())
    assert "value_not_found" in shown
    assert "the reply lacks a value that later calls of its session send" in shown
    assert 'no value at `/token`: it begins with "{"access_token": "***", "email":' in shown
    assert "threshold failed: value_not_found 100 % > 1 %" in shown
    assert "value_not_found" in (tmp_path / "calls.csv").read_text()
    assert {target for _, target, _, _ in logged(tmp_path / "log")} == {"/login"}


def test_a_login_that_is_refused_is_a_wrong_status_and_ends_the_session(
    called: Program, tmp_path: Path
) -> None:
    (tmp_path / "login.toml").write_text(LOGIN.replace("secret of u", "guess of u"))
    with running(tmp_path / "log") as url:
        flags = ["--workload", "./login.toml", "-n", "5", "--json", "m.json", "--warm-up", "0"]
        called("load", url, *flags)
    measured = json.loads((tmp_path / "m.json").read_text())["measurement"]
    calls, sessions = measured["calls"], measured["sessions"]
    assert (calls["wrong_status"], calls["unsent"], sessions["failed"]) == (5, 15, 5)


@pytest.mark.parametrize(
    ("before", "after", "fault"),
    [
        (
            'path    = "/login"',
            'path    = "/login?{token}"',
            "request `POST /login?{token}`: `{token}` is used before a call of its session",
        ),
        ('"/access_token"', '"access_token"', "`POST /login`: `token`: `access_token` is no JSON"),
        ('([^"]+)', '[^"]+', "request `POST /login`: `email`: the regular expression has no"),
        (
            'think   = "1ms"',
            'keep = { token = { header = "X" } }',
            "request `POST /orders?token=***&email={email}`: `token` is kept twice",
        ),
        ("session = true", "", "login.toml:8: `keep` is for later calls of a session"),
        ("Bearer {token}", "Bearer {tokens}", "`headers.Authorization`: column 8: expected a"),
        ("{ json =", "{ jsno =", "`jsno` is not a key"),
        ('json = "/access_token"', "", "`keep.token`: expected one of `json`, `regex`"),
    ],
)
def test_mistakes_are_errors_before_anything_is_sent(
    called: Program, tmp_path: Path, before: str, after: str, fault: str
) -> None:
    assert before in LOGIN
    (tmp_path / "login.toml").write_text(LOGIN.replace(before, after))
    answer = called("load", f"http://{CLOSED_AT}", "--workload", "./login.toml")
    assert answer.returncode == USAGE
    assert fault in answer.stderr, answer.stderr


def test_sweep_sends_sessions(called: Program, tmp_path: Path) -> None:
    (tmp_path / "login.toml").write_text(LOGIN)
    with running(tmp_path / "log") as url:
        flags = ["--workload", "./login.toml", "--sessions", "20..40/20", "-d", "1s"]
        swept = called("sweep", "load", url, *flags, "--warm-up", "0", "--json", "s.json")
    assert swept.returncode == OK, swept.stdout + swept.stderr
    targets = {target for _, target, _, _ in logged(tmp_path / "log")}
    assert any(target.startswith("/orders?token=") for target in targets)
