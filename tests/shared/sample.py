"""Realistic study results to draw: a replay with doubts, a tiny one, one where all failed.

The numbers are made by a seeded generator around plausible centres; they are material for the
report, not findings.
"""

from __future__ import annotations

import random
from statistics import median

from httpdyno.doubts import NUMBERS, Number
from httpdyno.result import (
    ArmInfo,
    CellRow,
    Comparison,
    Estimate,
    Fact,
    FailureRow,
    LoadInfo,
    Outcome,
    PublishedRow,
    Reason,
    Status,
    StudyResult,
    TrialRow,
)
from httpdyno.statistics.claims.kept_up import kept_up
from httpdyno.statistics.pace import pace_of_trials

ARMS = ("tornado/1-process", "tornado/4-processes", "starlette/1-worker", "starlette/4-workers")
CAPACITY = dict(zip(ARMS, (2350.0, 5100.0, 4250.0, 8600.0), strict=True))
PERCENTILES = (0, 10, 25, 50, 75, 90, 95, 99, 99.5, 99.9, 99.95, 99.99, 100)
Point = tuple[str, str, float | None]
POINTS: tuple[Point, ...] = (
    ("as-published", "10 connections", None),
    ("keep-alive", "64 connections", None),
    ("corrected", "500/s", 500.0),
    ("corrected", "1,000/s", 1000.0),
    ("corrected", "2,000/s", 2000.0),
    ("corrected", "4,000/s", 4000.0),
)
WRONG_BODY = Reason(
    code="wrong-replies",
    status="invalid",
    text="41 % of the replies were wrong (threshold 1 %): status 500, where 200 was expected",
    hint="Look at the server's log, then check it: httpdyno servers check starlette",
)
OVERLOAD = Reason(
    code="offered-not-reached",
    status="suspect",
    text="2,350/s were answered of 4,000/s offered (59 %, threshold 95 %): it is overloaded here",
    hint="Read the latency at lower rates; at this rate it grows with the length of the run.",
)


def doubted(code: str) -> dict[Number, list[str]]:
    """The doubts of a cell all of whose numbers have the same reason."""
    return {number: [code] for number in NUMBERS}


def estimate(values: list[float]) -> Estimate:
    """Roughly what the statistics would say: a median, and an interval from 5 trials on."""
    middle = median(values)
    if len(values) < 5:
        return Estimate(value=middle, low=None, high=None, trials=len(values))
    spread = 2 * (max(values) - min(values)) / len(values)
    return Estimate(value=middle, low=middle - spread, high=middle + spread, trials=len(values))


def trial(rng: random.Random, block: int, arm: str, rate: float | None) -> TrialRow:
    """One plausible trial."""
    capacity = CAPACITY[arm] * rng.gauss(1, 0.025)
    reached = capacity if rate is None else min(rate, capacity)
    share = reached / capacity
    busy = 1 / max(0.02, 1.02 - share)
    p50 = (0.8e-3 if rate else 10 / capacity) * rng.gauss(1, 0.04) * (busy**0.5 if rate else 1)
    overloaded = rate is not None and rate > capacity
    return TrialRow(
        block=block,
        status="suspect" if overloaded else "valid",
        reasons=[OVERLOAD] if overloaded else [],
        throughput_per_s=reached,
        offered_per_s=rate,
        p50_s=p50 * (900 if overloaded else 1),
        p99_s=p50 * rng.gauss(3.4, 0.3) * (700 if overloaded else 1),
        max_s=p50 * 9,
        error_share=0.0 if not overloaded else max(0.0, rng.gauss(0.02, 0.005)),
        server_cpu_s_per_request=(1 / CAPACITY[arm])
        * rng.gauss(1, 0.02)
        * (4 if "4-" in arm else 1),
        server_rss_bytes=round((31 if "1-" in arm else 118) * 2**20 * rng.gauss(1, 0.01)),
        server_threads=4,
        server_processes=1 if "1-" in arm else 5,
        generator_busy_share=0.31,
        generator_lag_p99_s=38e-6,
        pace="fell behind" if overloaded else "kept up",
    )


def column(trials: list[TrialRow], name: str) -> Estimate:
    """The estimate of one column of trials."""
    return estimate([float(getattr(row, name)) for row in trials])


