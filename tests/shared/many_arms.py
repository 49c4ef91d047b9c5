"""Results of studies with as many arms as wanted, with distributions and timelines, to draw.

The numbers are made by a seeded generator; they are material for the report, not findings.
"""

from __future__ import annotations

import math
import random

from httpdyno.result import CellRow, SecondRow, StudyResult
from large_sample import _arm, _cell, _comparisons, _load, _result, _trial


def arms(count: int) -> StudyResult:
    """So many arms under a closed loop, at three rates, and with distributions and timelines."""
    rng = random.Random(28)
    loads = [
        _load("keep-alive", "closed", "keep-alive on 64 connections"),
        _load("rates", "requests", "requests at a steady rate"),
    ]
    declared = [_arm(f"server-{at}/{1 + at % 4}-workers", "echo") for at in range(count)]
    most = {arm.name: 1000.0 * 1.18**at for at, arm in enumerate(declared)}
    cells = []
    for arm in declared:
        cells.append(_course(rng, _made(rng, arm.name, "keep-alive", None, most[arm.name])))
        for rate in (500.0, 5_000.0, 50_000.0):
            reached = min(rate, most[arm.name])
            cells.append(_course(rng, _made(rng, arm.name, "rates", rate, reached)))
    whole = _result("many-arms", loads, declared, cells)
    return whole.model_copy(update={"comparisons": _comparisons(cells)})


def _made(rng: random.Random, arm: str, load: str, rate: float | None, reached: float) -> CellRow:
    point = "64 connections" if rate is None else f"{rate:,.0f}/s"
    trials = [
        _trial(block, reached * rng.gauss(1, 0.02), 40 / reached * rng.gauss(1, 0.05), 0.0, "valid")
        for block in range(5)
    ]
    return _cell((arm, load, point, rate), trials)


def _course(rng: random.Random, cell: CellRow) -> CellRow:
    """The cell with a density around its median, and ten seconds of its course."""
    middle = cell.p50_s.value if cell.p50_s else 1e-3
    rate = cell.throughput_per_s.value if cell.throughput_per_s else 1.0
    edges = [middle * 0.7 * 1.08**at for at in range(22)]
    shares = [0.0, *(math.exp(-(((at - 5) / 4) ** 2)) / 7 for at in range(21))]
    seconds = [
        SecondRow(
            second=at,
            due=round(rate),
            ok=round(rate * rng.gauss(1, 0.04)),
            failed=0,
            p50_s=middle,
            p99_s=middle * rng.uniform(2, 5),
        )
        for at in range(-1, 10)
    ]
    density = list(zip(edges, shares, strict=True))
    return cell.model_copy(update={"latency_density": density, "timeline": seconds})
