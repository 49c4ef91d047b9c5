"""Studies drawn from a seed: 1 to 8 arms, several kinds of loads, and all that can go wrong."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from random import Random

from oracle.raw import Arm, Doubt, Key, Kind, Lab, Load, Point, Trial

SERVERS = ("ay", "bee", "cee", "dee", "eff", "gee", "hay", "eye")
RUNS_ALREADY = ("jay", "kay")
LIMITS = "p99 ≤ 20 ms"
_ALL = frozenset({"throughput", "p50", "p99", "errors", "cpu", "memory"})
_LATENCY = frozenset({"p50", "p99"})
STARVED = Doubt(
    "server_starved",
    "other programs or the host of this machine took 31 % of the server's processors",
    _LATENCY | {"throughput"},
)
SUSPECTS = (
    Doubt("generator_late", "the load generator was late: lag p99 2.10 ms", frozenset({"p99"})),
    Doubt("ceiling", "81 % of the ceiling of the load generator", _LATENCY | {"throughput"}),
    Doubt("shared_cores", "server and load generator shared CPUs", _ALL),
    Doubt("too_short", "too short: 50 calls in 1 s", _ALL),
    STARVED,
)
OVERLOAD = Doubt(
    "overload", "overload: less achieved than offered", _LATENCY | {"errors", "memory"}
)
UNSENT = Doubt("unsent", "some calls were never sent", _LATENCY | {"errors"})
BACKLOG = Doubt("backlog", "more achieved than offered", _LATENCY | {"throughput", "memory"})
INVALID = (
    Doubt("wrong_replies", "41 % of the replies had status 500"),
    Doubt("errors", "12 % of the calls failed"),
)
DOUBTS = (*SUSPECTS, OVERLOAD, UNSENT, BACKLOG, *INVALID)
"""Every reason that a made trial may have."""
_SHAPES: tuple[tuple[Kind, ...], ...] = (
    ("closed",),
    ("closed",),
    ("closed", "requests"),
    ("requests",),
    ("sessions",),
    ("capacity",),
    ("closed", "capacity"),
    ("closed", "closed", "requests"),
)
_BLOCKS = (1, 2, 3, 4, 5, 5, 6, 7, 7, 10)


@dataclass(frozen=True)
class Speeds:
    """The truth about the arms: requests per second at full speed, and the noise of restarts."""

    most: tuple[float, ...]
    noise: float


def study(seed: int) -> Lab:
    """The study of this seed."""
    source = Random(seed)
    arms = _arms(source)
    blocks = source.choice(_BLOCKS)
    is_replay = source.random() < 0.15
    shape: tuple[Kind, ...] = ("closed", "closed") if is_replay else source.choice(_SHAPES)
    speeds = _speeds(source, len(arms))
    loads = tuple(
        _load(source, kind, f"l{at}", is_replay and at == 0, speeds)
        for at, kind in enumerate(shape)
    )
    random_arrivals = source.random() < 0.5
    trials: dict[Key, tuple[Trial, ...]] = {}
    for load in loads:
        for point in load.points:
            for at, arm in enumerate(arms):
                made = [
                    draw(source, load, point, speeds.most[at], speeds.noise, block, random_arrivals)
                    for block in range(blocks)
                ]
                trials[arm.name, load.name, point.label] = tuple(made)
    found = Lab(arms, loads, blocks, trials, _published(source, arms, is_replay), seed)
    for fault in source.sample(_FAULTS, source.choice((0, 0, 1, 1, 2))):
        found = fault(source, found)
    if blocks == _BLOCKS[-1] and source.random() < 0.5:
        found = replace(found, until=source.choice((0.002, 0.02, 0.1)))
    return found


def equal(seed: int, arms: int, rates: int = 0, blocks: int = 7) -> Lab:
    """Arms that are all alike, under a closed load and perhaps several rates: no order is true."""
    source = Random(seed)
    names = tuple(_declared(name) for name in SERVERS[:arms])
    loads = [Load(f"l{at}", "closed", (Point("10 connections"),)) for at in range(max(1, rates))]
    trials = {
        (arm.name, load.name, "10 connections"): tuple(
            draw(source, load, load.points[0], 1000.0, 0.02, block, False)
            for block in range(blocks)
        )
        for load in loads
        for arm in names
    }
    return Lab(names, tuple(loads), blocks, trials, {}, seed)


def _declared(server: str) -> Arm:
    if server in RUNS_ALREADY:
        return Arm(server, server.title(), restarted=False)
    return Arm(f"{server}/1-worker", f"{server.title()} (1 worker)")


def _arms(source: Random) -> tuple[Arm, ...]:
    count = source.choice((1, 2, 2, 2, 3, 3, 4, 5, 8))
    running = source.choice((0, 0, 0, 0, 1, 2))
    names = [*SERVERS, *RUNS_ALREADY][:count]
    if running:
        names = [*names[: count - running], *RUNS_ALREADY[: min(running, count)]]
    return tuple(map(_declared, names))


def _speeds(source: Random, count: int) -> Speeds:
    base = 10 ** source.uniform(0.5, 5)
    kind = source.choice(("equal", "equal", "near", "spread", "groups", "extreme"))
    factors = {
        "equal": [1.0] * count,
        "near": [1 + 0.01 * source.gauss(0, 1) for _ in range(count)],
        "spread": [1.25 ** source.uniform(-4, 4) for _ in range(count)],
        "groups": [source.choice((1.0, 1.6)) for _ in range(count)],
        "extreme": [10 ** source.uniform(-2, 2) for _ in range(count)],
    }[kind]
    return Speeds(
        tuple(max(2.0, base * one) for one in factors), source.choice((0.0, 0.002, 0.01, 0.03, 0.1))
    )


def _load(source: Random, kind: Kind, name: str, published: bool, speeds: Speeds) -> Load:
    if kind == "capacity":
        bounded = source.choice((0.0, 0.0, 0.1))
        return Load(name, kind, (Point(LIMITS),), limits=LIMITS, bounded=bounded)
    if kind == "closed":
        counts = source.choice(((10,), (10,), (1, 64)))
        points = tuple(Point(f"{n} connection{'s' if n > 1 else ''}") for n in counts)
        return Load(name, kind, points, published)
    middle = sorted(speeds.most)[len(speeds.most) // 2]
    base = max(1, round(middle * source.choice((0.2, 0.5, 1.3))))
    rates = [base * factor for factor in (1, 2, 4)][: source.choice((1, 2, 3))]
    noun = " sessions" if kind == "sessions" else ""
    return Load(name, kind, tuple(Point(f"{_label(rate)}{noun}", float(rate)) for rate in rates))


def _label(rate: int) -> str:
    """Three digits at least: `28.0/s`, `1,250/s`."""
    return f"{rate:.2f}/s" if rate < 10 else f"{rate:.1f}/s" if rate < 100 else f"{rate:,}/s"


def draw(
    source: Random, load: Load, point: Point, most: float, noise: float, block: int, is_random: bool
) -> Trial:
    speed = most * math.exp(source.gauss(0, noise))
    window = 2.0
    slow = round(min(20.0, max(1e-6, 5.0 / speed)) * math.exp(source.gauss(0, noise)), 9)
    shape = {"p50_s": round(slow / 2, 9), "p99_s": slow, "cpu_s": 0.8 / speed, "window_s": window}
    if load.kind == "capacity":
        bound = source.random() < load.bounded
        return Trial(
            block,
            round(speed * window),
            due=round(speed * window),
            capacity=None if bound else speed,
            at_least=speed if bound else None,
            **shape,  # type: ignore[arg-type]
        )
    if point.rate is None:
        ok = max(1, round(speed * window))
        made = Trial(block, ok, **shape)  # type: ignore[arg-type]
        return replace(made, seconds=_seconds(source, ok))
    expected = point.rate * window
    due = max(1, round(source.gauss(expected, math.sqrt(expected)) if is_random else expected))
    ok = min(due, round(speed * window))
    made = Trial(block, ok, due=due, **shape)  # type: ignore[arg-type]
    doubts = (OVERLOAD,) if ok < 0.99 * due else ()
    return replace(made, doubts=doubts, seconds=_seconds(source, ok))


def _seconds(source: Random, ok: int) -> tuple[int, ...]:
    return tuple(max(0, round(ok / 2 * source.gauss(1, 0.02))) for _ in range(5))


def _published(source: Random, arms: Sequence[Arm], is_replay: bool) -> dict[str, float]:
    if not is_replay:
        return {}
    kind = source.choice(("all", "equal", "zero", "some"))
    numbers = {
        arm.name: 1000.0 if kind == "equal" else float(source.randrange(500, 5000)) for arm in arms
    }
    if kind == "zero":
        numbers = dict.fromkeys(numbers, 0.0)
    if kind == "some":
        numbers = {arm: value for arm, value in numbers.items() if source.random() < 0.6}
    return numbers


def _at(source: Random, lab: Lab) -> Key:
    return source.choice(list(lab.trials))


def _changed(lab: Lab, key: Key, trials: Sequence[Trial]) -> Lab:
    return replace(lab, trials={**lab.trials, key: tuple(trials)})


def _one_bad(source: Random, lab: Lab) -> Lab:
    """One trial of a cell has a doubt."""
    key = _at(source, lab)
    place, doubt = source.randrange(max(1, len(lab.of(key)))), source.choice((*SUSPECTS, UNSENT))
    if doubt is UNSENT and lab.load(key[1]).kind in ("closed", "capacity"):
        doubt = SUSPECTS[0]
    made = [
        replace(one, doubts=(*one.doubts, doubt), unsent=3 if doubt is UNSENT else 0)
        if at == place and not one.doubts
        else one
        for at, one in enumerate(lab.of(key))
    ]
    return _changed(lab, key, made)


def _backlog(source: Random, lab: Lab) -> Lab:
    """One trial of an open load also answered what the warm-up had left over."""
    keys = [key for key in lab.trials if lab.load(key[1]).kind in ("requests", "sessions")]
    if not keys:
        return lab
    key = source.choice(keys)
    place = source.randrange(max(1, len(lab.of(key))))
    made = [
        replace(one, ok=math.ceil(1.07 * one.due), doubts=(BACKLOG,))
        if at == place and one.due and not one.doubts
        else one
        for at, one in enumerate(lab.of(key))
    ]
    return _changed(lab, key, made)


def _suspect_cell(source: Random, lab: Lab) -> Lab:
    key, doubt = _at(source, lab), source.choice(SUSPECTS)
    return _changed(lab, key, [replace(one, doubts=(*one.doubts, doubt)) for one in lab.of(key)])


def lose(trial: Trial, doubt: Doubt) -> Trial:
    return replace(trial, doubts=(doubt,), failed=max(1, trial.ok // 8))


def _invalid_trial(source: Random, lab: Lab) -> Lab:
    key, doubt = _at(source, lab), source.choice(INVALID)
    place = source.randrange(max(1, len(lab.of(key))))
    made = [lose(one, doubt) if at == place else one for at, one in enumerate(lab.of(key))]
    return _changed(lab, key, made)


def _invalid_cell(source: Random, lab: Lab) -> Lab:
    key, doubt = _at(source, lab), source.choice(INVALID)
    return _changed(lab, key, [lose(one, doubt) for one in lab.of(key)])


def _invalid_arm(source: Random, lab: Lab) -> Lab:
    arm, doubt = source.choice(lab.arms).name, source.choice(INVALID)
    made = {
        key: tuple(lose(one, doubt) for one in trials) if key[0] == arm else trials
        for key, trials in lab.trials.items()
    }
    return replace(lab, trials=made)


def _missing_blocks(source: Random, lab: Lab) -> Lab:
    key = _at(source, lab)
    return _changed(lab, key, lab.of(key)[: source.randrange(lab.blocks)])


def _interrupted(source: Random, lab: Lab) -> Lab:
    """The last block was not measured whole, or many were not."""
    last = source.randrange(lab.blocks)
    made = {}
    for key, trials in lab.trials.items():
        until = last + (source.random() < 0.5)
        made[key] = tuple(one for one in trials if one.block < until)
    return replace(lab, trials=made)


def _few_connections(source: Random, lab: Lab) -> Lab:
    """An arm answers far less at full speed than it can: its connections are too few."""
    closed = [load.name for load in lab.loads if load.kind == "closed"]
    arm = source.choice(lab.arms).name
    made = {
        key: tuple(replace(one, ok=max(1, one.ok // 5)) for one in trials)
        if key[0] == arm and key[1] in closed
        else trials
        for key, trials in lab.trials.items()
    }
    return replace(lab, trials=made)


def _no_cpu(source: Random, lab: Lab) -> Lab:
    arm = source.choice(lab.arms).name
    made = {
        key: tuple(replace(one, cpu_s=None) for one in trials) if key[0] == arm else trials
        for key, trials in lab.trials.items()
    }
    return replace(lab, trials=made)


def _few_failures(source: Random, lab: Lab) -> Lab:
    """A few calls failed in one trial, too few to doubt it."""
    key = _at(source, lab)
    place = source.randrange(max(1, len(lab.of(key))))
    made = [replace(one, failed=2) if at == place else one for at, one in enumerate(lab.of(key))]
    return _changed(lab, key, made)


def _silent(source: Random, lab: Lab) -> Lab:
    """Every second of a timeline is zero."""
    key = _at(source, lab)
    made = [replace(one, seconds=(0,) * len(one.seconds)) for one in lab.of(key)]
    return _changed(lab, key, made)


def _bounded_arm(source: Random, lab: Lab) -> Lab:
    """The search for the capacity of an arm ended below it, on every start."""
    keys = [key for key in lab.trials if lab.load(key[1]).kind == "capacity"]
    if not keys:
        return lab
    key = source.choice(keys)
    made = [replace(one, at_least=one.value("capacity"), capacity=None) for one in lab.of(key)]
    return _changed(lab, key, made)


_FAULTS = (
    _bounded_arm,
    _one_bad,
    _backlog,
    _suspect_cell,
    _invalid_trial,
    _invalid_cell,
    _invalid_arm,
    _missing_blocks,
    _interrupted,
    _no_cpu,
    _few_connections,
    _few_failures,
    _silent,
)