def cell(rng: random.Random, arm: str, point: Point, blocks: int) -> CellRow:
    """One cell with all its trials."""
    load, words, rate = point
    trials = [trial(rng, block, arm, rate) for block in range(1, blocks + 1)]
    status: Status = "suspect" if any(row.status == "suspect" for row in trials) else "valid"
    p50, p99 = column(trials, "p50_s"), column(trials, "p99_s")
    tail = p99.value / p50.value
    spectrum = [
        (
            float(p),
            p50.value
            * (0.6 + 0.4 * p / 50 if p <= 50 else tail ** ((p - 50) / 49))
            * (2 if p > 99.4 else 1),
        )
        for p in PERCENTILES
    ]
    throughput = column(trials, "throughput_per_s")
    return CellRow(
        arm=arm,
        load=load,
        point=words,
        rate_per_s=rate,
        pace=pace_of_trials(trials) if rate else None,
        status=status,
        reasons=[OVERLOAD] if status == "suspect" else [],
        doubts=doubted(OVERLOAD.code) if status == "suspect" else {},
        trials=trials,
        throughput_per_s=throughput,
        p50_s=p50,
        p99_s=p99,
        error_share=column(trials, "error_share"),
        server_cpu_s_per_request=column(trials, "server_cpu_s_per_request"),
        server_rss_bytes=column(trials, "server_rss_bytes"),
        ceiling_per_s=61_200.0,
        ceiling_share=throughput.value / 61_200,
        latency_spectrum=spectrum,
    )


def invalid(row: CellRow) -> CellRow:
    """The same cell without a result: what was measured may not be shown as one."""
    return row.model_copy(
        update={
            "status": "invalid",
            "reasons": [WRONG_BODY],
            "doubts": {},
            "pace": "unknown" if row.pace else None,
            "trials": [
                t.model_copy(
                    update={"status": "invalid", "reasons": [WRONG_BODY], "error_share": 0.41}
                )
                for t in row.trials
            ],
            "throughput_per_s": None,
            "p50_s": None,
            "p99_s": None,
            "error_share": None,
            "server_cpu_s_per_request": None,
            "server_rss_bytes": None,
            "ceiling_share": None,
            "latency_spectrum": [],
        }
    )


def compare(metric: str, base: CellRow, other: CellRow) -> Comparison:
    """Another cell against the baseline's, paired by block."""
    name = {"throughput": "throughput_per_s", "p99": "p99_s"}.get(
        metric, "server_cpu_s_per_request"
    )
    dots = [
        (a.block, float(getattr(b, name)) / float(getattr(a, name)))
        for a, b in zip(base.trials, other.trials, strict=True)
        if "invalid" not in (a.status, b.status)
    ]
    ratio = estimate([value for _, value in dots]) if dots else None
    outcome: Outcome = "no result"
    if ratio is not None:
        low, high = ratio.low or 0.0, ratio.high or 9.0
        more, less = low > 1.01, high < 0.99
        good = more if metric == "throughput" else less
        outcome = "no difference shown" if not (more or less) else "better" if good else "worse"
    return Comparison.model_validate(
        {
            "load": base.load,
            "point": base.point,
            "metric": metric,
            "baseline": base.arm,
            "arm": other.arm,
            "ratio": ratio,
            "outcome": outcome,
            "smallest_detectable": 0.021 if len(dots) >= 5 else None,
            "dots": dots,
        }
    )


def replay(blocks: int = 10) -> StudyResult:
    """Four arms, three loads, six points; two invalid cells, a suspect one, an arm that failed."""
    rng = random.Random(7)
    cells = [cell(rng, arm, point, blocks) for point in POINTS for arm in ARMS]
    cells = [
        invalid(row)
        if (row.arm, row.point) in {(ARMS[2], "64 connections"), (ARMS[3], "2,000/s")}
        else row
        for row in cells
    ]
    comparisons = [
        compare(metric, base, row)
        for metric in ("throughput", "p99", "server CPU per request")
        for row in cells
        for base in cells
        if base.arm == ARMS[0]
        and row.arm != ARMS[0]
        and (base.load, base.point) == (row.load, row.point)
    ]
    return StudyResult(
        name="tornado-vs-starlette",
        title="Tornado vs Starlette in 2019",
        question="Is Starlette faster than Tornado, and how much of it is the number of processes?",
        source="https://example.org/tornado-vs-starlette",
        answer=(
            "With one process each and the load of the post, starlette/1-worker answers 1.81 "
            "times as many requests a second as tornado/1-process (95 % interval 1.78 to 1.84, 10 "
            "restarts)."
        ),
        command="httpdyno run tornado-vs-starlette --blocks 10 --seed 20190903",
        httpdyno_version="0.1.0",
        seed=20190903,
        blocks_planned=blocks,
        blocks_done=blocks,
        started_at=1_790_000_000.0,
        ended_at=1_790_004_980.0,
        complete=True,
        machine=machine(),
        loads=loads(),
        arms=arms(),
        cells=cells,
        comparisons=comparisons,
        kept_up=list(kept_up(cells)),
        published=published(),
        failures=[
            FailureRow(
                arm="nginx/1-worker",
                stage="install",
                reason="`nginx` was not found on PATH, and apt could not install it",
                log="logs/nginx-install.log",
            )
        ],
        notes=[
            "Server and generator share both cores in the 4-process arms: their throughput may be "
            "too low.",
            "The post's two bodies differ by one byte; in the corrected loads they are equal.",
        ],
    )


