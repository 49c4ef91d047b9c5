"""The frame: answers at once, suggests, keeps its voice."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from httpdyno import __version__
from httpdyno.cli import main
from httpdyno.cli.frame import commands
from httpdyno.cli.frame.verbs import VERBS

from .conftest import PYTHON_SOURCES, Program

if TYPE_CHECKING:
    from httpdyno import _engine

HEAVY = ("jinja2", "numpy", "psutil", "rich", "sqlalchemy", "resvg_py")


SLOW_TO_LOAD = (*HEAVY, "pydantic", "statistics", "traceback", "urllib.request")


def imported(*arguments: str) -> set[str]:
    """The modules that the program imports, once it has ended well."""
    seen = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "httpdyno", *arguments],
        env={**os.environ, "PYTHONPATH": str(PYTHON_SOURCES)},
        capture_output=True,
        text=True,
        check=True,
    )
    return {line.rsplit("|", 1)[-1].strip() for line in seen.stderr.splitlines()}


@pytest.mark.parametrize("arguments", [["--help"], ["load", "--help"], ["ab", "-h"]])
def test_help_answers_without_any_heavy_import(arguments: list[str]) -> None:
    modules = imported(*arguments)
    assert "click" in modules
    assert modules.isdisjoint({*HEAVY, "pydantic", "httpdyno._engine"})


def test_the_version_answers_without_click() -> None:
    modules = imported("--version")
    assert "httpdyno.cli.main" in modules
    assert modules.isdisjoint({*SLOW_TO_LOAD, "click", "httpdyno._engine"})


def test_ab_and_httperf_load_the_engine_and_nothing_slow(server: _engine.Reference) -> None:
    host, _, port = server.address.rpartition(":")
    lines = (
        ["ab", "-n", "3", "-c", "2", f"http://{server.address}/hello"],
        ["httperf", f"--server={host}", f"--port={port}", "--uri=/hello"],
    )
    for line in lines:
        modules = imported(*line)
        assert "httpdyno._engine" in modules
        assert modules.isdisjoint({*SLOW_TO_LOAD, "click"}), line


def test_the_version_is_the_package_s(httpdyno: Program) -> None:
    assert httpdyno("--version").stdout == f"httpdyno {__version__}\n"


def test_nothing_at_all_shows_the_help(httpdyno: Program) -> None:
    answer = httpdyno()
    assert answer.returncode == 0
    assert "Verbs:" in answer.stdout


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_shows_its_help(httpdyno: Program, verb: str) -> None:
    answer = httpdyno(verb, "--help")
    assert answer.returncode == 0, answer.stderr
    assert f"Usage: httpdyno {verb}" in answer.stdout


def test_a_url_without_verb_is_answered_with_the_command_that_was_meant(httpdyno: Program) -> None:
    answer = httpdyno("http://localhost:8080/")
    assert answer.returncode == 2
    assert "hint: httpdyno load http://localhost:8080/" in answer.stderr


def test_a_reader_that_has_read_enough_is_no_error() -> None:
    program = subprocess.Popen(
        [sys.executable, "-m", "httpdyno", "--help"],
        env={**os.environ, "PYTHONPATH": str(PYTHON_SOURCES)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert program.stdout is not None
    program.stdout.close()
    _, errors = program.communicate(timeout=60)
    assert program.returncode == 0
    assert errors == b""


def _bug(*_: object) -> None:
    raise ZeroDivisionError("division by zero")


def _disk_full(*_: object) -> None:
    raise OSError(28, "No space left on device", "results.sqlite")


@pytest.mark.parametrize(
    ("fails", "code", "sentence"),
    [
        (_bug, 70, "error: this is a bug in httpdyno: ZeroDivisionError: division by zero"),
        (_disk_full, 4, "error: `results.sqlite`: No space left on device"),
    ],
)
def test_what_no_verb_foresaw_is_one_sentence_without_traceback(
    fails: object,
    code: int,
    sentence: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(commands.Verbs, "invoke", fails)
    assert main.run(["load", "http://x"]) == code
    errors = capsys.readouterr().err
    assert sentence in errors
    assert "Traceback" not in errors
