"""Notes to know before quoting a report: sentences that explain the numbers of single arms."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from endpoint_samples import FACTS
from httpdyno.outcome import DatabaseUse, TrialOutcome
from httpdyno.plan import Plan
from httpdyno.report.contents.banners import caveats
from httpdyno.statistics.summarise import summarise
from httpdyno.study.read import parse_study
from trial_samples import outcome

STUDY = """\
title = "Two servers"
blocks = 2
[[arms]]
server = "tornado"
deployments = ["1-process"]
[[arms]]
server = "starlette"
deployments = ["1-worker"]
[loads.full-speed]
kind = "closed"
duration = "3s"
"""
PLAN = Plan(parse_study(STUDY, Path("two.toml")))
SAMPLES = [
    outcome(index, index // 2, cell.key) for index, cell in enumerate([*PLAN.cells, *PLAN.cells])
]


def notes(trials: list[TrialOutcome]) -> list[str]:
    return caveats(summarise(PLAN, trials, FACTS, lambda hdr, shares: [1 for _ in shares]))


def paused(trial: TrialOutcome, first_ms: float, last_ms: float) -> TrialOutcome:
    """The trial with these medians of the first and the last byte."""
    m = trial.measurement
    assert m is not None
    times: dict[str, Any] = {
        "first_byte": m.times.first_byte.model_copy(update={"p50_ns": int(first_ms * 1e6)}),
        "service": m.times.service.model_copy(update={"p50_ns": int(last_ms * 1e6)}),
    }
    slow = m.model_copy(update={"times": m.times.model_copy(update=times)})
    return trial.model_copy(update={"measurement": slow})


def test_an_arm_whose_replies_wait_for_delayed_acknowledgements_is_explained() -> None:
    trials = [
        paused(one, 0.2, 41.2 + one.block) if one.arm == "starlette/1-worker" else one
        for one in SAMPLES
    ]
    (note,) = (one for one in notes(trials) if "acknowledgement" in one)
    assert note.startswith("starlette/1-worker: At least half of the replies pause for some 40 ms")


@pytest.mark.parametrize(("first_ms", "last_ms"), [(0.2, 38.0), (40.0, 44.0), (0.2, 60.0)])
def test_one_trial_without_such_pauses_leaves_the_arm_unexplained(
    first_ms: float, last_ms: float
) -> None:
    trials = [paused(one, *((0.2, 44.0) if one.block else (first_ms, last_ms))) for one in SAMPLES]
    assert not any("acknowledgement" in one for one in notes(trials))


@pytest.mark.parametrize("shares", [True, False])
def test_a_report_says_that_the_database_shared_the_cores_of_the_server(shares: bool) -> None:
    use = DatabaseUse(
        name="db",
        window_s=1.0,
        cpu_s=0.1,
        cores=1,
        shares_server=shares,
        connections=1,
        replies=1000,
        queries=None,
        reads=None,
        rows_read=None,
        rows_written=None,
        rows_changed=None,
    )
    trials = [one.model_copy(update={"database": use}) for one in SAMPLES]
    said = [one for one in notes(trials) if "the database `db` shared CPU cores" in one]
    assert len(said) == shares
