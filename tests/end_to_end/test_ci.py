"""`httpdyno ci` in a clone as GitHub and GitLab make it, with two builds of a real server."""

from __future__ import annotations

import json
import re
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from git_repository import Repository, with_branches
from issues_api import TOKEN, issues_api
from study_place import Place
from warm_program import run

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

START = ["--start", "python3 app.py {port}"]
SHORT = ["--blocks", "5", "--duration", "200ms", "--warm-up", "100ms", "--rate", "1000"]
STUDY = """\
title          = "My server"
arms           = [{ name = "mine", start = "python3 app.py {port}" }]
workloads.page = { requests = [{ path = "/hello", expect = { status = 200, body = "Hello" } }] }
loads.full     = { kind = "closed", connections = 2, duration = "1s" }
"""
HOSTILE = "::error::a server says so"


@dataclass
class Job:
    """A job of CI in a clone: its environment, its files, and `httpdyno ci` run in it."""

    place: Place
    repository: Repository
    variables: dict[str, str] = field(default_factory=dict)

    @property
    def summary(self) -> str:
        return (self.place.home / "summary.md").read_text()

    @property
    def outputs(self) -> dict[str, str]:
        text = (self.place.home / "output").read_text()
        return dict(re.findall(r"(\w+)<<(?:end-\w+)\n(.*)\nend-", text))

    def run(self, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
        return run(
            self.place.program("ci", *arguments),
            cwd=self.repository.folder,
            env={**self.place.environment, **self.variables, **variables},
            stdin=subprocess.DEVNULL,
        )


@pytest.fixture
def clone(place: Place) -> Job:
    """`slow` merged into `main` and checked out; nothing in the environment says which CI it is."""
    repository = with_branches(place.home / "repository")
    repository.git("checkout", "--quiet", "--detach", "main")
    repository.git("merge", "--quiet", "--no-ff", "--message", "Merge", "slow")
    return Job(place, repository)


@pytest.fixture
def github(clone: Job) -> Job:
    home = clone.place.home
    (home / "event.json").write_text(json.dumps({"pull_request": {"number": 7}}))
    clone.variables = {
        "GITHUB_ACTIONS": "true",
        "GITHUB_BASE_REF": "main",
        "GITHUB_EVENT_NAME": "pull_request",
        "GITHUB_EVENT_PATH": str(home / "event.json"),
        "GITHUB_OUTPUT": str(home / "output"),
        "GITHUB_REPOSITORY": "me/shop",
        "GITHUB_SHA": clone.repository.git("rev-parse", "HEAD"),
        "GITHUB_STEP_SUMMARY": str(home / "summary.md"),
    }
    return clone


def test_a_slow_pull_request_fails_with_a_summary_outputs_and_a_comment(github: Job) -> None:
    with issues_api() as issues:
        token = {"HTTPDYNO_GITHUB_TOKEN": TOKEN, "GITHUB_API_URL": issues.url}
        done = github.run(*START, *SHORT, "--comment", **token)
        assert done.returncode == 8, done.stdout + done.stderr
        (one,) = issues.comments
    # On a busy machine, its CPU time alone may show the regression.
    told = "pull request (serves .* fewer requests/s than|uses .* the CPU time per request of) main"
    assert re.search(told, github.summary)
    assert "**What this runner can show**\n\n" in github.summary
    assert "By how much its 5 restarts of each build differed, a change of" in github.summary
    assert one["body"].partition("\n")[2] == github.summary.removesuffix("\n")
    outputs = github.outputs
    assert outputs["verdict"] == "regression"
    low, high = json.loads(outputs["interval"])
    assert low < float(outputs["ratio"]) < high
    assert Path(outputs["report"]).is_file()
    assert re.search(r"^::error title=httpdyno::The pull request ", done.stdout, re.MULTILINE)
    assert TOKEN not in done.stdout + done.stderr + github.summary
    assert re.search(r"`httpdyno ci --start .*? --comment`", github.summary)
    assert github.place.living() == []


def test_an_undecided_pull_request_is_a_warning_unless_it_is_to_fail(github: Job) -> None:
    # No run differs by less than a thousandth from itself.
    flags = [*START, *SHORT, "--base", "same", "--head", "main~0", "--margin", "0.01%"]
    done = github.run(*flags, "--fail-on", "undecided")
    if github.outputs["verdict"] != "cannot tell":
        pytest.skip(f"on this machine it was told: {github.outputs['verdict']}")
    assert done.returncode == 9
    assert "::warning title=httpdyno::Cannot tell if main" in done.stdout
    for file in ("output", "summary.md"):
        (github.place.home / file).unlink()
    again = github.run(*flags)
    assert again.returncode == {"cannot tell": 0, "regression": 8}[github.outputs["verdict"]]


def test_a_build_that_fails_is_in_the_summary_and_its_words_are_no_command(github: Job) -> None:
    build = f'sh -c \'echo "{HOSTILE}"; echo "password=hunter2"; exit 1\''
    with issues_api() as issues:
        token = {"HTTPDYNO_GITHUB_TOKEN": TOKEN, "GITHUB_API_URL": issues.url}
        done = github.run(*START, "--build", build, "--comment", **token)
        (comment,) = issues.comments
    assert done.returncode == 3
    assert "`main (" in github.summary
    assert "` failed to build: (see the log of this job)" in github.summary
    assert "hunter2" not in github.summary + comment["body"] + done.stdout
    assert github.outputs["verdict"] == "error"
    assert "could not compare the two builds" in github.summary
    lines = done.stdout.splitlines()
    assert lines[0].startswith("::stop-commands::")
    assert lines[1] == f"::{lines[0].removeprefix('::stop-commands::')}::"
    assert lines[2].startswith("::error title=httpdyno::")
    # The end of the log is on stderr, and commands are stopped on both streams.
    assert lines[3].startswith("::stop-commands::")
    assert lines[4] == f"::{lines[3].removeprefix('::stop-commands::')}::"
    assert "the end of `build.log`:\n: :error::a server says so\npassword=***\n" in done.stderr
    assert not [one for one in done.stderr.splitlines() if one.startswith("::")]


def test_elsewhere_the_markdown_is_on_stdout_and_the_checks_in_a_file(clone: Job) -> None:
    repository = clone.repository
    main = repository.git("rev-parse", "main")
    repository.git("checkout", "--quiet", "--detach", "same")
    checks = clone.place.home / "httpdyno.xml"
    clone.variables = {"GITLAB_CI": "true", "CI_MERGE_REQUEST_DIFF_BASE_SHA": main}
    (repository.folder / "study.toml").write_text(STUDY)
    study = ("--study", "study.toml")
    done = clone.run(*study, *SHORT, "--head", "main", "--export", f"junit={checks}")
    # On a busy machine, five short trials may not tell about p99: that is a warning.
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith("<!-- httpdyno: compare-main-with-")
    assert "**What this runner can show**" in done.stdout
    assert "::" not in done.stdout
    assert "<failure" not in checks.read_text()
