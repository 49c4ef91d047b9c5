"""`httpdyno servers` as a person or a program runs it: what it prints, and its exit codes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest
from httpdyno.servers.processes import process

TOML = """\
name        = "mine"
title       = "Mine"
language    = "Python"
homepage    = "https://example.org"
licence     = "MIT"
maintained  = true
concurrency = "one thread a connection"
workloads   = ["pong"]
install     = { kind = "none" }
version     = { command = ["{python}", "-c", "print('mine 1.2.3')"] }

[deployments.plain]
command = ["{python}", "app.py", "{port}"]
"""

APP = """\
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/plain")
        self.send_header("Content-Length", "4")
        self.end_headers()
        self.wfile.write(b"PONG")


ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
"""


class Shop:
    """A folder with a server in it, and the program run beside it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.environment = {
            **os.environ,
            "HTTPDYNO_CACHE": str(folder / "cache"),
            "HTTPDYNO_STATE": str(folder / "state"),
            "NO_COLOR": "1",
        }

    def has(self, app: str = APP, toml: str = TOML) -> str:
        """Write the server; returns its server.toml."""
        mine = self.folder / "mine"
        mine.mkdir(exist_ok=True)
        (mine / "app.py").write_text(app, encoding="utf-8")
        (mine / "server.toml").write_text(toml, encoding="utf-8")
        return str(mine / "server.toml")

    def command(self, *arguments: str) -> list[str]:
        return [sys.executable, "-m", "httpdyno", "servers", *arguments]

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            self.command(*arguments),
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )


@pytest.fixture
def shop(tmp_path: Path) -> Shop:
    return Shop(tmp_path)


def test_the_list_shows_every_server_with_its_deployments(shop: Shop) -> None:
    done = shop.run("list")
    assert done.returncode == 0, done.stderr
    lines = {line.split()[0]: line for line in done.stdout.splitlines()}
    assert {"go", "nginx", "node", "reference", "starlette", "tornado"} <= set(lines)
    assert "1-process 2-processes 4-processes" in lines["tornado"]


def test_the_list_is_json_for_programs_and_has_a_users_own_server(shop: Shop) -> None:
    done = shop.run("list", "--json", "--server", shop.has())
    rows = {row["name"]: row for row in json.loads(done.stdout)}
    assert rows["mine"]["deployments"] == {"plain": ""}
    assert rows["mine"]["installed"] is None


def test_a_dry_run_prints_the_commands_and_makes_nothing(shop: Shop) -> None:
    done = shop.run("install", "tornado", "--dry-run")
    assert done.returncode == 0, done.stderr
    assert "-m venv" in done.stdout.splitlines()[0]
    assert "-m pip install" in done.stdout.splitlines()[1]
    assert not (shop.folder / "cache").exists()


def test_a_right_server_is_checked_in_two_tables(shop: Shop) -> None:
    done = shop.run("check", "--server", shop.has())
    assert done.returncode == 0, done.stderr
    assert "mine 1.2.3, plain" in done.stdout
    words = [line.split() for line in done.stdout.splitlines()]
    assert ["pong", "GET", "/pong", "right", "200,", "4", "bytes"] in words
    assert ["404", "no", "status", "200"] in words


def test_a_wrong_answer_is_shown_by_its_first_wrong_byte_and_is_exit_code_3(shop: Shop) -> None:
    file = shop.has(app=APP.replace('b"PONG"', 'b"PING"'))
    done = shop.run("check", "--server", file)
    assert done.returncode == 3
    assert "body: from byte 1: got 'PING', expected 'PONG'" in done.stdout
    (row,) = json.loads(shop.run("check", "--json", "--server", file).stdout)
    assert (row["ok"], row["workloads"][0]["agrees"]) == (False, False)


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["check"], 2, "error: no server given: expected names, `--server FILE` or `--all`"),
        (["check", "tornada"], 2, "hint: did you mean `tornado`?"),
        (["check", "--server", "no-such.toml"], 2, "error: `no-such.toml` does not exist"),
        (
            ["start", "nginx", "--cpus", "zero"],
            2,
            "error: `--cpus zero`: expected processor numbers",
        ),
        (["start", "nginx", "--cpus", "9999"], 2, "error: `--cpus 9999`: processor 9999"),
        (["start", "nginx", "--deployment", "x"], 2, "error: `x` is not a deployment of `nginx`"),
    ],
)
def test_bad_input_is_one_clear_sentence_and_its_exit_code(
    shop: Shop, arguments: list[str], code: int, said: str
) -> None:
    done = shop.run(*arguments)
    assert (done.returncode, done.stdout) == (code, "")
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_a_server_that_dies_at_once_is_exit_code_3_with_its_last_words(shop: Shop) -> None:
    done = shop.run("check", "--server", shop.has(app="raise SystemExit('no teapot')"))
    assert done.returncode == 3
    assert "`mine` exited with code 1 before it was ready; its log ends: no teapot" in done.stderr
    assert "hint: its log: `" in done.stderr


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_start_prints_the_address_and_ends_the_server_when_asked(
    shop: Shop, number: signal.Signals
) -> None:
    program = subprocess.Popen(
        shop.command("start", "mine", "--server", shop.has()),
        env=shop.environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert program.stdout is not None
    url = program.stdout.readline().strip()
    assert urllib.request.urlopen(url, timeout=5).read() == b"PONG"
    (entry,) = (shop.folder / "state" / "running").iterdir()
    server_pid = json.loads(entry.read_text(encoding="utf-8"))["pid"]
    program.send_signal(number)
    program.communicate(timeout=30)
    assert program.returncode == 0
    assert process(server_pid) is None
