"""`httpdyno ci` reads its own flags, and shows the command that does the same."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from git_repository import Repository, with_branches

from cli.conftest import Program

START = ("--start", "python3 app.py {port}")


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    """A repository in the working folder of the program, in no CI."""
    for name in ("DATA", "CACHE", "STATE"):
        monkeypatch.setenv(f"HTTPDYNO_{name}", str(tmp_path / name))
    for name in ("GITHUB_ACTIONS", "GITHUB_BASE_REF", "GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY"):
        monkeypatch.delenv(name, raising=False)
    return with_branches(tmp_path)


def test_faults_are_reported_together_and_in_the_summary(
    repository: Repository, called: Program
) -> None:
    done = called("ci", *START, "--base", "slow", "--fail-on", "never", "--blocks", "0")
    assert done.returncode == 2
    for said in ("`--fail-on never`: expected `regression` or `undecided`", "`--blocks 0`"):
        assert said in done.stderr
    assert done.stdout.startswith("### httpdyno could not compare the two builds")
    assert "`--blocks 0`" in done.stdout


def test_a_dry_run_shows_both_builds_by_their_names(
    repository: Repository, called: Program
) -> None:
    done = called("ci", *START, "--base", "slow", "--dry-run")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(
        "comparing the checked-out commit with slow: 10 blocks, 40 trials, about "
    )


def test_a_revision_is_not_taken_for_a_file_or_a_server(
    repository: Repository, called: Program
) -> None:
    repository.git("branch", "nginx", "slow")
    done = called("ci", *START, "--base", "nginx", "--dry-run")
    assert "arm nginx\n  start: python3 app.py {port}\n" in done.stdout


def test_an_error_on_github_is_no_command(
    repository: Repository, called: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    done = called("ci", *START, "--base", "nope\n::error::a ##[error]b")
    assert done.returncode == 2
    assert "`nope\\n::error::a ## [error]b`, the base, is not in this clone" in done.stderr
    first, *lines, last = (line for line in done.stdout.splitlines() if "::" in line)
    assert first.startswith("::error title=httpdyno::`nope\\n::error::a")
    # There is no summary on this runner, so it is in the log, where commands are stopped.
    assert last == f"::{lines[0].removeprefix('::stop-commands::')}::"
    assert "##[" not in done.stderr


def test_files_of_the_job_that_cannot_be_written_do_not_replace_the_error(
    repository: Repository, called: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_OUTPUT", "/none/output")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "/none/summary")
    done = called("ci", *START, "--base", "nowhere")
    assert done.returncode == 2
    for said in (
        "warning: `/none/output` cannot be written: No such file or directory\n",
        "warning: `/none/summary` cannot be written: No such file or directory\n",
        "error: `nowhere`, the base, is not in this clone\n",
    ):
        assert said in done.stderr
    assert done.stdout.startswith("### httpdyno could not compare the two builds")


def test_the_command_that_it_names_is_its_own(
    repository: Repository, called: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ("ci", *START, "--base", "slow", "--blocks=5", "--resume")
    monkeypatch.setattr(sys, "argv", ["httpdyno", *words])
    done = called(*words)
    assert done.returncode == 2
    own = "httpdyno ci --start 'python3 app.py {port}' --base slow --blocks=5`"
    assert f"begin one: `{own}" in done.stderr
