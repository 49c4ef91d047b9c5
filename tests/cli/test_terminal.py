"""The views on a terminal while a verb works: real programs on a pty."""

from __future__ import annotations

import os
import re
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import loaded_program
import pytest
from terminal import HIDES_CURSOR, STYLE, Terminal

from .conftest import PROGRAM, Program, environment

if TYPE_CHECKING:
    from httpdyno import _engine

INTERRUPTED = 130
SHORT_CEILINGS = (sys.executable, loaded_program.__file__)
OF_THE_VIEW = re.compile("in flight on|━|╵|times so far")


def on_terminal(
    folder: Path,
    *arguments: str,
    columns: int = 80,
    rows: int = 24,
    program: Sequence[str] = PROGRAM,
    **more: str,
) -> Terminal:
    own = {key: value for key, value in environment().items() if key not in ("NO_COLOR", "COLUMNS")}
    own |= {
        "TERM": "xterm-256color",
        "HTTPDYNO_STATE": str(folder / "state"),
        "HTTPDYNO_DATA": str(folder / "data"),
    }
    command = [*program, *arguments]
    return Terminal(command, columns, rows, cwd=folder, environment=own | more)


def measuring(shown: Terminal) -> bool:
    """A second is over, and drawn."""
    return any(re.search("(^|  )p99 .*[▁▂▃▄▅▆▇█]", line) for line in shown.lines)


def clean(shown: Terminal, code: int) -> None:
    """Nothing is left of the view, and the terminal works."""
    assert not OF_THE_VIEW.search(shown.text), shown.text
    assert shown.cursor_is_visible
    assert shown.exit_code == code, shown.text


@pytest.mark.parametrize(("columns", "rows"), [(80, 24), (80, 20), (200, 50), (40, 10)])
def test_a_load_is_drawn_while_it_runs_and_replaced_by_its_summary(
    columns: int, rows: int, server: _engine.Reference, tmp_path: Path
) -> None:
    url = f"http://{server.address}/hello"
    flags = ["--rate", "300", "-d", "3s"]
    with on_terminal(tmp_path, "load", url, *flags, columns=columns, rows=rows) as shown:
        shown.until(lambda now: measuring(now) and ("╵" in now.text or rows < 20))
        lines = shown.lines
        assert lines[0].startswith("http://127.0.0.1:")
        for label in ("requests/s", "p50", "p99", "replies", "generator"):
            assert any(line.startswith(label) for line in lines), shown.text
        assert any("━" in line and " of 3.0 s" in line for line in lines)
        # The line of the cursor is below the view, and the last column stays free.
        assert lines[rows - 1] == ""
        assert max(map(len, lines)) < columns
        assert shown.end().splitlines()[0].split(":")[0] in ("VALID", "SUSPECT", "INVALID")
        # On a busy machine a last arrival may be unsent; what was sent is answered.
        ((sent, ok),) = re.findall(r"(\d+) sent = (\d+) ok", " ".join(shown.text.split()))
        assert sent == ok
        assert 850 <= int(sent) <= 900
        clean(shown, 0 if "INVALID" not in shown.text else 6)
        assert HIDES_CURSOR not in shown.raw


def test_failed_calls_are_shown_by_class(server: _engine.Reference, tmp_path: Path) -> None:
    url = f"http://{server.address}/hello?fault=reset"
    with on_terminal(tmp_path, "load", url, "--rate", "100", "-d", "100s") as shown:
        shown.until(lambda now: any(re.match("errors +[0-9]+ reset$", one) for one in now.lines))
        shown.press(b"\x03")
        shown.end()
        clean(shown, INTERRUPTED)


@pytest.mark.parametrize(("columns", "rows"), [(50, 20), (120, 40), (60, 9)])
def test_a_load_follows_the_size_of_its_terminal(
    columns: int, rows: int, server: _engine.Reference, tmp_path: Path
) -> None:
    url = f"http://{server.address}/hello"
    with on_terminal(tmp_path, "load", url, "--rate", "300", "-d", "100s") as shown:
        shown.until(measuring)
        shown.resize(columns, rows)
        drawn = len(shown.raw)
        shown.until(lambda now: now.raw.count(b"requests/s", drawn) > 2)
        shown.until(lambda now: sum(one.startswith("requests/s") for one in now.lines) == 1)
        assert max(map(len, shown.lines)) < columns
        shown.press(b"\x03")
        shown.end()
        clean(shown, INTERRUPTED)


def test_without_colours_the_view_has_no_styles(server: _engine.Reference, tmp_path: Path) -> None:
    url = f"http://{server.address}/hello"
    flags = ["--rate", "300", "-d", "100s"]
    with on_terminal(tmp_path, "load", url, *flags, NO_COLOR="1") as shown:
        shown.until(measuring)
        shown.press(b"\x03")
        shown.end()
        assert not STYLE.search(shown.raw)
    with on_terminal(tmp_path, "load", url, *flags) as shown:
        shown.until(measuring)
        assert STYLE.search(shown.raw)


