"""A command of an installation runs to its end, or is ended with whatever ends the wait for it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from httpdyno.servers.installation.execute import execute
from httpdyno.servers.log_limit import MOST_BYTES, NOTE

from .test_supervisor import wait_until_gone

INTERRUPTED_AT_ONCE = """\
import os, sys
from pathlib import Path
from httpdyno.servers.installation.execute import execute

command = ["sh", "-c", "trap 'exit 7' INT; kill -INT $PPID; while :; do sleep 0.1; done"]
for _ in range(30):
    try:
        wait = print if sys.argv[1] == "gently" else None
        execute(command, Path("log"), cwd=Path(), limit_s=60, still_waiting=wait)
        print("not interrupted")
    except KeyboardInterrupt:
        pass
    try:
        print("left:", os.waitpid(-1, os.WNOHANG))
    except ChildProcessError:
        pass
"""


def test_the_exit_code_and_the_output_of_a_command_are_known(tmp_path: Path) -> None:
    log = tmp_path / "log"
    assert execute(["sh", "-c", "echo one; exit 3"], log, cwd=tmp_path, limit_s=60) == 3
    assert log.read_text(encoding="utf-8") == "$ sh -c echo one; exit 3\none\n"


def test_a_command_does_not_know_the_database_of_results(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTPDYNO_STORE", "postgresql://me:hidden@db/bench")
    monkeypatch.setenv("MINE", "shown")
    log = tmp_path / "log"
    assert execute(["env"], log, cwd=tmp_path, limit_s=60) == 0
    assert "MINE=shown" in log.read_text(encoding="utf-8")
    assert "hidden" not in log.read_text(encoding="utf-8")


def test_a_command_that_takes_too_long_is_killed_with_what_it_started(tmp_path: Path) -> None:
    log = tmp_path / "log"
    command = ["sh", "-c", "sleep 1000 & echo $!; wait"]
    assert execute(command, log, cwd=tmp_path, limit_s=5) is None
    wait_until_gone(int(log.read_text(encoding="utf-8").splitlines()[-1]))


@pytest.mark.parametrize("how", ["gently", "at once"])
def test_an_interrupt_while_the_command_is_being_started_ends_it_too(
    tmp_path: Path, how: str
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED_AT_ONCE, how],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout, done.returncode) == ("", 0), done.stderr


def test_the_log_of_a_command_that_prints_without_end_stays_short(tmp_path: Path) -> None:
    log = tmp_path / "build.log"
    command = ["sh", "-c", "yes | head -c 40000000"]
    assert execute(command, log, cwd=tmp_path, limit_s=60.0) == 0
    assert log.stat().st_size < MOST_BYTES
    assert NOTE in log.read_bytes()
