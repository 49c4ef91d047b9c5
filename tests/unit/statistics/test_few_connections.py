"""A closed load below a rate that its arm kept up with does not show the most it can do."""

from __future__ import annotations

from pathlib import Path

import pytest
from httpdyno.outcome import TrialOutcome
from httpdyno.plan import Plan
from httpdyno.result import CellRow, Reason, StudyResult
from httpdyno.statistics.summarise import RunFacts, summarise
from httpdyno.study.read import parse_study
from trial_samples import outcome, reason

STUDY = """
title = "Few"
blocks = 5
[[arms]]
server = "a"
deployments = ["x"]
[loads.full]
kind = "closed"
duration = "3s"
{closed}
[loads.rates]
kind = "requests"
rate = [1000, 2000]
duration = "3s"
{paced}
"""
BEHIND = reason("overload", "suspect")


def result(
    full: float,
    *,
    closed: str = "",
    paced: str = "",
    behind: bool = False,
    command: str = "httpdyno run few.toml",
) -> StudyResult:
    """A study of an arm that answers so much at full speed, and all that is offered."""
    study = parse_study(STUDY.format(closed=closed, paced=paced), Path("few.toml"))
    trials: list[TrialOutcome] = []
    for block in range(study.blocks):
        for cell in Plan(study).cells:
            rate = cell.point.rate_per_s
            doubts = [BEHIND] if behind and rate == 2000 else []
            trials.append(
                outcome(
                    len(trials),
                    block,
                    cell.key,
                    rate=rate or full * (1 - 0.001 * block),
                    reasons=doubts,
                    open_load=rate is not None,
                )
            )
    facts = RunFacts(command, "0", 1, 0.0, 60.0, [], [], {}, {})
    return summarise(
        Plan(study), trials, facts, lambda hdr, shares: [int(float(hdr)) for _ in shares]
    )


def found(of: StudyResult) -> list[tuple[CellRow, Reason]]:
    return [(c, r) for c in of.cells for r in c.reasons if r.code == "few_connections"]


def test_a_held_rate_above_it_is_a_doubt_about_the_throughput_of_a_closed_load() -> None:
    made = result(1500.0)
    ((cell, why),) = found(made)
    assert (cell.load, cell.status, list(cell.doubts or {})) == ("full", "suspect", ["throughput"])
    said = "no more than 1,500/s at 10 connections, but the arm kept up with 2,000/s under rates"
    assert why.text == f"{said} (33.3 % more, limit 2 %): 10 connections may be too few"
    assert why.hint == "allow more connections (`connections = 20`)"
    assert said in made.answer
    ((_, why),) = found(result(1500.0, command="httpdyno compare a b"))
    assert why.hint == "allow more connections (`--connections 20`)"


@pytest.mark.parametrize(
    ("full", "options"),
    [
        (1970.0, {}),  # 1.5 %: chance
        (1500.0, {"behind": True}),  # and 1,000/s is less
        (1500.0, {"closed": "keep_alive = false"}),  # which costs more
        (1500.0, {"closed": 'think = "1ms"'}),
        (1500.0, {"paced": "burst = 4"}),
        (1500.0, {"closed": '[[published]]\narm = "a/x"\nload = "full"\nrequests_per_s = 9'}),
    ],
)
def test_no_other_load_is_held_against_it(full: float, options: dict[str, object]) -> None:
    assert found(result(full, **options)) == []  # type: ignore[arg-type]


def test_of_several_numbers_of_connections_the_highest_is_to_show_the_most() -> None:
    ((cell, _),) = found(result(1500.0, closed="connections = [1, 64, 8]"))
    assert cell.point == "64 connections"


def test_a_costlier_load_counts_as_well() -> None:
    ((_, why),) = found(result(1500.0, paced="keep_alive = false"))
    assert why.doubts == ("throughput",)
