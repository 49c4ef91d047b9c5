"""`httpdyno history` answers: what changed, when, and was it the server or the machine."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from httpdyno.store import Store
from stored_runs import MACHINE, VERSIONS, nights, store_in, store_run, study

from .conftest import Program

STEP = [4000.0] * 6 + [3600.0] * 6


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    """The store of the program."""
    for name in ("DATA", "STATE"):
        monkeypatch.setenv(f"HTTPDYNO_{name}", str(tmp_path / "data"))
    return store_in(tmp_path / "data")


@pytest.fixture
def slower(store: Store, tmp_path: Path) -> None:
    """Twelve nights; from the seventh on, a new version of `alpha` is slower."""
    nightly = study(tmp_path)
    for night, rate in enumerate(STEP):
        versions = {**VERSIONS, "alpha": "1.26.1" if night >= 6 else "1.24.0"}
        rates = {"alpha": rate, "beta": 2000.0}
        store_run(store, nightly, night, rates=rates, versions=versions)


@pytest.mark.usefixtures("slower")
def test_the_answer_names_the_change_its_size_and_the_new_version(called: Program) -> None:
    shown = called("history", "alpha", "--metric", "throughput")
    assert shown.returncode == 0, shown.stderr
    text = " ".join(shown.stdout.split())
    assert text.startswith(
        "1 change of more than 5 % at 1 run, in 1 series over 12 runs, 2026-09-21 to 2026-10-02."
    )
    assert "4,000/s → 3,600/s), worse from run 7 (2026-09-27) on" in text
    assert re.search(r"requests per second 9\.\d % lower \(95 % CI 9\.\d to \d+(\.\d)? %; ", text)
    assert "server: 1.24.0 → 1.26.1" in text
    assert "The server's version changed, nothing else that is recorded" in text


@pytest.mark.usefixtures("slower")
def test_all_arms_and_metrics_are_followed_and_only_the_slower_ones_changed(
    called: Program,
) -> None:
    found = json.loads(called("history", "--json").stdout)
    changed = {(one["arm"], one["metric"]) for one in found["series"] if one["changes"]}
    assert ("alpha/1-process", "throughput") in changed
    assert ("alpha/1-process", "p99") in changed
    assert not {arm for arm, _ in changed} - {"alpha/1-process"}
    (change,) = next(one for one in found["series"] if one["metric"] == "p99")["changes"]
    assert (change["run"], change["outcome"]) == (7, "worse")
    assert change["differences"] == [{"what": "server", "before": "1.24.0", "after": "1.26.1"}]


def test_a_change_of_every_server_at_once_points_to_the_machine(
    store: Store, tmp_path: Path, called: Program
) -> None:
    nightly = study(tmp_path)
    for night, rate in enumerate(STEP):
        machine = {**MACHINE, "kernel": "Linux 6.6.0"} if night >= 6 else MACHINE
        rates = {"alpha": rate, "beta": rate / 2}
        store_run(store, nightly, night, rates=rates, machine=machine)
    text = " ".join(called("history", "alpha", "--metric", "throughput").stdout.split())
    assert text.startswith("1 change of more than 5 % at 1 run, in 1 series")
    assert "All 2 servers of this run changed alike: the machine is the likelier cause" in text
    assert "kernel: Linux 6.1.0 → Linux 6.6.0" in text


def test_a_short_history_of_many_series_is_one_sentence(
    store: Store, tmp_path: Path, called: Program
) -> None:
    nights(store, study(tmp_path), [4000, 4000, 4000])
    shown = called("history")
    assert " ".join(shown.stdout.split()) == (
        "Too few runs to tell a change: the longest series has 3 runs, expected 4 or more (3 runs,"
        " 2026-09-21 to 2026-09-23). `--points` shows the number of each run."
    )


def test_a_short_history_shows_each_series_once_with_points(
    store: Store, tmp_path: Path, called: Program
) -> None:
    nights(store, study(tmp_path), [4000, 4000, 4000])
    shown = called("history", "--metric", "throughput", "--points").stdout
    series = len(json.loads(called("history", "--metric", "throughput", "--json").stdout)["series"])
    assert series > 1
    assert shown.count("alpha/1-process · full") == 1
    assert len(re.findall(r"  run \d+ +\S+/s \(", shown)) == 3 * series


@pytest.mark.usefixtures("slower")
def test_the_points_of_each_run_are_shown_only_with_points(called: Program) -> None:
    chosen = ("history", "alpha", "--metric", "throughput")
    assert "run 12" not in called(*chosen).stdout
    assert "run 12" in called(*chosen, "--points").stdout


@pytest.mark.usefixtures("slower")
def test_a_change_within_the_margin_has_no_direction(called: Program) -> None:
    shown = called("history", "alpha", "--metric", "throughput", "--margin", "20%")
    text = " ".join(shown.stdout.split())
    assert text.startswith("No change of more than 20 % is shown in 1 series over 12 runs")
    assert "1 smaller change is shown" in text
    assert "within the margin of 20 %" in text
    assert not re.search(r"\b(worse|better)\b", text)


@pytest.mark.usefixtures("slower")
@pytest.mark.parametrize(("name", "begin"), [("c.png", b"\x89PNG"), ("c.svg", b"<svg")])
def test_the_series_are_drawn(tmp_path: Path, called: Program, name: str, begin: bytes) -> None:
    drawn = called("history", "--metric", "throughput", "--chart", name)
    assert drawn.returncode == 0, drawn.stderr
    assert (tmp_path / name).read_bytes().startswith(begin)
    assert f"chart: {name}" in drawn.stderr


def test_wrong_arguments_are_reported_together(store: Store, called: Program) -> None:
    flags = ("--metric", "speed", "--margin", "many", "--chart", "c.gif", "--since", "x")
    done = called("history", *flags)
    assert done.returncode == 2
    assert "3 problems" in done.stderr
    assert "expected a share such as `3%` or `0.03`" in done.stderr
    assert "ends in `.png` or `.svg`" in done.stderr


def test_nothing_to_show_says_what_there_is(store: Store, tmp_path: Path, called: Program) -> None:
    assert "no run is stored" in called("history").stderr
    nights(store, study(tmp_path), [4000])
    done = called("history", "gamma")
    assert done.returncode == 2
    assert "(`alpha/1-process`, `beta/1-process`)" in done.stderr


def test_runs_that_measured_nothing_are_no_arms(
    store: Store, tmp_path: Path, called: Program
) -> None:
    store_run(store, study(tmp_path), 0, rates={})
    done = called("history")
    assert done.returncode == 2
    assert "no number here in 1 stored run: no arm was measured" in done.stderr
