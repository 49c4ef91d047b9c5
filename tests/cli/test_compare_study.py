"""`compare --study` takes the commands and the requests of a study of one arm."""

from __future__ import annotations

from pathlib import Path

import pytest
from git_repository import Repository, with_branches
from httpdyno.cli.compare.flags import CompareFlags, Pair, read_flags
from httpdyno.cli.compare.specification import specification_of
from httpdyno.cli.faults import Faults
from httpdyno.cli.values import Values

from cli.conftest import Program

HEAD = 'title = "My server"\n'
LOADS = 'loads.full = { kind = "closed", connections = 2, duration = "1s" }\n'
WORKLOAD = 'workloads.page = { requests = [{ path = "/items", expect = { status = 200 } }] }\n'
ARM = 'arms = [{ name = "mine", start = "python3 app.py {port}", build = "make", env = { A = "1" }'
TLS = (
    'arms = [{ name = "mine", start = "python3 app.py {port} {certificate} {key}", tls = true }]\n'
)


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    """A repository in the working folder."""
    monkeypatch.chdir(tmp_path)
    return with_branches(tmp_path)


def study(repository: Repository, arm: str = f"{ARM}, cores = 2, ready = '/up' }}]\n") -> None:
    (repository.folder / "study.toml").write_text(HEAD + arm + WORKLOAD + LOADS)


def test_both_builds_have_the_commands_of_the_study_and_send_its_requests(
    repository: Repository,
) -> None:
    study(repository)
    flags = CompareFlags(study="study.toml", env=["B=2"])
    faults = Faults("httpdyno compare --help")
    made = read_flags(Values(faults), Pair("main", "slow"), flags)
    spec = specification_of(made)
    for arm in spec.arms:
        assert (arm.commands.start, arm.commands.build) == ("python3 app.py {port}", "make")
        assert (arm.commands.ready, arm.commands.cores) == ("/up", 2)
        assert arm.commands.env == {"A": "1", "B": "2"}
    assert spec.work.name == "page"
    assert [one["path"] for one in spec.work.keys["workloads"]["page"]["requests"]] == ["/items"]


def test_a_study_without_requests_of_its_own_sends_those_of_its_workload(
    repository: Repository, called: Program
) -> None:
    file = repository.folder / "study.toml"
    arm = 'arms = [{ name = "mine", start = "x {port}", workload = "pong" }]\n'
    file.write_text(HEAD + arm + LOADS)
    shown = called("compare", "main", "slow", "--study", "study.toml", "--dry-run")
    assert shown.returncode == 0, shown.stderr
    assert "arm slow\n  start: x {port}\n" in shown.stdout


@pytest.mark.parametrize(
    ("arm", "flags", "said"),
    [
        (f"{ARM} }}, {{ name = 'b', start = 'y' }}]\n", [], "has 2 arms: expected one"),
        ("arms = [{ name = 'a', url = 'http://localhost:1/' }]\n", [], "has no `start`"),
        (f"{ARM}, cwd = 'web' }}]\n", [], "has `cwd`, which does not apply to revisions"),
        (TLS, [], "has `tls`, which does not apply"),
        (f"{ARM}, cores = 'all' }}]\n", [], "has `cores`, which does not apply"),
        (f"{ARM} }}]\n", ["--path", "/"], "`--study` and `--path` exclude each other"),
        (f"{ARM} }}]\n", ["--start", "x {port}"], "`--study` and `--start` exclude each other"),
    ],
)
def test_a_study_that_does_not_fit_is_one_error(
    repository: Repository, called: Program, arm: str, flags: list[str], said: str
) -> None:
    (repository.folder / "web").mkdir()
    study(repository, arm)
    done = called("compare", "main", "slow", "--study", "study.toml", *flags, "--dry-run")
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
