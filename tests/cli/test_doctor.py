"""`httpdyno doctor`: one screen or JSON, an exit code, and no text of the machine that is raw."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from httpdyno import engine
from httpdyno.cli import doctor
from httpdyno.errors import ExitCode
from httpdyno.host.doctor import Finding

from .conftest import PROGRAM, Program, environment


def test_the_screen_has_the_drivers_and_the_limits(httpdyno: Program) -> None:
    answer = httpdyno("doctor")
    assert answer.returncode == ExitCode.OK
    assert answer.stderr == ""
    for name in ("io_uring", "processors", "neighbours", "open files", "local ports", "perf"):
        assert f"  {name} " in answer.stdout
    assert "\n\nThis machine can measure. " in answer.stdout
    if engine.probe().io_uring is None:
        assert "ok       io_uring             usable" in answer.stdout


def test_json_has_the_same_findings(httpdyno: Program) -> None:
    answer = httpdyno("doctor", "--json")
    document = json.loads(answer.stdout)
    assert document["ok"] is True
    assert document["driver"] == engine.probe().chosen
    first = document["findings"][0]
    assert first.keys() == {"name", "value", "state", "meaning", "remedy", "where"}


@pytest.mark.parametrize("columns", [40, 60, 80, 120])
def test_no_line_is_wider_than_the_terminal_but_a_command(columns: int) -> None:
    long = Finding("open files", "few " * 30, "limited", "so " * 40, "sudo " + "x" * 90, "later")
    lines = [line.plain for line in doctor._lines(long, columns)]
    assert all(len(line) <= columns for line in lines if "xxx" not in line)
    assert sum("x" * 90 in line for line in lines) == 1


def test_the_place_of_a_fix_is_no_wider_than_the_terminal() -> None:
    where = "in a container that was started with `docker run --cap-add NET_ADMIN`, and so on"
    for remedy in ("ip link set lo up", None):
        one = Finding("loopback", "no", "fails", "nothing", remedy, where)
        assert all(len(line.plain) <= 80 for line in doctor._lines(one, 80))


def test_text_of_the_machine_is_made_printable() -> None:
    hostile = Finding("neighbours", "\x1b[2J\x07evil", "limited", "\u202e")
    text = "".join(line.plain for line in doctor._lines(hostile, 80))
    assert text.isprintable()
    assert "\\x1b[2J" in text


needs_namespaces = pytest.mark.skipif(
    os.geteuid() != 0 or shutil.which("unshare") is None, reason="needs root and unshare"
)


def isolated(flags: str, before: str) -> subprocess.CompletedProcess[str]:
    line = ["unshare", *flags.split(), "sh", "-c", f'{before} && exec "$@"', "sh", *PROGRAM]
    return subprocess.run(
        [*line, "doctor"], env=environment(), capture_output=True, text=True, check=False
    )


@needs_namespaces
def test_without_proc_and_sys_it_still_answers() -> None:
    answer = isolated("--mount", "mount -t tmpfs none /proc && mount -t tmpfs none /sys")
    assert (answer.returncode, answer.stderr) == (ExitCode.OK, "")
    assert "unknown  neighbours" in answer.stdout


@needs_namespaces
def test_without_a_loopback_device_it_fails_with_the_command_that_sets_it_up() -> None:
    answer = isolated("--net", "true")
    assert answer.returncode == ExitCode.ENVIRONMENT
    assert "fails    loopback" in answer.stdout
    assert answer.stdout.splitlines()[-1] == "This machine cannot measure: fix what fails."
    if not Path("/.dockerenv").exists() and shutil.which("ip"):
        assert isolated("--net", "ip link set lo up").returncode == ExitCode.OK
