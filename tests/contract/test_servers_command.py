"""`httpdyno servers` as a person or a program runs it: what it prints, and its exit codes."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import urllib.request
from contextlib import suppress
from pathlib import Path
from time import monotonic, sleep

import pytest
from httpdyno.servers.process.processes import process
from warm_program import PROGRAM, Popen, run

pytestmark = pytest.mark.timeout(300)  # on a busy machine

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

[ready]
timeout_s = 100

[stop]
grace_s = 100
"""

APP = """\
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = 65536

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
        return [*PROGRAM, "servers", *arguments]

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return run(self.command(*arguments), env=self.environment, timeout_s=250)


@pytest.fixture
def shop(tmp_path: Path) -> Shop:
    return Shop(tmp_path)


def test_the_list_shows_every_server_with_its_deployments(shop: Shop) -> None:
    done = shop.run("list")
    assert done.returncode == 0, done.stderr
    lines = {line.split()[0]: line for line in done.stdout.splitlines() if line}
    assert {"go", "nginx", "node", "reference", "starlette", "tornado"} <= set(lines)
    assert "1-process 2-processes 4-processes" in lines["tornado"]


def test_the_list_shows_a_users_own_server_first_and_those_of_history_last(shop: Shop) -> None:
    done = shop.run("list", "--json", "--server", shop.has())
    tiers = [row["tier"] for row in json.loads(done.stdout)]
    assert list(dict.fromkeys(tiers)) == [None, "today", "niche", "history"]
    assert tiers.count(None) == 1


def test_the_list_is_filtered_by_language_post_tier_and_ability(shop: Shop) -> None:
    def names(*flags: str) -> set[str]:
        done = shop.run("list", "--json", *flags)
        assert done.returncode == 0, done.stderr
        return {row["name"] for row in json.loads(done.stdout)}

    assert names("--language", "go", "--can", "echo") >= {"go"}
    assert "tornado" not in names("--language", "go")
    assert "tornado" in names("--post", "tornado-vs-starlette-2019", "--maintained")
    assert "nginx" not in names("--post", "tornado-vs-starlette-2019")
    assert "nginx" in names("--tier", "today", "--maintained")
    assert "misultin" in names("--tier", "history", "--unmaintained")
    piped = TOML.replace("[deployments", '[cannot]\npipelining = "it drops them"\n\n[deployments')
    file = shop.has(toml=piped)
    assert "mine" in names("--can", "keep-alive", "--server", file)
    assert "mine" not in names("--can", "pipelining", "--server", file)


def test_no_line_of_the_list_is_wider_than_a_hundred_columns(shop: Shop) -> None:
    lines = shop.run("list").stdout.splitlines()
    assert max(map(len, lines)) <= 100


ABSENT = """\
name        = "gone"
title       = "Gone"
language    = "C"
homepage    = "https://example.org"
licence     = "proprietary"
maintained  = false
concurrency = "unknown"
unavailable = "it is no longer sold"
"""


def test_a_server_that_cannot_be_had_is_a_row_of_every_verb(shop: Shop) -> None:
    file = shop.has(toml=ABSENT)
    said = "is unavailable: it is no longer sold"
    assert said in shop.run("list", "--server", file).stdout
    assert "it is no longer sold" in shop.run("show", "gone", "--server", file).stdout
    for verb in ("check", "install", "start"):
        done = shop.run(verb, "gone", "--server", file)
        assert done.returncode != 0
        assert f"error: `gone` {said}" in done.stderr


def test_one_server_is_shown_with_its_settings_and_its_last_check(shop: Shop) -> None:
    setting = """