def machine() -> list[Fact]:
    """A small cloud machine with one doubt."""
    return [
        Fact(label="processor", value="AMD EPYC 7B13, 2 of 4 cores"),
        Fact(label="memory", value="7.8 GiB"),
        Fact(label="kernel", value="Linux 6.1.0-28-amd64"),
        Fact(
            label="frequency",
            value="governor `powersave`",
            doubt="The clock may change. Set it: sudo cpupower frequency-set -g performance",
        ),
    ]


def loads() -> list[LoadInfo]:
    """The three loads."""
    return [
        LoadInfo(
            name="as-published",
            kind="closed",
            title="as published: 10 connections, HTTP/1.0, a new connection a call",
            description="ab -n 1000 -c 10: each connection asks again when it has its reply",
        ),
        LoadInfo(
            name="keep-alive",
            kind="closed",
            title="keep-alive: 64 connections, HTTP/1.1",
            description="for 10 s after 2 s of warm-up",
        ),
        LoadInfo(
            name="corrected",
            kind="requests",
            title="corrected: requests at a steady rate on at most 64 connections",
            description="each rate for 15 s; waiting for a free connection counts",
        ),
    ]


def arms() -> list[ArmInfo]:
    """The four arms and the one that failed."""
    return [
        ArmInfo(
            name=name,
            server=name.split("/")[0],
            deployment=name.split("/")[1],
            workload="hello",
            description=f"{name.split('/')[0]} from its documentation's first page",
            version={"tornado": "6.5.2", "starlette": "0.48.0 on uvicorn 0.37.0"}.get(
                name.split("/")[0], "unknown"
            ),
        )
        for name in (*ARMS, "nginx/1-worker")
    ]


def published() -> list[PublishedRow]:
    """The numbers of the post."""
    note = "ab -n 1000 -c 10, one run, unknown laptop"
    rates = (1900, 4700, 4200, 7500)
    return [
        PublishedRow(arm=arm, load="as-published", requests_per_s=rate, note=note)
        for arm, rate in zip(ARMS, rates, strict=True)
    ]


def tiny() -> StudyResult:
    """Three blocks of two arms under one load: too few for intervals."""
    rng = random.Random(3)
    cells = [cell(rng, arm, POINTS[1], 3) for arm in (ARMS[0], ARMS[2])]
    whole = replay(3)
    return whole.model_copy(
        update={
            "name": "demo",
            "title": "A first look",
            "question": "Which of the two answers more requests a second?",
            "answer": "Too few restarts (3) for an interval: starlette looks 1.8 times as fast.",
            "blocks_planned": 10,
            "blocks_done": 3,
            "complete": False,
            "loads": [whole.loads[1]],
            "arms": [whole.arms[0], whole.arms[2]],
            "cells": cells,
            "comparisons": [compare("throughput", *cells)],
            "published": [],
            "failures": [],
            "notes": [],
            "source": None,
        }
    )


def unmeasured() -> StudyResult:
    """A run that ended before its first trial."""
    whole = replay(1)
    bare: dict[str, object] = {"trials": [], "reasons": []}
    return whole.model_copy(
        update={
            "answer": "No result: nothing was measured.",
            "blocks_done": 0,
            "complete": False,
            "cells": [invalid(cell).model_copy(update=bare) for cell in whole.cells],
            "comparisons": [],
            "rankings": [],
            "failures": [],
        }
    )


def empty() -> StudyResult:
    """Nothing could be measured."""
    whole = replay(1)
    return whole.model_copy(
        update={
            "answer": "No result: no server could be started.",
            "blocks_done": 0,
            "complete": False,
            "cells": [],
            "comparisons": [],
            "published": [],
            "failures": [
                FailureRow(arm=arm.name, stage="start", reason="port 8080 is taken", log=None)
                for arm in whole.arms
            ],
        }
    )
