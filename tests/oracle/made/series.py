"""Sweeps, histories and comparisons drawn from a seed, as raw trials."""

from __future__ import annotations

import math
from dataclasses import replace
from random import Random

from oracle.made.studies import INVALID, OVERLOAD, STARVED, SUSPECTS
from oracle.raw import Arm, Lab, Load, Point, Trial


def sweep(seed: int) -> Lab:
    """One server at several rates. Some may be invalid or noisy, the server may be starved, and the
    last ones may not be measured."""
    source = Random(seed)
    base = source.choice((100, 250, 1000))
    rates = [base * 2**at for at in range(source.choice((2, 3, 4, 6)))]
    capacity = base * 2 ** source.uniform(-1, 7)
    trials: dict[tuple[str, str, str], tuple[Trial, ...]] = {}
    measured = source.choice((len(rates), len(rates), len(rates) - 1, 1))
    for rate in rates[:measured]:
        due = 2 * rate
        share = min(1.0, capacity / rate)
        kind = source.random()
        made = Trial(0, round(due * share), due=due, window_s=2.0, p99_s=0.002 / max(0.01, share))
        if share < 0.99:
            made = replace(made, doubts=(OVERLOAD, STARVED) if kind < 0.2 else (OVERLOAD,))
        elif kind < 0.1:
            made = replace(made, doubts=(INVALID[0],), ok=due // 2, failed=due // 2)
        elif kind < 0.2:
            made = replace(made, doubts=(OVERLOAD,), ok=round(0.9 * due))
        elif kind < 0.3:
            made = replace(made, doubts=(SUSPECTS[0],))
        trials["server", "l0", _label(rate)] = (made,)
    load = Load("l0", "requests", tuple(Point(_label(rate), float(rate)) for rate in rates))
    return Lab((Arm("server", "server"),), (load,), 1, trials, seed=seed)


def _label(rate: int) -> str:
    return f"{rate:,}/s"


def history(seed: int) -> Lab:
    """One to three servers over 1 to 20 runs, with steps, alone or together, up or down."""
    source = Random(seed)
    names = ("a", "b", "c")[: source.choice((1, 2, 3))]
    runs = source.choice((1, 2, 3, 5, 6, 8, 12, 20))
    noise = source.choice((0.002, 0.01, 0.03))
    at = source.randrange(1, max(2, runs))
    size = source.choice((1.0, 1.0, 1.02, 1.2, 1.4, 0.5))
    trials = {}
    for name in names:
        mine = source.choice((size, size, 1.0, 1 / size))
        level = 10 ** source.uniform(1, 5)
        values = [
            level * math.exp(source.gauss(0, noise)) * (mine if run >= at else 1.0)
            for run in range(runs)
        ]
        trials[name, "l0", "10 connections"] = tuple(
            Trial(run, round(value * 1000), window_s=1000.0, p99_s=1 / value, cpu_s=0.8 / value)
            for run, value in enumerate(values)
        )
    load = Load("l0", "closed", (Point("10 connections"),))
    return Lab(tuple(Arm(name, name) for name in names), (load,), runs, trials, seed=seed)


def comparison(seed: int) -> Lab:
    """Two builds at full speed and at one rate for both: slower, faster, alike, or overloaded."""
    source = Random(seed)
    ratio = source.choice((1.0, 1.0, 0.995, 0.95, 0.93, 0.8, 0.4, 1.1, 2.5))
    noise = source.choice((0.002, 0.01, 0.02, 0.05))
    blocks = source.choice((3, 5, 10, 10, 20))
    names, speed = ("A", "B"), 10 ** source.uniform(2, 5)
    rate = float(max(1, round(speed / 2)))
    full = Load("full-speed", "closed", (Point("10 connections"),))
    paced = Load("same-rate", "requests", (Point(_paced_label(rate), rate),))
    trials: dict[tuple[str, str, str], tuple[Trial, ...]] = {}
    for name in names:
        most = speed * (ratio if name == "B" else 1.0)
        each = [most * math.exp(source.gauss(0, noise)) for _ in range(blocks)]
        trials[name, full.name, full.points[0].label] = tuple(
            Trial(block, round(one * 100), window_s=100.0, cpu_s=0.8 / one)
            for block, one in enumerate(each)
        )
        trials[name, paced.name, paced.points[0].label] = tuple(
            _at_rate(block, rate, one) for block, one in enumerate(each)
        )
    arms = tuple(Arm(name, name) for name in names)
    return Lab(arms, (full, paced), blocks, trials, seed=seed)


def _paced_label(rate: float) -> str:
    return f"{rate:,.0f}/s" if rate >= 100 else f"{rate:.1f}/s" if rate >= 10 else f"{rate:.2f}/s"


def _at_rate(block: int, rate: float, most: float) -> Trial:
    due = round(rate * 100)
    ok = min(due, round(most * 100))
    doubts = (OVERLOAD,) if ok < 0.99 * due else ()
    p99 = round(2 / most if not doubts else 3.0, 9)
    return Trial(
        block,
        ok,
        due=due,
        window_s=100.0,
        p99_s=p99,
        p50_s=p99 / 2,
        cpu_s=0.8 / most,
        doubts=doubts,
    )


def load(seed: int) -> Lab:
    """One trial at a rate: of one call or many, some never sent or never answered."""
    source = Random(seed)
    due = source.choice((1, 10, 1487, 20_000))
    unsent = source.choice((0, 0, max(1, due // 300)))
    ok = round((due - unsent) * source.choice((1.0, 1.0, 0.24)))
    made = Trial(
        0,
        max(1, ok),
        due=due,
        unsent=min(unsent, due - 1),
        waited=source.choice((0, unsent)),
        window_s=10.0,
        p50_s=6.56e-3,
        p99_s=6.56e-3,
    )
    point = Point("1,000/s", 1000.0)
    return Lab(
        (Arm("server", "server"),),
        (Load("l0", "requests", (point,)),),
        1,
        {("server", "l0", point.label): (made,)},
        seed=seed,
    )
