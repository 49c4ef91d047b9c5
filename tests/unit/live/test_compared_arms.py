"""Two arms on `/compare` differ exactly if the report of their run says so."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
from httpdyno.limits.walk import Walk
from httpdyno.result import StudyResult
from httpdyno.running.stored_result import stored_result
from httpdyno.statistics.claims.changes import interval
from httpdyno.statistics.compare import at_level
from httpdyno.store import StoredRun
from httpdyno.units import confidence
from httpdyno.web.pages.compare import Line, Side, lines
from stored_runs import TEXT, store_in, store_run, study
from walk_samples import climbs, with_walk
from walk_samples import result as of_walks
from walk_samples import study as of_capacity

RATES = {"alpha": 1000.0, "beta": 1005.0, "gamma": 1009.0, "delta": 1030.0, "epsilon": 1031.0}
MORE = "".join(
    f'[[arms]]\nserver = "{name}"\ndeployments = ["1-process"]\n' for name in list(RATES)[2:]
)
FIXED = TEXT.replace("[loads.full]", f"{MORE}[loads.full]")
SEQUENTIAL = FIXED.replace("blocks = 5", 'blocks = 12\nuntil = "0.1%"')
OPPOSITE = {"better": "worse", "worse": "better"}


def measured(folder: Path, text: str, blocks: int) -> tuple[StoredRun, StudyResult]:
    """A stored run of five servers that hardly differ."""
    store, made = store_in(folder), study(folder, text)
    versions = dict.fromkeys(RATES, "1")
    number = store_run(store, made, 3, rates=RATES, versions=versions, blocks=blocks)
    run = store.run(number)
    assert run is not None
    return run, stored_result(store, run)


def between(run: StoredRun, result: StudyResult, a: str, b: str) -> dict[tuple[str, str], Line]:
    found = lines(Side(run, result, a), Side(run, result, b))
    return {(line.where, line.metric): line for line in found}


@pytest.fixture(params=[(FIXED, 5), (SEQUENTIAL, 12)], ids=["fixed", "until"])
def five(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[StoredRun, StudyResult]:
    return measured(tmp_path, *request.param)


def test_a_comparison_of_the_report_is_the_same_on_the_page_in_both_directions(
    five: tuple[StoredRun, StudyResult],
) -> None:
    run, result = five
    alone = [at_level(one, 0.95).outcome for one in result.comparisons]
    assert alone != [one.outcome for one in result.comparisons], "nothing to tell apart"
    for one in result.comparisons:
        at = f"{one.load} · {one.point}", one.metric
        line = between(run, result, one.baseline, one.arm)[at]
        assert one.ratio is not None
        assert line.outcome == one.outcome
        assert line.interval == interval(one.metric, one.ratio)
        assert line.level == confidence(one.level)
        reverse = between(run, result, one.arm, one.baseline)[at]
        assert reverse.outcome == OPPOSITE.get(one.outcome, one.outcome)
        assert reverse.level == line.level


def test_an_arm_has_the_ranks_that_its_outcomes_on_the_page_leave_at_the_levels_of_the_report(
    five: tuple[StoredRun, StudyResult],
) -> None:
    run, result = five
    pages = {
        pair: between(run, result, *pair)
        for pair in permutations((one.name for one in result.arms), 2)
    }
    assert len(result.rankings) == 2
    for ranking in result.rankings:
        at = f"{ranking.load} · {ranking.point}", ranking.metric
        for one in ranking.arms:
            found = [
                pages[other.arm, one.arm][at].outcome for other in ranking.arms if other != one
            ]
            assert one.best == 1 + found.count("worse")
            assert one.worst == len(ranking.arms) - found.count("better")
        first, *others = ranking.arms
        for one in others:
            assert pages[first.arm, one.arm][at].level == confidence(one.level)


def test_a_study_that_looks_after_each_block_has_no_interval_before_its_first_look(
    tmp_path: Path,
) -> None:
    run, result = measured(tmp_path, SEQUENTIAL, 6)
    found = between(run, result, "alpha/1-process", "beta/1-process")
    assert found
    assert {line.interval for line in found.values()} == {"none: 6 trials, 10 needed"}


def test_a_capacity_of_which_only_a_bound_is_known_is_not_compared() -> None:
    ended = Walk(task="climb", cores=2, ended="ceiling", at_least_per_s=1300.0)
    trials = [
        *climbs([1000.0 + n for n in range(10)]),
        *climbs([900.0 + n for n in range(5)], "a/2-workers", 2),
        *(with_walk(200 + n, n, "a/2-workers", ended) for n in range(5, 10)),
    ]
    result = of_walks(of_capacity(blocks=10), trials)
    run = cast("StoredRun", SimpleNamespace(id=1))
    other = cast("StoredRun", SimpleNamespace(id=2))
    for later in (run, other):
        sides = Side(run, result, "a/1-worker"), Side(later, result, "a/2-workers")
        (line,) = lines(*sides)
        assert (line.a, line.change, line.outcome) == ("1,000/s", "", "no result")
        assert line.b.startswith("at least ")
