"""action.yml in a temporary clone: two builds of a real server, files and an API as GitHub's."""

from __future__ import annotations

import json
import re
import subprocess
import tomllib
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
import yaml
from composite_action import ROOT, Job
from issues_api import TOKEN, Issues, issues_api
from pull_request import job_for
from study_place import Place

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

START = "python3 app.py {port}"
Made = Callable[..., Job]


@pytest.fixture
def made(place: Place) -> Made:
    """Makes the job of a pull request."""
    return partial(job_for, place)


def comment_on(issues: Issues, job: Job) -> None:
    job.token = TOKEN
    job.variables = {**job.variables, "GITHUB_API_URL": issues.url}


def test_a_slow_pull_request_fails_with_summary_outputs_artifact_and_an_edited_comment(
    made: Made,
) -> None:
    job = made()
    with issues_api() as issues:
        comment_on(issues, job)
        job.run(start=START, margin="5% p99=40%", comment="true", artifact="performance")
        assert job.code == 8, job.log
        job.run(start="false {port}", comment="true")  # the next push: it does not start
        assert job.code == 3
        (one,) = issues.comments
    assert "could not compare the two builds" in one["body"]
    assert job.outputs["verdict"] == "error"
    first, second = job.summary.split("### httpdyno could not compare", 1)
    assert re.search("pull request (serves .* fewer|uses .* the CPU time)", first)
    assert "cannot be measured" in second
    assert re.search(r"^::error title=httpdyno::The pull request ", job.log, re.MULTILINE)
    version = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"]["version"]
    asked = (job.home / "uv.txt").read_text().splitlines()
    assert asked == [f"tool install --quiet --no-config httpdyno=={version}"] * 2
    (report,) = (job.home / "artifacts" / "performance").glob("report.html")
    assert report.stat().st_size > 10_000
    assert TOKEN not in job.log + job.summary
    assert {file.suffix for file in report.parent.iterdir()} == {".html", ".json", ".md", ".toml"}
    study = (report.parent / "study.toml").read_text()
    assert "pull request" in study


def test_a_fork_gets_its_summary_without_a_comment(made: Made) -> None:
    job = made()
    with issues_api() as issues:
        issues.writes = False
        comment_on(issues, job)
        job.run(start=START, comment="true", artifact="")
        assert issues.comments == []
    assert job.code == 8, job.log
    assert "**What this runner can show**" in job.summary
    assert "::warning title=httpdyno::no comment was written: GitHub refused it with 403" in job.log
    assert not (job.home / "artifacts").exists()
    assert {*job.outputs} == {"verdict", "ratio", "interval", "report"}
    low, high = json.loads(job.outputs["interval"])
    assert low < float(job.outputs["ratio"]) < high


def test_inputs_and_words_of_servers_are_no_commands(made: Made, tmp_path: Path) -> None:
    hostile = f"'; touch {tmp_path}/owned; $(touch {tmp_path}/owned) `touch {tmp_path}/owned`"
    job = made(GITHUB_BASE_REF=f"x$(touch {tmp_path}/owned)")
    job.run(start=START, base=hostile)
    several = ("head", "path", "blocks", "workload", "margin", "version", "fail_on")
    job.run(start="false {port}", **dict.fromkeys(several, hostile))
    build = "sh -c 'echo ::error::mine; echo ::add-mask::compare; env >&2; exit 1'"
    job.run(start=START, build=build, comment="true")
    assert job.code == 3, job.log
    assert not (tmp_path / "owned").exists()
    stopped = re.sub(r"::stop-commands::(\w+)\n(.*?)^::\1::$", "", job.log, flags=re.M | re.S)
    commands = re.findall(r"^\s*::.*", stopped, re.MULTILINE)
    assert {one.partition("::")[2].partition(" ")[0] for one in commands} == {"error", "warning"}
    assert all(" title=httpdyno::" in one for one in commands)


def test_the_token_reaches_neither_the_build_nor_the_server(made: Made, tmp_path: Path) -> None:
    job = made()
    job.token = TOKEN
    seen = tmp_path / "environment"
    job.run(start="false {port}", build=f"sh -c 'env >>{seen}'", comment="true")
    variables = seen.read_text()
    assert "GITHUB_BASE_REF=main" in variables
    assert TOKEN not in variables
    assert "HTTPDYNO_" not in variables


def test_a_clone_without_the_target_says_how_deep_to_fetch(made: Made) -> None:
    job = made()
    shallow = job.home / "shallow"
    command = ["git", "clone", "--quiet", "--depth", "1", f"file://{job.clone}", str(shallow)]
    subprocess.run(command, check=True)
    job.clone = shallow
    job.run(start=START)
    assert job.code == 2
    assert "Hint: `fetch-depth: 2` of actions/checkout" in job.summary


def test_every_action_is_pinned_and_every_input_reaches_the_script() -> None:
    text = (ROOT / "action.yml").read_text(encoding="utf-8")
    action = yaml.safe_load(text)
    uses = re.findall(r"uses: (.*)", text)
    assert len(uses) == 2
    assert all(re.fullmatch(r"[\w./-]+@[0-9a-f]{40} # v[\d.]+", one) for one in uses)
    script = (ROOT / ".ci" / "action").read_text()
    (step,) = [one for one in action["runs"]["steps"] if one.get("id") == "compare"]
    passed = set(re.findall(r"inputs\.([\w-]+)", " ".join(step["env"].values())))
    assert passed == action["inputs"].keys() - {"artifact"}
    for name in passed:
        variable = f"HTTPDYNO_INPUT_{name.upper().replace('-', '_')}"
        assert variable in step["env"]
        assert variable in script or re.search(rf"^for name in .*\b{name}\b", script, re.M), name
