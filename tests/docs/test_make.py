"""Verbs of the Makefile that guides name and nothing else runs."""

from __future__ import annotations

import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def recipe_of(target: str) -> list[str]:
    if shutil.which("make") is None:
        pytest.skip("make is not installed")
    dry = ["make", "--dry-run", "--no-print-directory", target]
    shown = subprocess.run(dry, cwd=ROOT, capture_output=True, text=True, check=True)
    return shown.stdout.strip().splitlines()


def test_make_lock_locks_each_server_of_the_catalogue_that_names_its_packages() -> None:
    (loop,) = [line for line in recipe_of("lock") if line.startswith("for ")]
    line = loop.replace("uv pip compile", "echo")
    done = subprocess.run(["sh", "-c", line], cwd=ROOT, capture_output=True, text=True, check=True)
    written = {ROOT / shlex.split(line)[-1] for line in done.stdout.splitlines()}
    named = list(ROOT.glob("python/httpdyno/servers/catalogue/*/requirements.in"))
    assert named
    assert written == {file.with_suffix(".txt") for file in named}
    assert all(file.is_file() for file in written)


def test_make_man_writes_a_page_for_each_command(tmp_path: Path) -> None:
    recipe = recipe_of("man")[-1]
    here = recipe.replace(".venv/bin/python", shlex.quote(sys.executable))
    line = here.replace("target/man", shlex.quote(str(tmp_path)))
    subprocess.run(["bash", "-c", line], cwd=ROOT, check=True)
    assert (tmp_path / "httpdyno-run.1").is_file()
