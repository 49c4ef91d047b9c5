"""The shell steps of the guide to CI, run as a CI server runs them, except for the install."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from git_repository import Repository, with_branches

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

GUIDE = Path(__file__).parents[2] / "docs" / "guides" / "ci.md"
INSTALL = "python -m pip install ci/httpdyno-*.whl"
"""Not run: what is tested is this source tree, and not a release."""
SHORTER = "--blocks 5 --duration 200ms --warm-up 100ms --rate 1000"
"""Added to the comparison of a step, which takes four minutes as it is."""


def block(heading: str) -> str:
    """The workflow file under a heading."""
    text = GUIDE.read_text(encoding="utf-8")
    found = re.search(r"```yaml\n(.*?)```", text[text.index(f"## {heading}") :], re.DOTALL)
    assert found is not None
    return found[1]


def github_steps() -> list[str]:
    """The `run` of each step, on one line or several."""
    found = re.findall(r"^ +run: (?:\|\n((?:(?: {10}.*)?\n)+)|(.+)\n)", block("GitHub"), re.M)
    return [several or one for several, one in found]


def gitlab_steps() -> list[str]:
    """The commands of `before_script` and `script`; `>` joins the lines of one."""
    text = block("GitLab")
    before = re.search(r"before_script:\n +- (.*)\n", text)
    script = re.search(r"\n  script:\n    - >\n((?: {6}.*\n)+)", text)
    assert before is not None
    assert script is not None
    return [before[1], " ".join(line.strip() for line in script[1].splitlines())]


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A clone with the branch `slow` merged into its target, as a CI server checks it out."""
    with_branches(tmp_path / "origin")
    subprocess.run(
        ["git", "clone", "--quiet", str(tmp_path / "origin"), str(tmp_path / "clone")], check=True
    )
    repository = Repository(tmp_path / "clone")
    repository.git("checkout", "--quiet", "--detach", "origin/main")
    repository.git("merge", "--quiet", "--no-ff", "--message", "Merge", "origin/slow")
    return repository.folder


def run(step: str, folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """A step in bash, as GitHub runs it: `bash -e`. `httpdyno` is this source tree's."""
    programs = folder.parent / "programs"
    programs.mkdir(exist_ok=True)
    program = programs / "httpdyno"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m httpdyno "$@" {SHORTER}\n')
    program.chmod(0o755)
    (programs / "python").unlink(missing_ok=True)
    (programs / "python").symlink_to(sys.executable)
    own = {f"HTTPDYNO_{name}": str(folder.parent / name) for name in ("CACHE", "STATE", "DATA")}
    path = os.pathsep.join([str(programs), os.environ["PATH"]])
    python = {"PYTHONPATH": os.pathsep.join(sys.path)}
    return subprocess.run(
        ["bash", "-e", "-c", step],
        cwd=folder,
        env={**os.environ, **own, **python, "PATH": path, **variables},
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_steps_for_github_fail_for_a_slow_branch_and_show_why(clone: Path) -> None:
    install, compare = github_steps()
    assert install == INSTALL
    summary = clone.parent / "summary.md"
    done = run(compare, clone, GITHUB_BASE_REF="main", GITHUB_STEP_SUMMARY=str(summary))
    assert done.returncode == 8, done.stdout + done.stderr
    # On a busy machine, its CPU time alone may show the regression.
    assert re.search("HEAD (serves .* fewer|uses .* the CPU time)", summary.read_text())
    assert "a regression beyond your margin of 5 %" in summary.read_text()
    assert "<failure" in (clone / "httpdyno.xml").read_text()


def test_the_step_for_github_only_warns_when_it_cannot_tell(clone: Path) -> None:
    compare = github_steps()[1]
    script = re.sub(r"httpdyno compare (?:.*\\\n)+.*junit=httpdyno.xml", "(exit 9)", compare)
    assert script != compare
    done = run(script, clone, GITHUB_STEP_SUMMARY="/dev/null")
    assert (done.returncode, done.stdout.partition("::")[2][:7]) == (0, "warning")


def test_the_commands_for_gitlab_do_not_fail_for_a_branch_that_is_no_slower(clone: Path) -> None:
    repository = Repository(clone)
    install, compare = gitlab_steps()
    assert install == INSTALL
    done = run(
        compare,
        clone,
        CI_MERGE_REQUEST_DIFF_BASE_SHA=repository.git("rev-parse", "origin/slow"),
        CI_COMMIT_SHA=repository.git("rev-parse", "origin/main"),
    )
    # On a busy machine, five short trials may not tell about p99: 9 is a warning there.
    assert done.returncode in (0, 9), done.stdout + done.stderr
    checks = (clone / "httpdyno.xml").read_text()
    assert "<failure" not in checks
    assert "no regression shown: " in checks