def test_httperf_shows_its_progress_while_it_works(
    server: _engine.Reference, tmp_path: Path
) -> None:
    host, _, port = server.address.rpartition(":")
    flags = [f"--server={host}", f"--port={port}", "--uri=/hello", "--rate=200"]
    with on_terminal(tmp_path, "httperf", *flags, "--num-conns=20000") as shown:
        shown.until(lambda now: measuring(now) and "in flight on" in now.text)
        shown.press(b"\x03")
        assert "Total: connections" in shown.end()


def test_a_dumb_terminal_gets_lines(server: _engine.Reference, tmp_path: Path) -> None:
    url = f"http://{server.address}/hello"
    with on_terminal(tmp_path, "load", url, "-n", "100", TERM="dumb", NO_COLOR="1") as shown:
        assert "100 sent = 100 ok" in shown.end()
        assert "closed load, 10 connections, HTTP/1.1, 100 requests" in shown.text
        assert b"\x1b" not in shown.raw


def test_a_terminal_of_another_encoding_gets_characters_that_it_has(
    server: _engine.Reference, tmp_path: Path
) -> None:
    url = f"http://{server.address}/hello?{'x' * 80}"
    flags = ["--rate", "300", "-d", "100s"]
    with on_terminal(tmp_path, "load", url, *flags, PYTHONIOENCODING="ascii") as shown:
        shown.until(lambda now: any(re.match("p99 +[.:=+#]", line) for line in now.lines))
        assert shown.text.count("http://") == 1  # an ellipsis of three characters fits, too
        shown.raw.decode("ascii")
        assert "\\u" not in shown.text
        shown.press(b"\x03")
        shown.end()


@pytest.mark.parametrize("how", ["Ctrl-C", "SIGTERM", "SIGHUP"])
def test_a_request_to_stop_leaves_a_clean_terminal(
    how: str, server: _engine.Reference, tmp_path: Path
) -> None:
    url = f"http://{server.address}/hello?delay=exponential:2ms"
    with on_terminal(tmp_path, "load", url, "--rate", "300", "-d", "100s") as shown:
        shown.until(measuring)
        if how == "Ctrl-C":
            shown.press(b"\x03")
        else:
            os.kill(shown.pid, getattr(signal, how))
        assert "(interrupted)" in shown.end()
        assert "stopping: waiting for replies in flight, at most 5 s" in shown.text
        clean(shown, INTERRUPTED)


def test_a_killed_load_leaves_a_terminal_that_works(
    server: _engine.Reference, tmp_path: Path
) -> None:
    url = f"http://{server.address}/hello"
    with on_terminal(tmp_path, "load", url, "--rate", "300", "-d", "100s") as shown:
        shown.until(measuring)
        os.kill(shown.pid, signal.SIGKILL)
        shown.end()
        assert shown.cursor_is_visible
        assert HIDES_CURSOR not in shown.raw
        assert b"\x1b[?1049h" not in shown.raw  # another screen, which nobody would leave


def test_what_is_no_terminal_gets_a_line_every_few_seconds(
    httpdyno: Program, server: _engine.Reference
) -> None:
    url = f"http://{server.address}/hello"
    answer = httpdyno("load", url, "--rate", "300", "-d", "7s")
    about, empty, *said = answer.stderr.splitlines()[1:]
    assert (about.startswith("open load, 300/s"), empty, len(said)) == (True, "", 1)
    line = r"[56]\.[0-9] s of 7\.0 s, [12]\.[0-9] s left: [0-9]+ requests/s, p50 .* p99 .*, none "
    line += "failed.*"
    assert re.fullmatch(line, said[0]), said
    assert "\x1b" not in answer.stderr


def test_a_sweep_shows_its_bar_its_table_and_its_charts(
    server: _engine.Reference, tmp_path: Path
) -> None:
    url = f"http://{server.address}/hello"
    flags = ["--rate", "100..300/100", "-d", "1.5s", "--cool-down", "0"]
    with on_terminal(tmp_path, "sweep", "load", url, *flags) as shown:
        shown.until(lambda now: any(re.match("now +[23]00/s", line) for line in now.lines))
        lines = shown.lines
        assert re.search("━+─+ {2}[12] of 3 rates {2}about [0-9]+ s left", lines[1])
        assert any(line.startswith("requests/s   replies/s") for line in lines)
        assert "kept up" in shown.end()
        assert " of 3 rates" not in shown.text
        assert shown.cursor_is_visible


_SERVER = """
name        = "{name}"
title       = "{name}"
language    = "Python"
homepage    = "https://example.org"
licence     = "MIT"
maintained  = true
concurrency = "none"
workloads   = ["pong"]
install     = {{ kind = "none" }}
version     = {{ command = ["sh", "-c", "until [ -e {go} ]; do sleep 0.05; done; {then}"] }}

[deployments.plain]
command = ["false"]
"""


