"""The real program, as a process; the reference server, for it to load."""

from __future__ import annotations

import atexit
import os
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from httpdyno import engine
from httpdyno.cli import main
from httpdyno.cli.reference import served_pages

if TYPE_CHECKING:
    from httpdyno import _engine

PYTHON_SOURCES = Path(__file__).parents[2] / "python"
PROGRAM = [sys.executable, "-m", "httpdyno"]

# Bound and never listening: nobody else can take the port, and every connection is refused.
HELD = socket.socket()
HELD.bind(("127.0.0.1", 0))
atexit.register(HELD.close)
CLOSED_AT = f"127.0.0.1:{HELD.getsockname()[1]}"
"""An address that refuses every connection."""

Program = Callable[..., subprocess.CompletedProcess[str]]


def environment() -> dict[str, str]:
    """The environment of the program: this source tree, 80 columns, no colour."""
    return {**os.environ, "PYTHONPATH": str(PYTHON_SOURCES), "COLUMNS": "80", "NO_COLOR": "1"}


@pytest.fixture
def httpdyno(tmp_path: Path) -> Program:
    """Run `httpdyno` with arguments in an empty folder, and give its output and exit code."""

    def run(*arguments: str, timeout_s: float = 60) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*PROGRAM, *arguments],
            cwd=tmp_path,
            env=environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=timeout_s,
            check=False,
        )

    return run


@pytest.fixture
def called(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Program:
    """Run `httpdyno` with arguments in an empty folder, in this process: no second is lost."""
    monkeypatch.chdir(tmp_path)
    for name, value in {"COLUMNS": "80", "NO_COLOR": "1"}.items():
        monkeypatch.setenv(name, value)

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        capfd.readouterr()
        code = main.run(arguments)
        printed = capfd.readouterr()
        return subprocess.CompletedProcess(arguments, code, printed.out, printed.err)

    return run


@pytest.fixture
def shell(tmp_path: Path) -> Program:
    """Run a line of bash in an empty folder; `$httpdyno` is the program."""

    def run(line: str, **variables: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["/bin/bash", "-c", line],
            cwd=tmp_path,
            env=environment() | {"httpdyno": " ".join(PROGRAM)} | variables,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="backslashreplace",
            timeout=60,
            check=False,
        )

    return run


@pytest.fixture
def server() -> Iterator[_engine.Reference]:
    """The reference server on a free port."""
    with engine.reference(pages=served_pages()) as running:
        yield running


def started(folder: Path, *arguments: str, **more: Any) -> subprocess.Popen[str]:
    """The program, running in `folder`."""
    return subprocess.Popen(
        [*PROGRAM, *arguments],
        cwd=folder,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **more,
    )