[[settings]]
what   = "threads"
why    = "default: one"
source = "https://example.org/threads"
"""
    file = shop.has(toml=TOML + setting)
    assert "last check" not in shop.run("show", "mine", "--server", file).stdout
    shop.run("check", "--server", file)
    shown = shop.run("show", "mine", "--server", file).stdout
    assert "https://example.org/threads" in shown
    words = [line.split() for line in shown.splitlines()]
    (last,) = [line for line in words if line[:1] == ["plain,"]]
    assert last[2] == "right"
    (one,) = json.loads(shop.run("show", "mine", "--server", file, "--json").stdout)["checks"]
    assert (one["deployment"], one["ok"]) == ("plain", True)


def test_many_servers_are_installed_and_checked_and_each_failure_has_its_reason(
    shop: Shop,
) -> None:
    files: list[str] = []
    for name, app in (("right", APP), ("wrong", APP.replace("PONG", "PING")), ("dies", "exit(1)")):
        own = shop.folder / name
        own.mkdir()
        (own / "app.py").write_text(app, encoding="utf-8")
        toml = TOML.replace('"mine"', f'"{name}"')
        (own / "server.toml").write_text(toml, encoding="utf-8")
        files += ["--server", str(own)]
    absent = shop.folder / "gone"
    absent.mkdir()
    (absent / "server.toml").write_text(ABSENT, encoding="utf-8")
    files += ["--server", str(absent)]
    done = shop.run("install", *files)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "3 ok, 1 unavailable" in done.stdout
    results = shop.folder / "checks.json"
    done = shop.run("check", *files, "--deployment", "all", "--save", str(results))
    assert done.returncode == 3
    assert "1 ok, 2 failed, 1 unavailable" in done.stdout
    assert "got 'PING', expected 'PONG'" in " ".join(done.stdout.split())
    assert "exited with code 1 before it was ready" in " ".join(done.stdout.split())
    assert "[3/3]" in done.stderr
    saved = json.loads(results.read_text(encoding="utf-8"))
    assert {entry["server"]: entry["ok"] for entry in saved["entries"]} == {
        "right": True,
        "wrong": False,
    }
    assert saved["failures"] == {"dies": "its check failed"}


def test_an_interrupt_ends_every_server_of_a_long_check(shop: Shop) -> None:
    slow = APP.replace("class Handler", "ASKED = []\n\n\nclass Handler").replace(
        "        self.send_response(200)",
        "        ASKED.append(1)\n"
        "        len(ASKED) > 1 and __import__('time').sleep(60)\n"
        "        self.send_response(200)",
    )
    files: list[str] = []
    for name in ("one", "two", "three"):
        own = shop.folder / name
        own.mkdir()
        (own / "app.py").write_text(slow, encoding="utf-8")
        (own / "server.toml").write_text(TOML.replace('"mine"', f'"{name}"'), encoding="utf-8")
        files += ["--server", str(own)]
    program = Popen(
        shop.command("check", *files),
        env=shop.environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    records = shop.folder / "state" / "running"
    deadline = monotonic() + 250
    while len(pids := _pids(records)) < 2 and monotonic() < deadline:
        sleep(0.05)
    assert len(pids) == 2
    program.send_signal(signal.SIGINT)
    assert program.wait(timeout=250) == 130
    assert [process(pid) for pid in pids] == [None, None]
    assert not list(records.iterdir())


def _pids(records: Path) -> list[int]:
    found = []
    for file in records.glob("*.json") if records.is_dir() else ():
        with suppress(FileNotFoundError, ValueError):
            found.append(json.loads(file.read_text(encoding="utf-8"))["pid"])
    return [pid for pid in found if pid]


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
        (["check", "tornada"], 2, "did you mean `tornado`?"),
        (["check", "--server", "/dev/zero"], 2, "error: `/dev/zero` is not a file: expected a"),
        (["check", "nginx", "--save", "/none/x"], 4, "error: `/none/x` cannot be written: No such"),
        (["check", "--server", "no-such.toml"], 2, "error: `no-such.toml` does not exist"),
        (
            ["start", "nginx", "--cpus", "zero"],
            2,
            "error: `--cpus zero`: expected processor numbers",
        ),
        (["start", "nginx", "--cpus", "8000"], 2, "error: `--cpus 8000`: processor 8000"),
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


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_start_prints_the_address_and_ends_the_server_when_asked(
    shop: Shop, number: signal.Signals
) -> None:
    program = Popen(
        shop.command("start", "mine", "--server", shop.has()),
        env=shop.environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert program.stdout is not None
    url = program.stdout.readline().strip()
    assert urllib.request.urlopen(url, timeout=250).read() == b"PONG"
    (entry,) = (shop.folder / "state" / "running").iterdir()
    server_pid = json.loads(entry.read_text(encoding="utf-8"))["pid"]
    program.send_signal(number)
    _, talk = program.communicate(timeout=250)
    assert program.returncode == 0
    assert "stopping: waiting for `mine` to stop" in talk
    assert process(server_pid) is None


def test_a_second_interrupt_does_not_wait_for_a_server_that_does_not_stop(shop: Shop) -> None:
    asked = shop.folder / "asked"
    deaf = f"import signal\nsignal.signal(15, lambda *_: open({str(asked)!r}, 'w'))\n"
    program = subprocess.Popen(
        shop.command("start", "mine", "--server", shop.has(app=deaf + APP, toml=TOML)),
        env=shop.environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert program.stdout is not None
    program.stdout.readline()
    (entry,) = (shop.folder / "state" / "running").iterdir()
    server_pid = json.loads(entry.read_text(encoding="utf-8"))["pid"]
    program.send_signal(signal.SIGINT)
    while not asked.exists():
        sleep(0.02)
    program.send_signal(signal.SIGINT)
    program.communicate(timeout=250)
    assert program.returncode == 130
    assert process(server_pid) is None
    assert not list((shop.folder / "state" / "running").iterdir())


def test_the_list_is_written_to_a_terminal_without_any_but_ascii_letters(shop: Shop) -> None:
    shop.environment |= {"PYTHONIOENCODING": "ascii", "LC_ALL": "C"}
    done = shop.run("list")
    assert done.returncode == 0, done.stderr
    assert done.stdout.isascii()


def test_escape_sequences_of_a_server_reach_no_terminal(shop: Shop) -> None:
    red = "\\\\x1b[31m"
    app = APP.replace('"text/plain"', f'"{red}"').replace('b"PONG"', f'b"{red}"')
    toml = TOML.replace("mine 1.2.3", f"1.2.3{red}").replace(
        "[deployments.plain]", '[deployments.plain]\ndescription = "\\u001b[31m"'
    )
    file = shop.has(app=app.replace("\\\\", "\\"), toml=toml)
    outputs = [shop.run("check", "--server", file), shop.run("show", "mine", "--server", file)]
    shop.has(app="import sys; sys.exit('\\x1b[31m')", toml=toml)
    outputs += [shop.run("check", "--server", file), shop.run("list", "--server", file)]
    assert [done.returncode for done in outputs] == [3, 0, 3, 0]
    shown = "".join(done.stdout + done.stderr for done in outputs)
    assert "\x1b" not in shown
    assert shown.count("\\x1b[31m") >= 5


def test_a_state_folder_that_cannot_be_written_is_exit_code_4_before_anything_runs(
    shop: Shop,
) -> None:
    (shop.folder / "state").write_text("a file", encoding="utf-8")
    starts = [sys.executable, "-m", "httpdyno", "run", "demo", "--quick", "--results"]
    for command in (
        [*starts, str(shop.folder / "results")],
        shop.command("start", "mine", "--server", shop.has()),
    ):
        shop.environment |= {"HTTPDYNO_DATA": str(shop.folder / "data")}
        done = subprocess.run(
            command, env=shop.environment, capture_output=True, text=True, timeout=250, check=False
        )
        assert done.returncode == 4
        assert re.search(rf"`{shop.folder}/state/[a-z.]+` cannot be written: ", done.stderr)
        assert re.search("^hint: .*HTTPDYNO_STATE.* another folder", done.stderr, re.MULTILINE)
