"""Minimal studies, written by hand: a few arms, one load, their numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from oracle.made.studies import INVALID, OVERLOAD, SERVERS
from oracle.raw import Arm, Doubt, Key, Kind, Lab, Load, Point, Trial

WOBBLE = (1.0, 1.02, 0.98, 1.01, 0.99, 1.03, 0.97, 1.0, 1.02, 0.99)
LOST = INVALID[0]
FULL = "10 connections"


def arms(*names: str, running: bool = False) -> tuple[Arm, ...]:
    """Arms with these names; each is spoken as it is written."""
    return tuple(
        Arm(name, name.title() if name in SERVERS else name, not running) for name in names
    )


def shaped(
    values: Mapping[str, Sequence[float | None]],
    kind: Kind = "closed",
    *,
    running: bool = False,
    published: Mapping[str, float] | None = None,
) -> Lab:
    """Arms under one load: the requests per second of each block; None: a trial without a result.

    A `closed` load; or a `capacity`, whose values are those of the climbs.
    """
    name = "l0"
    label = "p99 ≤ 20 ms" if kind == "capacity" else FULL
    load = Load(name, kind, (Point(label),), limits="p99 ≤ 20 ms", published=bool(published))
    trials = {
        (arm, name, label): tuple(_trial(block, one, kind) for block, one in enumerate(each))
        for arm, each in values.items()
    }
    blocks = max(map(len, values.values()))
    return Lab(arms(*values, running=running), (load,), blocks, trials, published or {})


def _trial(block: int, rate: float | None, kind: Kind) -> Trial:
    if rate is None:
        return Trial(block, 100, failed=70, doubts=(LOST,))
    window, capacity = 1000.0, rate if kind == "capacity" else None
    p99 = 2.0 / rate
    made = Trial(block, round(rate * window), window_s=window, p99_s=p99, p50_s=p99 / 2)
    return replace(made, cpu_s=0.8 / rate, capacity=capacity)


def offered(shares: Mapping[str, Mapping[float, float | None]], blocks: int = 7) -> Lab:
    """Arms at several rates: the share of what fell due that each answered; None: no result."""
    rates = sorted({rate for each in shares.values() for rate in each})
    points = tuple(Point(f"{rate:,.0f}/s", rate) for rate in rates)
    load = Load("l0", "requests", points)
    trials: dict[Key, tuple[Trial, ...]] = {}
    for arm, each in shares.items():
        for point in points:
            share = each.get(point.rate or 0.0, 1.0)
            trials[arm, "l0", point.label] = tuple(
                _paced(block, point.rate or 0.0, share) for block in range(blocks)
            )
    return Lab(arms(*shares), (load,), blocks, trials)


def _paced(block: int, rate: float, share: float | None) -> Trial:
    due = round(rate * 2)
    if share is None:
        return Trial(block, 1, due=due, window_s=2.0, doubts=(LOST,))
    doubts: tuple[Doubt, ...] = (OVERLOAD,) if share < 0.99 else ()
    return Trial(block, round(due * share), due=due, window_s=2.0, doubts=doubts)


def changed(lab: Lab, arm: str, point: str = "", **fields: object) -> Lab:
    """The lab with other fields in every trial of an arm."""
    trials = {
        key: tuple(replace(one, **fields) for one in each)  # type: ignore[arg-type]
        if key[0] == arm and point in ("", key[2])
        else each
        for key, each in lab.trials.items()
    }
    return replace(lab, trials=trials)


def around(rate: float, n: int = 7, shift: int = 0) -> list[float]:
    """So many values around this one; another shift, another order."""
    return [rate * WOBBLE[(at + shift) % len(WOBBLE)] for at in range(n)]
