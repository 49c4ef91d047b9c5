"""`httpdyno compare --dry-run` reports what would stop the comparison, and prints each command."""

from __future__ import annotations

from pathlib import Path

import pytest
from git_repository import Repository, with_branches

from cli.conftest import Program

START = ("--start", "python3 app.py {port}")


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    """A repository in the working folder of the program."""
    for name in ("DATA", "CACHE", "STATE"):
        monkeypatch.setenv(f"HTTPDYNO_{name}", str(tmp_path / name))
    return with_branches(tmp_path)


def test_a_revision_that_nothing_says_how_to_start_stops_the_dry_run(
    repository: Repository, called: Program
) -> None:
    for first in ("main", "."):
        planned = called("compare", first, "slow", "--dry-run")
        assert (planned.returncode, planned.stdout) == (2, "")
        told = f"`--start` is missing: `{first}` has no `server.toml` at its top"
        assert told in planned.stderr
    (repository.folder / "server.toml").write_text("")
    planned = called("compare", ".", "slow", "--dry-run")
    assert "`--start` is missing: `slow` has no" in planned.stderr


def test_a_result_that_is_no_baseline_stops_the_dry_run(
    repository: Repository, called: Program
) -> None:
    (repository.folder / "before.json").write_text("{}")
    planned = called("compare", "nginx", "before.json", "--dry-run")
    assert (planned.returncode, planned.stdout) == (2, "")
    assert "`before.json` is a result: expected it as the first of the two" in planned.stderr


def test_a_dry_run_prints_how_each_arm_is_built_and_started(
    repository: Repository, called: Program
) -> None:
    built = called("compare", "main", "slow", *START, "--build", "make all", "--dry-run")
    assert built.returncode == 0, built.stderr
    for name in ("main", "slow"):
        told = f"arm {name}\n  build: make all\n  start: python3 app.py {{port}}\n"
        assert told in built.stdout
    given = ("cmd:./new {port}", "http://127.0.0.1:3000")
    others = called("compare", *given, "--dry-run").stdout
    assert "arm ./new\n  start: ./new {port}\n" in others
    assert "arm 127.0.0.1:3000\n  runs already: http://127.0.0.1:3000\n" in others
    known = called("compare", "nginx", "slow", *START, "--dry-run").stdout
    assert "arm nginx/1-worker\n  start: " in known
    repository.commit("Say how it starts", server_toml="")
    declared = called("compare", "HEAD", "slow", "--dry-run")
    assert "`slow` has no `server.toml`" in declared.stderr
