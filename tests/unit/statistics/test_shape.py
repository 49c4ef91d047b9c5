"""Trials that one level does not describe are recognised: two modes, and drift."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from httpdyno.plan import Plan
from httpdyno.result import Shape
from httpdyno.statistics.noise.shape import shape_of
from httpdyno.statistics.rows import cell_row
from httpdyno.study.read import parse_study
from trial_samples import outcome


def of(*values: float) -> Shape | None:
    return shape_of(dict(enumerate(values)), "throughput")


def logs(noise: np.ndarray) -> list[Shape | None]:
    """The shapes of studies, one a row."""
    return [shape_of(dict(enumerate(1000 * np.exp(row))), "throughput") for row in noise]


def test_two_modes_are_told_with_their_levels_and_counts() -> None:
    slow = {3: 848.0, 9: 851, 12: 852}
    values = {block: slow.get(block, 995.0 + block % 7) for block in range(15)}
    found = shape_of(values, "throughput")
    assert found is not None
    assert found.kind == "two modes"
    assert [len(group.blocks) for group in found.groups] == [12, 3]
    assert found.groups[1].blocks == [3, 9, 12]
    assert found.text == (
        "throughput has two modes: 12 of 15 trials near 998/s, 3 near 850/s. More trials show how"
        " often each occurs"
    )


def test_one_trial_far_from_the_others_is_not_yet_called_a_mode() -> None:
    found = of(1000, 1003, 998, 1001, 700)
    assert found is not None
    assert found.kind == "outlier"
    assert found.text.startswith("throughput of 1 in 5 trials is far from the others: 700/s, and")


def test_drift_is_told_with_its_size_and_is_not_taken_for_two_modes() -> None:
    found = shape_of({block: 0.010 * 1.02**block for block in range(12)}, "p99")
    assert found is not None
    assert found.kind == "drift"
    assert found.text.startswith(
        "p99 drifted: about 10.3 ms in blocks 1 to 4, 12.1 ms in blocks 9 to 12. The interval"
    )
    step = of(*[1000.0 + n for n in range(5)], *[800.0 + n for n in range(5)])
    assert step is not None
    assert step.kind == "drift"


def test_small_or_few_or_equal_values_have_no_shape() -> None:
    assert of(1000, 1000, 1000, 1000) is None
    assert of(1000, 1000, 1000, 1000, 1000) is None
    assert of(1000, 1000, 1000, 1000, 1010) is None
    assert of(0, 1000, 1000, 1000, 1000) is None


def test_counts_that_differ_by_a_single_reply_have_no_shape() -> None:
    seventeen = [17.0, 17, 16, 17, 16]
    assert of(*seventeen) is not None, "as numbers without a resolution they would have two modes"
    assert shape_of(dict(enumerate(seventeen)), "throughput", step=1 / 16) is None
    assert shape_of(dict(enumerate([16.0] * 4 + [17.0] * 4)), "throughput", step=1 / 16) is None
    far = shape_of(dict(enumerate([17.0, 17, 8, 17, 8])), "throughput", step=1 / 8)
    assert far is not None


def test_a_short_trial_of_a_slow_server_counts_few_replies() -> None:
    text = (
        'title = "One"\n[[arms]]\nserver = "tornado"\ndeployments = ["1-process"]\n'
        '[loads.l]\nkind = "closed"\nduration = "2s"\n'
    )
    (cell, *_) = Plan(parse_study(text, Path("one.toml"))).cells
    trials = [
        outcome(block, block, cell.key, rate=rate)
        for block, rate in enumerate([17.0, 16, 17, 16, 17, 16, 16])
    ]
    assert cell_row(cell, trials, [], lambda hdr, shares: [1] * len(shares)).shape is None


@pytest.mark.parametrize(
    ("load", "number"),
    [
        ('kind = "closed"', "throughput"),
        ('kind = "requests"\nrate = 1000', "p99"),
    ],
)
def test_a_cell_has_the_shape_of_the_number_that_it_is_compared_by(load: str, number: str) -> None:
    arm = '[[arms]]\nserver = "tornado"\ndeployments = ["1-process"]\n'
    text = f'title = "One"\n{arm}[loads.l]\n{load}\nduration = "3s"\n'
    (cell, *_) = Plan(parse_study(text, Path("one.toml"))).cells
    trials = [
        outcome(block, block, cell.key, rate=rate, p99_s=2 / rate, open_load=number == "p99")
        for block, rate in enumerate([1000.0, 1001, 700, 1002, 1003, 702, 1001, 1002])
    ]
    row = cell_row(cell, trials, [], lambda hdr, shares: [1] * len(shares))
    assert row.shape is not None
    assert (row.shape.kind, row.shape.number) == ("two modes", number)
    assert row.shape.groups[1].blocks == [2, 5]
    steady = cell_row(cell, trials[3:5], [], lambda hdr, shares: [1] * len(shares))
    assert steady.shape is None


@pytest.mark.parametrize("trials", [5, 6, 7, 10, 13, 20, 40])
def test_normal_trials_have_a_shape_in_at_most_2_of_100_cells(trials: int) -> None:
    rng = np.random.default_rng(trials)
    found = logs(0.05 * rng.standard_normal((4000, trials)))
    drifts = sum(one is not None and one.kind == "drift" for one in found)
    modes = sum(one is not None and one.kind != "drift" for one in found)
    # Over 4,000 cells, a share of 1 % is known to ±0.3 %.
    assert drifts / 4000 <= 0.015
    assert modes / 4000 <= 0.015
    assert (drifts + modes) / 4000 <= 0.025


@pytest.mark.parametrize(("trials", "least"), [(7, 0.83), (10, 0.92), (15, 0.97), (20, 0.98)])
def test_a_slow_mode_is_recognised_wherever_a_trial_was_in_it(trials: int, least: float) -> None:
    """One start in 4 is 15 % slower: no trial is in 13, 6, 1 and 0.3 % of the studies."""
    rng = np.random.default_rng(trials)
    slow = rng.random((1000, trials)) < 0.25
    found = logs(np.log(0.85) * slow + 0.01 * rng.standard_normal(slow.shape))
    assert sum(one is not None for one in found) / 1000 >= least


def test_drift_is_recognised_more_often_the_more_trials_there_are() -> None:
    rng = np.random.default_rng(1)
    found = []
    for trials in (10, 20, 40):
        noise = rng.standard_normal((1000, trials))
        walk = np.empty_like(noise)
        walk[:, 0] = noise[:, 0]
        for at in range(1, trials):
            walk[:, at] = 0.8 * walk[:, at - 1] + 0.6 * noise[:, at]
        drifts = [one is not None and one.kind == "drift" for one in logs(0.05 * walk)]
        found.append(sum(drifts) / 1000)
    assert found[0] >= 0.3
    assert found[1] >= 0.75
    assert found[2] >= 0.85
