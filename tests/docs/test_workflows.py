"""The workflows of this repository: pinned actions, least permissions, and one release."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[2]
GITHUB = ROOT / ".github"
FILES = {file.name: file for file in (GITHUB / "workflows").glob("*.yml")}
WORKFLOWS: dict[str, Any] = {
    name: yaml.safe_load(file.read_text(encoding="utf-8")) for name, file in FILES.items()
}
FORMS = [file for file in (GITHUB / "ISSUE_TEMPLATE").glob("*.yml") if file.name != "config.yml"]
JOBS = [(name, job) for name, one in WORKFLOWS.items() for job in one["jobs"]]
VERSION = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"]["version"]


def test_every_action_is_pinned_to_one_hash_with_its_version() -> None:
    texts = [file.read_text(encoding="utf-8") for file in [*FILES.values(), ROOT / "action.yml"]]
    uses = [one for text in texts for one in re.findall(r"uses: (.*)", text)]
    pins = {one for one in uses if not one.startswith("./")}
    assert all(re.fullmatch(r"[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", one) for one in pins)
    actions = [one.partition("@")[0] for one in pins]
    assert len(actions) == len(set(actions)) > 8


@pytest.mark.parametrize(("name", "job"), JOBS)
def test_a_job_has_only_the_permissions_that_it_names_and_keeps_no_credentials(
    name: str, job: str
) -> None:
    assert WORKFLOWS[name]["permissions"] == {}
    made = WORKFLOWS[name]["jobs"][job]
    assert made["permissions"]
    for step in made.get("steps", []):
        if step.get("uses", "").startswith("actions/checkout@"):
            assert step["with"]["persist-credentials"] is False
        assert "${{" not in step.get("run", "")


def test_ci_runs_the_targets_that_developers_run() -> None:
    run = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    targets = re.findall(r"^make ([\w-]+)", run, re.MULTILINE)
    assert WORKFLOWS["ci.yml"]["jobs"]["make"]["strategy"]["matrix"]["target"] == targets


def test_the_release_uploads_from_the_workflow_that_the_tag_starts() -> None:
    jobs = WORKFLOWS["release.yml"]["jobs"]
    assert list(jobs) == ["draft", "build", "attest", "pypi", "image", "docs", "publish"]
    assert [job.get("needs") for job in jobs.values()] == [None, *list(jobs)[:-1]]
    assert jobs["pypi"]["permissions"] == {"id-token": "write"}
    assert jobs["pypi"]["environment"]["name"] == "pypi"
    assert any("gh-action-pypi-publish" in step.get("uses", "") for step in jobs["pypi"]["steps"])
    assert WORKFLOWS["release.yml"][True].keys() == {"push"}  # YAML 1.1 reads `on` as true


def notes(tag: str, folder: Path) -> subprocess.CompletedProcess[str]:
    script = folder / ".ci" / "release-notes"
    return subprocess.run(
        [sys.executable, script, tag], capture_output=True, text=True, check=False
    )


def test_the_notes_of_a_release_are_its_part_of_the_changelog(tmp_path: Path) -> None:
    (tmp_path / ".ci").mkdir()
    shutil.copy(ROOT / ".ci" / "release-notes", tmp_path / ".ci")
    (tmp_path / "Cargo.toml").write_text('[workspace.package]\nversion = "1.2.0"\n')
    changes = tmp_path / "CHANGELOG.md"
    changes.write_text("# Changelog\n\n## 1.2.0 (2027-01-02)\n\n- New\n\n## 1.1.0\n\n- Old\n")
    assert notes("v1.2.0", tmp_path).stdout == "- New\n"
    assert "`v1.3.0`, and Cargo.toml has version 1.2.0" in notes("v1.3.0", tmp_path).stderr
    changes.write_text("## 1.2.0 (unreleased)\n\n- New\n")
    assert "calls 1.2.0 unreleased" in notes("v1.2.0", tmp_path).stderr
    changes.write_text("## 1.1.0\n")
    assert "has no part `## 1.2.0`" in notes("v1.2.0", tmp_path).stderr


def test_the_citation_names_this_version() -> None:
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert cited["version"] == VERSION
    assert {"cff-version", "message", "title", "authors"} <= cited.keys()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert cited["repository-code"] == project["urls"]["Repository"]
    assert " OR ".join(cited["license"]) == project["license"]


@pytest.mark.parametrize("file", FORMS, ids=lambda file: file.stem)
def test_an_issue_form_has_what_github_requires(file: Path) -> None:
    form = yaml.safe_load(file.read_text(encoding="utf-8"))
    assert {"name", "description", "body"} <= form.keys()
    fields = [one for one in form["body"] if one["type"] != "markdown"]
    assert len({one["id"] for one in fields}) == len(fields)
    assert all(one["attributes"]["label"] for one in fields)
    assert any(one.get("validations", {}).get("required") for one in fields)


def test_a_wrong_number_comes_with_its_result_file() -> None:
    form = yaml.safe_load((GITHUB / "ISSUE_TEMPLATE" / "wrong-number.yml").read_text())
    (result,) = [one for one in form["body"] if one.get("id") == "result"]
    assert "result.json" in result["attributes"]["description"]
    assert result["validations"] == {"required": True}
