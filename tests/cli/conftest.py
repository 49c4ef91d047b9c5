"""The real program, as a process; a measurement to show."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

PYTHON_SOURCES = Path(__file__).parents[2] / "python"

Program = Callable[..., subprocess.CompletedProcess[str]]


def environment() -> dict[str, str]:
    """The environment of the program: this source tree, 80 columns, no colour."""
    return {**os.environ, "PYTHONPATH": str(PYTHON_SOURCES), "COLUMNS": "80", "NO_COLOR": "1"}


@pytest.fixture
def httpdyno(tmp_path: Path) -> Program:
    """Run `httpdyno` with arguments in an empty folder, and give its output and exit code."""

    def run(*arguments: str, timeout_s: float = 60) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "httpdyno", *arguments],
            cwd=tmp_path,
            env=environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=timeout_s,
            check=False,
        )

    return run
