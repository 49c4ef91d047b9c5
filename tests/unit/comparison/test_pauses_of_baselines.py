"""A baseline that was measured with think times is compared with a server that gets them, too."""

from __future__ import annotations

from pathlib import Path

import pytest
from compared import result, trials
from git_repository import Repository, with_branches
from httpdyno.cli.compare.flags import CompareFlags, Pair, read_flags
from httpdyno.cli.compare.specification import specification_of
from httpdyno.cli.faults import Faults
from httpdyno.cli.values import Values
from httpdyno.comparison.loads import same_rate
from httpdyno.comparison.specification import Specification
from httpdyno.comparison.study import Work, comparison_keys, comparison_study
from httpdyno.errors import UsageError
from httpdyno.servers import load_catalogue

SHOP = """session = true

[[requests]]
path = "/items"
think = "{}"

[[requests]]
path = "/orders"
body = "x"
"""


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    """A repository in the working folder."""
    monkeypatch.chdir(tmp_path)
    return with_branches(tmp_path)


def saved(folder: Path, think: str) -> None:
    """The result of a study of one arm with this think time in its session."""
    calls = [{"path": "/items", "think": think}, {"path": "/orders", "body": "x"}]
    table = {"session": True, "requests": calls}
    work = Work("shop", {"workload": "shop", "workloads": {"shop": table}})
    keys = comparison_keys(
        [{"name": name, "start": "./server {port}"} for name in ("main", "other")],
        ("main", "other"),
        work,
        same_rate(100, 2.0, calls=2),
        blocks=3,
        seed=1,
        warm_up=1.0,
    )
    made = comparison_study(keys, ("main", "other"), load_catalogue())
    measured = result(made, trials(made, {"main": 1.0, "other": 1.0}))
    (folder / "before.json").write_text(measured.model_dump_json())


def specified(repository: Repository, then: str, now: str) -> Specification:
    """The comparison with a baseline of one think time, by a workload with another."""
    saved(repository.folder, then)
    (repository.folder / "shop.toml").write_text(SHOP.format(now))
    flags = CompareFlags(workload="shop.toml", start=["./server {port}"])
    values = Values(Faults("httpdyno compare --help"))
    return specification_of(read_flags(values, Pair("before.json:main", "slow"), flags))


def test_the_pauses_of_the_baseline_are_taken_over(repository: Repository) -> None:
    spec = specified(repository, "500ms", "500ms")
    assert spec.saved is not None
    assert spec.saved.pauses == spec.work.pauses == [0.5, 0.0]


def test_other_pauses_than_those_of_the_baseline_are_one_error(repository: Repository) -> None:
    with pytest.raises(UsageError) as wrong:
        specified(repository, "500ms", "2s")
    assert (
        "before.json` was measured with think times of 500 ms and 0 s: expected the same, not think"
        " times of 2.00 s and 0 s"
    ) in str(wrong.value)


def test_a_baseline_without_pauses_is_measured_without_them(repository: Repository) -> None:
    spec = specified(repository, "0s", "500ms")
    assert spec.saved is not None
    assert spec.saved.pauses == spec.work.pauses == []
