"""Results of studies of any size, made by a seeded generator."""

from __future__ import annotations

import math
import random

from httpdyno.result import (
    ArmInfo,
    CellRow,
    Comparison,
    Estimate,
    LoadInfo,
    SecondRow,
    StudyResult,
    TrialRow,
)

_SECONDS = 15
_BINS = 40
_PERCENTILES = (0, 10, 25, 50, 75, 90, 95, 97.5, 99, 99.5, 99.75, 99.9, 99.95, 99.99)


def study_of(count: int, of_loads: int, blocks: int) -> StudyResult:
    """A study of so many arms under so many loads, each restarted so often."""
    rng = random.Random(count * of_loads * blocks)
    loads = [_load(at) for at in range(of_loads)]
    arms = [_arm(at) for at in range(count)]
    most = {arm.name: 800.0 * 1.07**at for at, arm in enumerate(arms)}
    cells = [_cell(rng, arm.name, load, most[arm.name], blocks) for load in loads for arm in arms]
    base = {cell.load: cell for cell in cells if cell.arm == arms[0].name}
    comparisons = [
        _comparison(metric, base[cell.load], cell)
        for cell in cells
        if cell.arm != arms[0].name
        for metric in ("throughput", "p99", "server CPU per request")
    ]
    return StudyResult(
        name="simulated",
        title=f"{len(arms)} arms under {len(loads)} loads",
        question="How long does its report take?",
        source=None,
        answer="The numbers are made by a random generator.",
        command="make bench-report",
        httpdyno_version="0",
        seed=1,
        blocks_planned=blocks,
        blocks_done=blocks,
        started_at=1_790_000_000.0,
        ended_at=1_790_090_000.0,
        complete=True,
        machine=[],
        loads=loads,
        arms=arms,
        cells=cells,
        comparisons=comparisons,
        published=[],
        failures=[],
        notes=[],
    )


def _load(at: int) -> LoadInfo:
    title = f"keep-alive on {2**at} connections"
    return LoadInfo(name=f"load-{at}", kind="closed", title=title, description=title)


def _arm(at: int) -> ArmInfo:
    name = f"server-{at // 4}/{2 ** (at % 4)}-workers"
    return ArmInfo(
        name=name,
        server=f"server-{at // 4}",
        deployment=f"{2 ** (at % 4)}-workers",
        workload="hello",
        description=name,
        version="1.0",
    )


def _cell(rng: random.Random, arm: str, load: LoadInfo, most: float, blocks: int) -> CellRow:
    trials = [_trial(rng, block, most) for block in range(blocks)]
    p50 = 10 / most
    edges = [p50 * 0.6 * 1.07**at for at in range(_BINS + 1)]
    density = [(edge, math.exp(-((at / 10 - 1) ** 2)) / 25) for at, edge in enumerate(edges)]
    return CellRow(
        arm=arm,
        load=load.name,
        point=load.title.removeprefix("keep-alive on "),
        rate_per_s=None,
        status="valid",
        reasons=[],
        doubts={},
        trials=trials,
        throughput_per_s=_estimate(trials, "throughput_per_s"),
        p50_s=_estimate(trials, "p50_s"),
        p99_s=_estimate(trials, "p99_s"),
        error_share=_estimate(trials, "error_share"),
        server_cpu_s_per_request=_estimate(trials, "server_cpu_s_per_request"),
        server_rss_bytes=_estimate(trials, "server_rss_bytes"),
        ceiling_per_s=120_000.0,
        ceiling_share=most / 120_000.0,
        latency_spectrum=[
            (float(p), p50 * (0.5 + p / 100) * 1.2**at) for at, p in enumerate(_PERCENTILES)
        ],
        latency_density=density,
        timeline=[_second(rng, at, most, p50) for at in range(_SECONDS)],
    )


def _trial(rng: random.Random, block: int, most: float) -> TrialRow:
    rate = most * rng.gauss(1, 0.02)
    return TrialRow(
        block=block,
        status="valid",
        reasons=[],
        throughput_per_s=rate,
        offered_per_s=None,
        p50_s=10 / rate,
        p99_s=30 / rate * rng.uniform(0.9, 1.2),
        max_s=90 / rate,
        error_share=0.0,
        server_cpu_s_per_request=0.9 / rate,
        server_rss_bytes=round(40 * 2**20 * rng.uniform(0.98, 1.02)),
        server_threads=4,
        server_processes=1,
        generator_busy_share=0.3,
        generator_lag_p99_s=4e-5,
    )


def _second(rng: random.Random, at: int, most: float, p50: float) -> SecondRow:
    done = round(most * rng.gauss(1, 0.03))
    return SecondRow(second=at, due=done, ok=done, failed=0, p50_s=p50, p99_s=p50 * 3)


def _estimate(trials: list[TrialRow], field: str) -> Estimate:
    values = sorted(float(getattr(trial, field)) for trial in trials)
    return _of_sorted(values)


def _of_sorted(values: list[float]) -> Estimate:
    """Roughly what the statistics would say; few values have no interval."""
    many = len(values) > 5
    low, high = (values[1], values[-2]) if many else (None, None)
    return Estimate(value=values[len(values) // 2], low=low, high=high, trials=len(values))


def _comparison(metric: str, base: CellRow, other: CellRow) -> Comparison:
    field = {"throughput": "throughput_per_s", "p99": "p99_s"}.get(
        metric, "server_cpu_s_per_request"
    )
    dots = [
        (one.block, float(getattr(two, field)) / float(getattr(one, field)))
        for one, two in zip(base.trials, other.trials, strict=True)
    ]
    values = sorted(value for _, value in dots)
    ratio = _of_sorted(values)
    more = ratio.value > 1
    better = more == (metric == "throughput")
    return Comparison.model_validate(
        {
            "load": base.load,
            "point": base.point,
            "metric": metric,
            "baseline": base.arm,
            "arm": other.arm,
            "ratio": ratio,
            "outcome": "better" if better else "worse",
            "smallest_detectable": 0.02,
            "dots": dots,
        }
    )