@pytest.mark.parametrize("interrupted", [False, True])
def test_an_installation_of_many_shows_those_at_work_and_the_last_results(
    interrupted: bool, tmp_path: Path
) -> None:
    go, flags = tmp_path / "go", []
    for name, then in (("one", "echo one 1.0"), ("two", "exit 1"), ("three", "echo 3")):
        own = tmp_path / name
        own.mkdir()
        (own / "server.toml").write_text(_SERVER.format(name=name, go=go, then=then))
        flags += ["--server", str(own)]
    with on_terminal(
        tmp_path, "servers", "install", *flags, HTTPDYNO_CACHE=str(tmp_path / "cache")
    ) as shown:
        shown.until(
            lambda now: any(re.match("now +(one|two|three) +[0-9]+ s", x) for x in now.lines)
        )
        assert re.search("─+ {2}0 of 3 servers", shown.text)
        if interrupted:
            shown.press(b"\x03")
            assert "stopping: waiting for the servers that are running" in shown.end()
        else:
            go.touch()
            assert "2 ok, 1 failed" in shown.end()
            assert re.search("^two: failed ", shown.text, re.MULTILINE)
        assert "0 of 3 servers" not in shown.text
        clean(shown, INTERRUPTED if interrupted else shown.exit_code or 0)


_STUDY = """
title = "Two servers\\u001b[2J"
blocks = 2
[loads.paced]
kind = "requests"
rate = 200
connections = 4
duration = 2
"""
_ARM = """
[[arms]]
name = "{name}"
url = "http://{address}"
"""


@pytest.mark.slow
@pytest.mark.parametrize("interrupted", [False, True])
def test_a_study_shows_its_bar_its_trial_and_its_verdicts(
    interrupted: bool, server: _engine.Reference, tmp_path: Path
) -> None:
    arms = "".join(_ARM.format(name=name, address=server.address) for name in ("one", "two"))
    (tmp_path / "study.toml").write_text(_STUDY + arms)
    with on_terminal(tmp_path, "run", "study.toml", rows=30) as shown:
        before = re.compile(r"─+ {2}0 of 4 trials {2}about [0-9]+ s left\nnow +measuring the gen")
        shown.until(lambda now: before.search("\n".join(now.lines)) is not None)
        placed = re.compile("━+─+ {2}[1-3] of 4 trials {2}about [0-9]+ s left")
        shown.until(lambda now: measuring(now) and placed.search("\n".join(now.lines)) is not None)
        text = "\n".join(shown.lines)
        assert re.search("now {9}(one|two) · paced · 200/s", text)
        assert re.search("verdicts {4}[✓?✕] (one|two) · paced · 200/s: ", text)
        assert "Two servers\\x1b[2J" in text
        if interrupted:
            shown.press(b"\x03")
            shown.end()
            assert "httpdyno run study.toml --resume" in " ".join(shown.text.split())
        else:
            assert "report: " in shown.end()
        assert " of 4 trials  about" not in shown.text
        clean(shown, INTERRUPTED if interrupted else shown.exit_code or 0)


_SEARCH = "--restarts 1 --confirm 1 --step 300ms --no-profile --rate-max 1000 --limit p90<20ms"
_COMPARISON = "--path /hello --blocks 1 --duration 300ms --warm-up 100ms --rate 3000"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("verb", "of", "under_way", "result"),
    [
        (
            "capacity --url http://{0}/hello " + _SEARCH,
            2,
            r"mine · capacity · p90 ≤ 20 ms \((climb|confirm)\)",
            r"mine · capacity · p90 ≤ 20 ms: (at least )?[0-9,]+/s",
        ),
        (
            "compare http://{0} http://{0} " + _COMPARISON,
            4,
            r"\((A|B)\) · (full-speed|same-rate)",
            r"\((A|B)\) · (full-speed|same-rate).*: [0-9,]+/s",
        ),
    ],
    ids=["capacity", "compare"],
)
def test_a_search_and_a_comparison_look_like_a_study(
    verb: str, of: int, under_way: str, result: str, server: _engine.Reference, tmp_path: Path
) -> None:
    words = verb.format(server.address).split()
    with on_terminal(tmp_path, *words, columns=110, rows=40, program=SHORT_CEILINGS) as shown:
        begun = re.compile(rf"[━─]+  0 of {of} trials  about [0-9]+ s left\nnow +")
        shown.until(lambda now: begun.search("\n".join(now.lines)) is not None)
        told = re.compile(
            rf"━+─*  [1-{of}] of {of} trials.*\nnow +.*{under_way}.*verdicts +[✓?✕] .*{result}",
            re.DOTALL,
        )
        shown.until(lambda now: told.search("\n".join(now.lines)) is not None)
        assert "report: " in shown.end()
        clean(shown, shown.exit_code or 0)
        assert shown.exit_code in (0, 6)
