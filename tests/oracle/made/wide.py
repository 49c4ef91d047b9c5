"""Studies in which not every arm is compared with every other: several workloads, an A/A control,
loads of some arms, searches with several limits, a baseline without a result."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from random import Random

from oracle.made.studies import INVALID, OVERLOAD, RUNS_ALREADY, draw, lose, study
from oracle.raw import Arm, Key, Lab, Load, Point, Trial

WORKLOADS = ("hello", "pong")
CONTROL = " (A/A)"
_LIMITS = ("p99 ≤ 5 ms", "p99 ≤ 100 ms")
Change = Callable[[Random, Lab], Lab]


def wide(seed: int) -> Lab:
    """The study of this seed, with one to three of these changes, and perhaps other connections."""
    source = Random(f"wide {seed}")
    chosen = source.sample(_CHANGES, source.choice((1, 1, 2, 3)))
    made = study(seed)
    for change in (one for one in _CHANGES if one in chosen):
        made = change(source, made)
    other = Random(f"connections {seed}")
    return _used_otherwise(other, made) if other.random() < 0.25 else made


def _second_workload(source: Random, lab: Lab) -> Lab:
    """Some of the servers, or all, have a second workload; perhaps one arm for each is left."""
    if lab.published or any(arm.name in RUNS_ALREADY for arm in lab.arms):
        return lab
    first, second = WORKLOADS
    again = source.sample(lab.arms, source.randint(1, len(lab.arms)))
    kept = lab.arms[:1] if source.random() < 0.2 else lab.arms
    again = again[:1] if source.random() < 0.2 else again
    arms = [_of(arm, first) for arm in kept] + [_of(arm, second) for arm in again]
    named = {arm.name: _of(arm, first).name for arm in kept}
    trials: dict[Key, tuple[Trial, ...]] = {
        (named[key[0]], key[1], key[2]): each for key, each in lab.trials.items() if key[0] in named
    }
    for arm in again:
        trials |= _drawn(source, lab, _of(arm, second), lab.loads)
    return replace(lab, arms=tuple(arms), trials=_in_order(lab, trials))


def _of(arm: Arm, workload: str) -> Arm:
    spoken = f"{arm.spoken.removesuffix(')')}, {workload})"
    return Arm(f"{arm.name} {workload}", spoken, workload=workload)


def _drawn(
    source: Random, lab: Lab, arm: Arm, loads: tuple[Load, ...]
) -> dict[Key, tuple[Trial, ...]]:
    """The trials of an arm that is about as fast as the rates of the study are high."""
    rates = [point.rate for load in lab.loads for point in load.points if point.rate]
    speed = (max(rates) if rates else 1000.0) * math.exp(source.gauss(0, 0.8))
    noise = source.choice((0.002, 0.01, 0.1))
    return {
        (arm.name, load.name, point.label): tuple(
            draw(source, load, point, speed, noise, block, False) for block in range(lab.blocks)
        )
        for load in loads
        for point in load.points
    }


def _in_order(lab: Lab, trials: dict[Key, tuple[Trial, ...]]) -> dict[Key, tuple[Trial, ...]]:
    order = [(load.name, point.label) for load in lab.loads for point in load.points]
    return dict(sorted(trials.items(), key=lambda one: order.index(one[0][1:])))


def _another_limit(source: Random, lab: Lab) -> Lab:
    """A second search, of all arms or of some, with another limit."""
    limits = source.choice(_LIMITS)
    name = f"l{len(lab.loads)}"
    load = Load(name, "capacity", (Point(limits),), limits=limits)
    trials = dict(lab.trials)
    for arm in lab.arms:
        trials |= _drawn(source, lab, arm, (load,))
    return replace(lab, loads=(*lab.loads, load), trials=trials)


def _some_arms(source: Random, lab: Lab) -> Lab:
    """A load measures some arms only, in half of the cases without the baseline."""
    others = [arm.name for arm in lab.arms[1:]]
    if not others:
        return lab
    load = source.choice(lab.loads)
    chosen = source.sample(others, source.randint(1, len(others)))
    if source.random() < 0.5:
        chosen.append(lab.baseline)
    only = replace(load, arms=tuple(a.name for a in lab.arms if a.name in chosen))
    loads = tuple(only if one is load else one for one in lab.loads)
    trials = {
        key: each for key, each in lab.trials.items() if key[1] != load.name or key[0] in chosen
    }
    measured = {key[0] for key in trials}
    if any(arm.name not in measured for arm in lab.arms):
        return lab
    return replace(lab, loads=loads, trials=trials)


def _no_baseline(source: Random, lab: Lab) -> Lab:
    """The baseline could not be measured, or each of its trials is invalid."""
    doubt, is_gone = source.choice(INVALID), source.random() < 0.5
    trials = dict(lab.trials)
    for key, each in lab.trials.items():
        if key[0] == lab.baseline:
            trials[key] = () if is_gone else tuple(lose(one, doubt) for one in each)
    return replace(lab, trials=trials)


def _control(source: Random, lab: Lab) -> Lab:
    """The baseline is measured twice: its trials in another order. The second may fall behind."""
    first = lab.arms[0]
    name = first.name + CONTROL
    control = replace(first, name=name, spoken=name, control_of=first.name)
    behind = source.random() < 0.25
    trials = dict(lab.trials)
    for key, each in lab.trials.items():
        if key[0] == first.name:
            mixed = source.sample(each, len(each))
            again = [replace(t, block=one.block) for t, one in zip(mixed, each, strict=True)]
            trials[(name, *key[1:])] = tuple(map(_late, again) if behind else again)
    return replace(lab, arms=(first, control, *lab.arms[1:]), trials=trials)


def _used_otherwise(source: Random, lab: Lab) -> Lab:
    """A load sends several calls at once, or few on a connection; another like it may not."""
    plain = [load for load in lab.loads if load.kind in ("closed", "requests")]
    if not plain:
        return lab
    load, burst = source.choice(plain), source.random() < 0.5
    changed = replace(load, burst=20) if burst else replace(load, calls=10)
    return replace(lab, loads=tuple(changed if one is load else one for one in lab.loads))


def _late(trial: Trial) -> Trial:
    if trial.due is None or not trial.usable or trial.capacity or trial.at_least:
        return trial
    cpu = None if trial.cpu_s is None else trial.cpu_s * (1 + 1e-3 * (-1) ** trial.block)
    return replace(trial, ok=max(1, trial.due // 2), cpu_s=cpu, doubts=(OVERLOAD,))


_CHANGES: tuple[Change, ...] = (
    _second_workload,
    _another_limit,
    _some_arms,
    _no_baseline,
    _control,
)
