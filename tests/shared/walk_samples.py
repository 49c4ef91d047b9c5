"""Trials of a capacity load as they come back from the machine, made from a few numbers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from httpdyno.limits.walk import OverloadSecond, Walk, WalkStep
from httpdyno.outcome import TrialOutcome
from httpdyno.plan import Plan
from httpdyno.result import CellRow, StudyResult
from httpdyno.statistics.summarise import RunFacts, summarise
from httpdyno.study import Study
from httpdyno.study.read import parse_study
from trial_samples import outcome

STUDY = """\
title = "How much"
blocks = {blocks}
[[arms]]
server = "a"
deployments = ["1-worker", "2-workers"]
[loads.most]
kind = "capacity"
limits = ["p99<20ms"]
confirm = {confirm}
profile = false
for_rate = 3000
"""


def study(blocks: int = 5, confirm: int = 0) -> Study:
    return parse_study(STUDY.format(blocks=blocks, confirm=confirm), Path("most.toml"))


def step(rate: float, p99_s: float = 0.005, *, held: bool = True) -> WalkStep:
    return WalkStep(
        rate_per_s=rate,
        outcome="held" if held else "failed",
        use=p99_s / 0.020,
        p50_s=p99_s / 5,
        p99_s=p99_s,
        server_cpu_s_per_request=0.0004,
    )


def climbed(
    index: int, block: int, arm: str, capacity: float, cores: int = 1, *, behind: bool = False
) -> TrialOutcome:
    """`behind`: it answered less than fell due at the end, so that its latency has no use."""
    end = step(capacity * 1.05, 0.09, held=False)
    if behind:
        end = end.model_copy(update={"use": None, "throughput_per_s": capacity})
    walk = Walk(
        task="climb",
        cores=cores,
        steps=(step(0.9 * capacity), end),
        ended="limit",
        capacity_per_s=capacity,
    )
    return with_walk(index, block, arm, walk)


def with_walk(index: int, block: int, arm: str, walk: Walk) -> TrialOutcome:
    made = outcome(index, block, (arm, "most", "p99 ≤ 20 ms"))
    return made.model_copy(update={"walk": walk})


def result(
    given: Study, trials: Sequence[TrialOutcome], command: str = "httpdyno run most.toml"
) -> StudyResult:
    facts = RunFacts(command, "0", 1, 0.0, 9.0, (), (), {"a": "Ay"}, {})
    return summarise(Plan(given), trials, facts, lambda hdr, at: [int(hdr)] * len(at))


def climbs(values: Sequence[float], arm: str = "a/1-worker", cores: int = 1) -> list[TrialOutcome]:
    first = 0 if cores == 1 else 100
    return [climbed(first + n, n, arm, value, cores) for n, value in enumerate(values)]


def row(found: StudyResult, arm: str = "a/1-worker") -> CellRow:
    return next(cell for cell in found.cells if cell.arm == arm)


def confirmed(
    index: int, block: int, *, held: bool, sustained: float | None = None
) -> TrialOutcome:
    steps = (step(980.0, held=held),)
    kept = 980.0 if held else sustained
    walk = Walk(task="confirm", cores=1, steps=steps, held=held, sustained_per_s=kept)
    return with_walk(index, block, "a/1-worker", walk)


def profiled(index: int, block: int, capacity: float, kept: float = 1.0) -> TrialOutcome:
    """`kept`: the share of the capacity that is answered throughout."""
    steps = tuple(step(share * capacity, 0.002) for share in (0.25, 0.5, 0.8))
    shares = (0.7, 1.5, 2.0, 2.0, 0.7, 0.7, 0.7, 0.7)
    slow = (0.002, 0.4, 1.4, 2.4, 2.0, 0.5, 0.002, 0.002)
    overload = tuple(
        OverloadSecond(
            second=n, share=share, due=int(share * capacity), ok=int(kept * capacity), p99_s=p99_s
        )
        for n, (share, p99_s) in enumerate(zip(shares, slow, strict=True))
    )
    walk = Walk(task="profile", cores=1, steps=steps, overload=overload)
    return with_walk(index, block, "a/1-worker", walk)
