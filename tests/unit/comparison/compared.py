"""A comparison of made-up trials, as if it had been measured."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence

from httpdyno.comparison.loads import full_speed, same_rate
from httpdyno.comparison.study import comparison_keys, comparison_study, get_path
from httpdyno.outcome import TrialOutcome
from httpdyno.plan import Plan
from httpdyno.result import Fact, StudyResult
from httpdyno.servers import load_catalogue
from httpdyno.statistics.summarise import RunFacts, summarise
from httpdyno.study import Study
from trial_samples import outcome

MACHINE = (
    Fact(label="processor", value="AMD EPYC 7B13"),
    Fact(label="cores", value="2 of 2 available"),
    Fact(label="load average at the start", value="0.1 0.2 0.3"),
)


def study(*names: str, blocks: int = 10) -> Study:
    """Arms that a command starts, under both loads."""
    pair = (names[0], names[min(1, len(names) - 1)])
    keys = comparison_keys(
        [{"name": name, "start": "./server {port}"} for name in names],
        pair,
        get_path("/", any_body=False),
        {**full_speed(10, 2.0), **same_rate(500, 2.0)},
        blocks=blocks,
        seed=1,
        warm_up=1.0,
    )
    return comparison_study(keys, pair, load_catalogue())


def trials(made: Study, speeds: Mapping[str, float], noise: float = 0.01) -> list[TrialOutcome]:
    """Each arm at its speed, with the noise of restarts."""
    source = random.Random(1)
    found = []
    for trial in Plan(made).trials:
        speed = speeds[trial.cell.arm.name] * math.exp(source.gauss(0, noise))
        paced = trial.cell.point.rate_per_s
        one = outcome(
            trial.index,
            trial.block,
            trial.cell.key,
            rate=1000 * speed if paced is None else paced,
            p99_s=0.002 / speed,
            open_load=paced is not None,
        )
        assert one.measurement is not None
        sent = {"body_bytes": 13 * one.measurement.completed_in_window}
        measured = one.measurement.model_copy(update=sent)
        found.append(one.model_copy(update={"measurement": measured}))
    return found


def result(
    made: Study,
    measured: Sequence[TrialOutcome],
    machine: Sequence[Fact] = MACHINE,
    started_at: float = 1_790_000_000.0,
) -> StudyResult:
    """The result of these trials."""
    facts = RunFacts(
        command="httpdyno compare main my-branch",
        httpdyno_version="0.1.0",
        seed=1,
        started_at=started_at,
        ended_at=started_at + 200,
        machine=machine,
        failures=(),
        titles={},
        versions={},
    )
    return summarise(Plan(made), measured, facts, lambda hdr, shares: [int(hdr)] * len(shares))
