"""A canary that is not as fast as it was says that the machine changed; an equal one, that not."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from compared import MACHINE, result, study, trials
from httpdyno.comparison.arms.baseline import SavedArm
from httpdyno.comparison.arms.sides import Side
from httpdyno.comparison.canary import Canary, canary_name, compare_canary
from httpdyno.comparison.loads import FULL_SPEED, full_speed
from httpdyno.result import Fact, StudyResult
from httpdyno.store import Store, open_store
from stored_samples import RUN

CANARY = "canary 1a2b3c4d"
OTHER = (Fact(label="processor", value="another"), *MACHINE[1:])
STUDY = study("main", "my-branch", CANARY)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return open_store(f"sqlite:///{tmp_path / 'results.sqlite'}")


def stored(store: Store, speed: float, at: float, machine: tuple[Fact, ...] = MACHINE) -> None:
    """An earlier comparison with the canary at this speed."""
    run = store.begin_run(replace(RUN, facts=machine, started_at=at))
    speeds = {"main": 1.0, "my-branch": 1.0, CANARY: speed}
    for trial in trials(STUDY, speeds):
        store.record(run, trial)


def now(speed: float = 1.0) -> StudyResult:
    return result(STUDY, trials(STUDY, {"main": 1.0, "my-branch": 0.9, CANARY: speed}))


def said(store: Store, measured: StudyResult, saved: SavedArm | None = None) -> Canary:
    return compare_canary(store, measured, (CANARY, FULL_SPEED), 0.03, saved)


def test_the_first_run_says_that_it_is_the_first(store: Store) -> None:
    assert said(store, now()).state == "first run"


def test_a_canary_that_is_as_fast_as_before_says_that_the_machine_is_the_same(store: Store) -> None:
    stored(store, 1.0, 1_789_000_000.0)
    found = said(store, now())
    assert found.state == "as before"
    assert "has not changed by 3 % or more" in found.text
    assert "2026-09-10" in found.text


@pytest.mark.parametrize("speed", [0.9, 1.1])
def test_a_canary_that_is_slower_or_faster_says_that_the_machine_changed(
    store: Store, speed: float
) -> None:
    stored(store, 1.0, 1_789_000_000.0)
    found = said(store, now(speed))
    assert found.state == "changed"
    assert "measured together, so it holds" in found.text


def test_a_change_is_a_percentage_or_a_multiple_of_what_the_same_build_served(
    store: Store,
) -> None:
    stored(store, 1.0, 1_789_000_000.0)
    assert re.search(
        r"the canary serves [0-9.]+ % fewer requests/s than the same build on 2026-09-10 ",
        said(store, now(0.9)).text,
    )
    assert re.search(
        r"the canary serves 3\.\d\d× the requests/s of the same build on 2026-09-10 ",
        said(store, now(3.5)).text,
    )


def test_the_newest_run_counts_and_only_those_of_this_machine(store: Store) -> None:
    stored(store, 0.5, 1_700_000_000.0)
    stored(store, 1.0, 1_789_000_000.0)
    stored(store, 0.5, 1_789_500_000.0, OTHER)
    stored(store, 0.5, 1_799_000_000.0)  # later than the result
    assert said(store, now()).state == "as before"


def test_a_saved_baseline_with_the_canary_is_what_it_is_compared_with(store: Store) -> None:
    stored(store, 1.0, 1_789_000_000.0)
    saved = SavedArm(now(1.2), "main", Path("before.json"))
    found = said(store, now(), saved)
    assert found.state == "changed"
    assert "nothing about the servers" in found.text


def test_too_noisy_a_canary_cannot_tell(store: Store) -> None:
    run = store.begin_run(replace(RUN, facts=MACHINE, started_at=1_789_000_000.0))
    for trial in trials(STUDY, {"main": 1, "my-branch": 1, CANARY: 1}, noise=0.2):
        store.record(run, trial)
    assert said(store, now()).state == "cannot tell"


def test_a_canary_without_a_result_says_so(store: Store) -> None:
    without = result(
        STUDY,
        [
            t
            for t in trials(STUDY, dict.fromkeys(("main", "my-branch", CANARY), 1))
            if t.arm != CANARY
        ],
    )
    assert said(store, without).state == "no result"


def test_its_name_stands_for_the_build_its_workload_and_its_load() -> None:
    arm = {"name": "canary", "start": "./server {port}"}
    load = full_speed(10, 2.0)[FULL_SPEED]
    name = canary_name(Side(arm, "canary", "abc"), "GET /", load)
    assert name == canary_name(Side(arm, "another", "abc"), "GET /", load)
    assert name != canary_name(Side(arm, "canary", "fed"), "GET /", load)
    assert name != canary_name(Side(arm, "canary", "abc"), "GET /x", load)
    assert name != canary_name(Side(arm, "canary", "abc"), "GET /", full_speed(11, 2.0)[FULL_SPEED])
