"""The time left of a search: near what it takes at the rate that it finds, and said anew."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from httpdyno.limits.walk import WalkStep
from httpdyno.plan import Plan, Trial, trials_s
from httpdyno.running.measuring.time_estimate import OFF, TimeEstimate
from httpdyno.study.loads.shape import GUESSED_RATE
from httpdyno.study.read import parse_study
from walk_samples import climbs

BENCHES = Path(__file__).resolve().parents[3] / "benches"
STUDY = """\
title = "How much"
blocks = 5
warm_up = 0
[[arms]]
server = "a"
deployments = ["1-worker"]
[loads.most]
kind = "capacity"
limits = ["p99<{limit_ms:g}ms"]
arrivals = "{arrivals}"
duration = {step_s}
confirm = 0
profile = false
"""


def trials(
    limit_ms: float = 20, arrivals: str = "exponential", step_s: float = 5
) -> Sequence[Trial]:
    text = STUDY.format(limit_ms=limit_ms, arrivals=arrivals, step_s=step_s)
    return Plan(parse_study(text, Path("most.toml"))).trials


@pytest.mark.parametrize("number", [0, 1, 5, 8, 9])
def test_the_estimate_of_a_search_at_a_known_rate_is_near_its_simulated_time(
    monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    monkeypatch.syspath_prepend(str(BENCHES))
    simulation: Any = importlib.import_module("capacity_simulation")
    kind = simulation.QUEUES[number]
    found = simulation.row(kind, restarts=5, studies=6)
    planned = trials(kind.limit_s * 1e3, kind.arrivals, kind.least_step_s)
    key = planned[0].cell.key
    around_s = sum(trial.cell.around_s for trial in planned)
    left_s = trials_s(planned, {key: found.truth}) - around_s
    assert found.seconds / OFF < left_s < found.seconds * OFF


def test_a_rate_that_makes_steps_longer_is_said_once() -> None:
    notes: list[str] = []
    planned, estimate = trials(), TimeEstimate(notes.append)
    first_s = estimate.left_s(planned)
    assert notes == []
    estimate.near(planned[0].cell.key, 60.0)
    later_s = estimate.left_s(planned)
    assert later_s > 2 * first_s
    estimate.left_s(planned[1:])
    assert len(notes) == 1
    assert notes[0].endswith("left, longer than estimated before")


def test_trials_that_take_longer_than_planned_are_said_too() -> None:
    notes: list[str] = []
    planned, estimate = trials(), TimeEstimate(notes.append)
    estimate.took(planned[0], 3 * trials_s(planned[:1]))
    estimate.left_s(planned[1:])
    assert len(notes) == 1


def test_a_busy_machine_is_named_as_the_reason_of_a_longer_search() -> None:
    notes: list[str] = []
    planned, estimate = trials(), TimeEstimate(notes.append)
    estimate.left_s(planned)
    (first,) = climbs([60.0], arm=planned[0].cell.arm.name)
    assert first.walk is not None
    step = WalkStep(rate_per_s=60.0, outcome="disturbed", use=1.2)
    steps = (*first.walk.steps, step, step)
    walked = first.walk.model_copy(update={"steps": steps})
    estimate.learn([first.model_copy(update={"walk": walked})])
    estimate.left_s(planned[1:])
    assert notes[0].endswith(
        "longer than estimated before: the machine was too busy for 2 steps, and such steps are"
        " repeated"
    )


def test_capacities_of_earlier_trials_are_known_when_a_run_is_resumed() -> None:
    planned, estimate = trials(), TimeEstimate(lambda _: None)
    before_s = estimate.left_s(planned[3:])
    estimate.learn(climbs([50.0, 60.0, 70.0], arm=planned[0].cell.arm.name))
    assert estimate.left_s(planned[3:]) > 2 * before_s


def test_the_steps_before_a_first_climb_do_not_make_the_others_seem_slow() -> None:
    notes: list[str] = []
    planned, estimate = trials(arrivals="constant", step_s=1), TimeEstimate(notes.append)
    known = {planned[0].cell.key: GUESSED_RATE}
    assert trials_s(planned[:1], known) == trials_s(planned[:1]) > trials_s(planned[1:2])
    estimate.left_s(planned)
    estimate.near(planned[0].cell.key, 20_000.0)
    estimate.took(planned[0], 1.3 * trials_s(planned[:1]))
    estimate.left_s(planned[1:])
    assert notes == []


def test_trials_that_take_less_than_planned_are_said_too() -> None:
    notes: list[str] = []
    planned, estimate = trials(), TimeEstimate(notes.append)
    estimate.left_s(planned)
    for number in range(2):
        estimate.took(planned[number], 0.3 * trials_s(planned[number : number + 1]))
    estimate.left_s(planned[2:])
    assert len(notes) == 1
    assert notes[0].endswith("left, shorter than estimated before")
