"""A verb of the Makefile that guides name and nothing else runs."""

from __future__ import annotations

import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def test_make_man_writes_a_page_for_each_command(tmp_path: Path) -> None:
    if shutil.which("make") is None:
        pytest.skip("make is not installed")
    dry = ["make", "--dry-run", "--no-print-directory", "man"]
    shown = subprocess.run(dry, cwd=ROOT, capture_output=True, text=True, check=True)
    recipe = shown.stdout.strip().splitlines()[-1]
    here = recipe.replace(".venv/bin/python", shlex.quote(sys.executable))
    line = here.replace("target/man", shlex.quote(str(tmp_path)))
    subprocess.run(["bash", "-c", line], cwd=ROOT, check=True)
    assert (tmp_path / "httpdyno-run.1").is_file()
