"""The promise of a report: with equal arms, at most 1 report in 20 claims a difference anywhere.

    python benches/promise.py [--studies N] [--write PAGE]

Each simulated study has so many equal arms under so many loads, half at full speed and half at a
rate that all keep up with, and 7 blocks. Its claims are those of the program: ratios of throughput
or p99 and of CPU time, ranks, and an A/A control of the baseline. The table has the share of
studies in which any of them shows a difference, beside the share if each load point and each metric
were judged for itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path

import numpy as np
from httpdyno.outcome import CellKey
from httpdyno.plan import Cell, Plan
from httpdyno.result import CellRow, TrialRow
from httpdyno.statistics.claims.comparisons import comparisons
from httpdyno.statistics.claims.family import Claims, claims
from httpdyno.statistics.claims.holm import holm
from httpdyno.statistics.claims.rankings import contests
from httpdyno.statistics.intervals import level_estimate
from httpdyno.study import Study
from httpdyno.study.read import parse_study
from httpdyno.units import counted
from peers.tables.marks import main_of_page

ARMS, LOADS = (1, 2, 3, 5, 8, 10), (1, 2, 4, 6)
BLOCKS = 7
COMMAND = "make promise"


def study(count: int, loads: int) -> Study:
    """A study of equal arms with an A/A control."""
    names = "".join(f'[[arms]]\nserver = "s{n}"\ndeployments = ["x"]\n' for n in range(count))
    kinds = "".join(
        f'[loads.l{n}]\nkind = "requests"\nrate = 100\nduration = "3s"\n'
        if n % 2
        else f'[loads.l{n}]\nkind = "closed"\nduration = "3s"\n'
        for n in range(loads)
    )
    head = f'title = "Equal"\nblocks = {BLOCKS}\naa_control = true\n'
    return parse_study(head + names + kinds, Path("equal.toml"))


def rows(every: Sequence[Cell], rng: np.random.Generator) -> dict[CellKey, CellRow]:
    """Cells of equal arms: throughput, p99 and CPU time vary by 3, 10 and 2 %."""
    return {cell.key: _row(cell, rng) for cell in every}


def _row(cell: Cell, rng: np.random.Generator) -> CellRow:
    rate, p99, cpu = np.exp(np.array([[0.03], [0.1], [0.02]]) * rng.standard_normal((3, BLOCKS)))
    trials = [_trial(b, 1e3 * rate[b], 1e-3 * p99[b], 1e-5 * cpu[b]) for b in range(BLOCKS)]
    is_open = cell.point.rate_per_s is not None
    return CellRow(
        arm=cell.arm.name,
        load=cell.load_name,
        point=cell.point.label,
        rate_per_s=cell.point.rate_per_s,
        pace="kept up" if is_open else None,
        status="valid",
        reasons=[],
        trials=trials,
        throughput_per_s=level_estimate([float(1e3 * one) for one in rate]),
        p50_s=None,
        p99_s=level_estimate([float(1e-3 * one) for one in p99]),
        error_share=None,
        server_cpu_s_per_request=level_estimate([float(1e-5 * one) for one in cpu]),
        server_rss_bytes=None,
        ceiling_per_s=None,
        ceiling_share=None,
        latency_spectrum=[],
        notes=[],
        doubts={},
    )


def _trial(block: int, rate: float, p99: float, cpu: float) -> TrialRow:
    return TrialRow(
        block=block,
        status="valid",
        reasons=[],
        throughput_per_s=float(rate),
        offered_per_s=None,
        p50_s=None,
        p99_s=float(p99),
        max_s=None,
        error_share=None,
        server_cpu_s_per_request=float(cpu),
        server_rss_bytes=None,
        server_threads=None,
        server_processes=None,
        generator_busy_share=None,
        generator_lag_p99_s=None,
    )


def claims_a_difference(found: Claims) -> bool:
    """True if any ratio, rank or leading place shows a difference."""
    ranked = any(one.best > 1 for ranking in found.rankings for one in ranking.arms)
    return ranked or any(row.shown for row in found.comparisons)


def apart(plan: Plan, made: dict[CellKey, CellRow]) -> bool:
    """The same for decisions that are made for each metric, and for each load point."""
    of_metric: dict[str, list[float]] = {}
    for row in comparisons(plan, made):
        if row.p_value is not None:
            of_metric.setdefault(row.metric, []).append(row.p_value)
    families = [*of_metric.values()]
    families += [list(one.p_values.values()) for one in contests(plan, made)]
    return any(one.adjusted <= 0.05 for family in families for one in holm(family))


def shares(count: int, loads: int, studies: int) -> tuple[float, float]:
    """The shares of studies that claim a difference: judged together, and apart."""
    plan = Plan(study(count, loads))
    rng = np.random.default_rng(1000 * count + loads)
    together = separate = 0
    for _ in range(studies):
        made = rows(plan.cells, rng)
        together += claims_a_difference(claims(plan, made))
        separate += apart(plan, made)
    return together / studies, separate / studies


def table(studies: int) -> Iterator[str]:
    """The table as Markdown."""
    yield f"| arms | {' | '.join(counted(n, 'load') for n in LOADS)} |"
    yield f"| ---: | {' | '.join('---:' for _ in LOADS)} |"
    found = {place: shares(*place, studies) for place in product(ARMS, LOADS)}
    for count in ARMS:
        parts = [f"{found[count, n][0]:.1%} ({found[count, n][1]:.0%})" for n in LOADS]
        yield f"| {count} | {' | '.join(part.replace('%', ' %') for part in parts)} |"


if __name__ == "__main__":
    main_of_page(table, COMMAND, __doc__, "studies", 2_000)
