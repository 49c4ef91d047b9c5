"""A study of two arms whose workload has four endpoints, from made-up trials."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from httpdyno.outcome import TrialOutcome
from httpdyno.plan import Plan
from httpdyno.result import StudyResult
from httpdyno.statistics.summarise import RunFacts, summarise
from httpdyno.study.read import parse_study
from trial_samples import outcome, with_endpoints

STUDY = """\
title = "Two servers"
blocks = 10
aa_control = false
[[arms]]
server = "tornado"
deployments = ["1-process"]
[[arms]]
server = "starlette"
deployments = ["1-worker"]
[loads.rates]
kind = "requests"
rate = 500
duration = "3s"
"""
FACTS = RunFacts(
    command="httpdyno run two",
    httpdyno_version="0.1.0",
    seed=1,
    started_at=0.0,
    ended_at=60.0,
    machine=[],
    failures=[],
    titles={"tornado": "Tornado", "starlette": "Starlette"},
    versions={"tornado": "6.5"},
)
WOBBLE = (1.0, 1.02, 0.98, 1.01, 0.99, 1.03, 0.97, 1.0, 1.02, 0.99)
NAMES = ("GET /items", "GET /items/{id}", "POST /orders", "login")
Times = Callable[[str, str, int], float]
"""p99 in seconds by arm, endpoint and block."""


def equal(arm: str, name: str, block: int) -> float:
    shift = 3 if arm.startswith("starlette") else 0
    return 0.002 * WOBBLE[(block + shift + len(name)) % len(WOBBLE)]


def items_slower(arm: str, name: str, block: int) -> float:
    slower = arm.startswith("starlette") and name == "GET /items/{id}"
    return equal(arm, name, block) * (1.4 if slower else 1.0)


def trial(plan: Plan, number: int, p99_s: Times) -> TrialOutcome:
    found = plan.measured[number]
    arm, load, point = found.cell.key
    made = outcome(number, found.block, (arm, load, point), rate=500.0, open_load=True)
    assert made.measurement is not None
    each = {name: p99_s(arm, name, found.block) for name in NAMES}
    return made.model_copy(update={"measurement": with_endpoints(made.measurement, each)})


def result(p99_s: Times, *, apart: bool = False) -> StudyResult:
    plan = Plan(parse_study(STUDY, Path("two.toml")))
    trials = [trial(plan, number, p99_s) for number in range(len(plan.measured))]
    command = "httpdyno compare a b" if apart else FACTS.command
    facts = replace(FACTS, command=command)
    return summarise(plan, trials, facts, lambda hdr, at: [int(hdr)] * len(at))
