"""A study as raw numbers: what was sent, what came back, and the doubts about each trial."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from statistics import fmean, median
from typing import Literal

from oracle.numbers import FEWEST, FEWEST_OF_ANY_BLOCK, Pairs, level, pairs, spread, t_quantile

Kind = Literal["closed", "requests", "sessions", "capacity"]
Metric = Literal["throughput", "p99", "p50", "cpu", "memory", "capacity", "errors"]
MORE_IS_BETTER: Mapping[str, bool] = {"throughput": True, "capacity": True}
MOST_SUSPECT = 0.2
"""A number is suspect if more of its usable trials are."""
ONE_IS_ENOUGH = {("throughput", "backlog")}
"""A number, and a doubt of a single trial that makes it suspect."""
NOT_THE_SERVER = {
    "generator_behind",
    "generator_busy",
    "generator_late",
    "generator_stopped",
    "server_starved",
}
"""Doubts that something else than the server was too slow: then it may not have fallen behind."""


@dataclass(frozen=True)
class Doubt:
    """A reason of a verdict. Without `numbers` there is no result."""

    code: str
    text: str
    numbers: frozenset[str] = frozenset()

    @property
    def is_invalid(self) -> bool:
        """True if the trial has no result."""
        return not self.numbers


@dataclass(frozen=True)
class Trial:
    """One measurement. `due`: calls that fell due; None: a closed load."""

    block: int
    ok: int
    due: int | None = None
    failed: int = 0
    unsent: int = 0
    waited: int = 0
    """Calls that found no connection free."""
    window_s: float = 1.0
    p50_s: float = 1e-3
    p99_s: float = 2e-3
    cpu_s: float | None = 1e-4
    memory: int = 50_000_000
    doubts: tuple[Doubt, ...] = ()
    seconds: tuple[int, ...] = ()
    """Right replies, second by second."""
    capacity: float | None = None
    at_least: float | None = None
    """A climb that the search ended: the highest rate that held."""

    @property
    def usable(self) -> bool:
        """True if it has a result."""
        return not any(one.is_invalid for one in self.doubts)

    @property
    def is_disturbed(self) -> bool:
        """True if something else than the server may have been too slow."""
        return any(one.code in NOT_THE_SERVER for one in self.doubts)

    def value(self, metric: str) -> float | None:
        """A number of this trial."""
        found: Mapping[str, float | None] = {
            "throughput": self.ok / self.window_s,
            "p50": self.p50_s,
            "p99": self.p99_s,
            "cpu": self.cpu_s,
            "memory": None if self.cpu_s is None else float(self.memory),
            "capacity": self.capacity,
            "errors": self.failed / (self.ok + self.failed) if self.ok + self.failed else 0.0,
        }
        return found[metric]


@dataclass(frozen=True)
class Arm:
    """A server as it was deployed. `spoken`: its name in sentences."""

    name: str
    spoken: str
    restarted: bool = True
    workload: str = ""
    """Empty: the study has only one."""
    control_of: str = ""
    """The arm that it measures again."""

    @property
    def short(self) -> str:
        """Its name in a chart, whose subtitle has the workload."""
        return self.name.removesuffix(f" {self.workload}")


@dataclass(frozen=True)
class Point:
    """A point of a load: its label, and the rate that is offered."""

    label: str
    rate: float | None = None


@dataclass(frozen=True)
class Load:
    """A load. `limits` in words, of a capacity."""

    name: str
    kind: Kind
    points: tuple[Point, ...]
    published: bool = False
    limits: str = ""
    bounded: float = 0.0
    """The share of the climbs that end before a limit does not hold."""
    arms: tuple[str, ...] = ()
    """The arms that it measures; empty: all."""
    burst: int = 1
    """Calls that are sent at once."""
    calls: int = 0
    """Calls on a connection; 0: any number, or 1 of a session."""

    @property
    def title(self) -> str:
        """The made studies give no titles."""
        return self.name

    def spares(self, other: Load) -> bool:
        """True if it offers rates, on connections that are used no better than by a closed load."""
        calls = self.calls or (1 if self.kind == "sessions" else math.inf)
        is_open = self.kind in ("requests", "sessions")
        return is_open and self.burst <= other.burst and calls <= (other.calls or math.inf)

    def measures(self, arm: Arm) -> bool:
        """True if it is declared for this arm, or for the one that this is a control of."""
        return not self.arms or (arm.control_of or arm.name) in self.arms


Key = tuple[str, str, str]
"""Arm, load and point."""


@dataclass(frozen=True)
class Lab:
    """A study with every trial that was made. The first arm is the baseline."""

    arms: tuple[Arm, ...]
    loads: tuple[Load, ...]
    blocks: int
    trials: Mapping[Key, tuple[Trial, ...]]
    published: Mapping[str, float] = field(default_factory=dict)
    """Requests per second of an arm in the post; 0: it shows no number."""
    seed: int = 0
    until: float | None = None
    """The precision at which the study was to stop."""
    base: str = ""
    """The baseline of a part; empty: the first arm."""

    @property
    def fewest(self) -> int:
        """Fewer trials have no interval: one that holds after every block begins later."""
        return FEWEST if self.until is None else FEWEST_OF_ANY_BLOCK

    @property
    def baseline(self) -> str:
        """The arm with which the others are compared."""
        return self.base or self.arms[0].name

    @property
    def rivals(self) -> tuple[Arm, ...]:
        """The arms that are ranked and compared: not the A/A control, which tests the machine."""
        return tuple(arm for arm in self.arms if not arm.control_of)

    @property
    def compared(self) -> tuple[Arm, ...]:
        """The arms that titles compare with the baseline: of an arm alone, its control."""
        others = [arm for arm in self.arms if arm.name != self.baseline]
        return tuple(arm for arm in others if not arm.control_of) or tuple(others)

    @cached_property
    def names(self) -> Mapping[str, str]:
        """The arm of each name that a sentence may use; short ones where they name one arm."""
        found = {name: arm.name for arm in self.arms for name in (arm.name, arm.spoken)}
        if len(self.workloads) == 1:
            found |= {arm.short: arm.name for arm in self.arms}
        return found

    @cached_property
    def every_name(self) -> tuple[str, ...]:
        """All names that a sentence may use."""
        return tuple(sorted({*self.names, *(arm.short for arm in self.arms)}))

    @property
    def workloads(self) -> list[str]:
        """The workloads, in the order of their arms."""
        return list(dict.fromkeys(arm.workload for arm in self.arms))

    @cached_property
    def parts(self) -> Mapping[str, tuple[Lab, ...]]:
        """By load: for each workload the arms that the load measures. Others are not compared."""
        return {load.name: tuple(self._parts(load)) for load in self.loads}

    def measured(self, load: str) -> Lab:
        """All arms under a load, of any workload."""
        arms = tuple(filter(self.load(load).measures, self.arms))
        return self if arms == self.arms else replace(self, arms=arms)

    def _parts(self, load: Load) -> Iterator[Lab]:
        for workload in self.workloads:
            mine = [arm for arm in self.arms if arm.workload == workload]
            measured = tuple(arm for arm in mine if load.measures(arm))
            if measured:
                yield replace(self, arms=measured, base=self._baseline_of(mine))

    def _baseline_of(self, mine: Sequence[Arm]) -> str:
        """Of another workload than that of the first arm: the same server, else its first arm."""
        alike = [arm.name for arm in mine if arm.short == self.arms[0].short]
        return (alike or [mine[0].name])[0]

    def load(self, name: str) -> Load:
        """A load by its name."""
        return next(load for load in self.loads if load.name == name)

    def of(self, key: Key) -> tuple[Trial, ...]:
        """The trials of a cell."""
        return self.trials.get(key, ())

    def values(self, key: Key, metric: str) -> dict[int, float]:
        """A number of each usable trial, by block."""
        found = {one.block: one.value(metric) for one in self.of(key) if one.usable}
        return {block: value for block, value in found.items() if value is not None}

    def level(self, key: Key, metric: str) -> float | None:
        """The estimate of a cell; None: unknown."""
        if metric == "errors":
            known = [one.value("errors") or 0.0 for one in self.of(key)]
            usable = any(one.usable for one in self.of(key))
            return median(known) if known and usable else None
        values = list(self.values(key, metric).values())
        if metric == "capacity":
            values = self.climbs(key)
            return median(values) if values else None
        return level(values) if values else None

    def interval(self, key: Key, metric: str) -> tuple[float, float] | None:
        """The 95 % interval of a level; None: it has none, or is no geometric mean."""
        values = list(self.values(key, metric).values())
        if len(values) < self.fewest or min(values) <= 0 or metric in ("capacity", "errors"):
            return None
        logs = [math.log(one) for one in values]
        reach = t_quantile(0.95, len(logs) - 1) * spread(logs) / math.sqrt(len(logs))
        return math.exp(fmean(logs) - reach), math.exp(fmean(logs) + reach)

    def known(self, load: str, point: str, metric: str) -> dict[str, float]:
        """The estimate of each arm that has one."""
        found = {arm.name: self.level((arm.name, load, point), metric) for arm in self.arms}
        return {arm: value for arm, value in found.items() if value is not None}

    def unknown(self, load: str, point: str, metric: str) -> list[str]:
        """The arms of which nothing is known here."""
        known = self.known(load, point, metric)
        return [arm.name for arm in self.arms if arm.name not in known]

    def pairs(self, one: str, other: str, load: str, point: str, metric: str) -> Pairs | None:
        """Two arms, compared within blocks. A capacity with bounds among its highest climbs is not:
        the climbs that lack a number are the best ones."""
        keys = [(arm, load, point) for arm in (one, other)]
        if metric == "capacity" and any(self.is_bound(k) or self.high_is_bound(k) for k in keys):
            return None
        of_one, of_other = (self.values((arm, load, point), metric) for arm in (one, other))
        return pairs(of_one, of_other)

    def is_suspect(self, key: Key, number: str) -> bool:
        """True if a number has a result, and more than a fifth of its trials doubt it, or one has
        no result, or answered more than was offered."""
        trials = self.of(key)
        usable = [one for one in trials if one.usable]
        doubted = sum(any(number in d.numbers for d in one.doubts) for one in usable)
        enough = any((number, d.code) in ONE_IS_ENOUGH for one in usable for d in one.doubts)
        lost = len(usable) < len(trials)
        enough = enough or (number == "throughput" and self.few_connections(key))
        return bool(usable) and (lost or enough or doubted > MOST_SUSPECT * len(usable) + 1e-9)

    def kept_up(self, key: Key) -> bool:
        """True if an arm kept up with a rate in at least 4 of 5 trials, and worked off no queue."""
        usable = [one for one in self.of(key) if one.usable]
        if not usable or 2 * len(usable) < len(self.of(key)):
            return False
        codes = [{doubt.code for doubt in one.doubts} for one in usable]
        sent = [one.unsent <= 0.01 * (one.due or 0) for one in usable]
        kept = sum("overload" not in of and all_of for of, all_of in zip(codes, sent, strict=True))
        return kept >= 0.8 * len(usable) and not any("backlog" in of for of in codes)

    def few_connections(self, key: Key) -> bool:
        """True if every trial of a closed load, with its most connections, answered less than the
        arm did at a rate that it kept up with: that is not the most it can do."""
        load = self.load(key[1])
        most_of = load.points[-1].label
        if load.kind != "closed" or load.published or key[2] != most_of:
            return False
        most = max(self.values(key, "throughput").values(), default=math.inf)
        return self.held_per_s(key) > 1.02 * most

    def held_per_s(self, key: Key) -> float:
        """The highest throughput that its arm kept up with, on connections used no better, or 0."""
        spare = [load for load in self.loads if load.spares(self.load(key[1]))]
        keys = [(key[0], load.name, point.label) for load in spare for point in load.points]
        held = [self.level(key, "throughput") or 0.0 for key in keys if self.kept_up(key)]
        return max(held, default=0.0)

    def is_bound(self, key: Key) -> bool:
        """True if only a lower bound of a capacity is known: half of its climbs have no more."""
        usable = [one for one in self.of(key) if one.usable]
        bounds = sum(one.at_least is not None for one in usable)
        return bounds > 0 and 2 * bounds >= len(usable)

    def high_is_bound(self, key: Key) -> bool:
        """True if a climb above the median of the others ended before the limits did: the upper end
        of the interval is at least so high."""
        exact = [one for one in self.of(key) if one.usable and one.capacity is not None]
        return not self.is_bound(key) and len(self.climbs(key)) > len(exact)

    def has_bounds(self, key: Key) -> bool:
        """True if a climb of a usable trial ended before the limits did."""
        return any(one.at_least is not None for one in self.of(key) if one.usable)

    def climbs(self, key: Key) -> list[float]:
        """The capacities of the climbs. Most of them known, a bound below their median says
        nothing about it."""
        usable = [one for one in self.of(key) if one.usable]
        exact = [one.capacity for one in usable if one.capacity is not None]
        bounds = [one.at_least for one in usable if one.at_least is not None]
        if exact and not self.is_bound(key):
            bounds = [one for one in bounds if one >= median(exact)]
        return [*exact, *bounds]

    def holds(self, key: Key) -> bool | None:
        """True if an arm clearly kept up with a rate, False if it clearly did not.

        None: nothing is known, or it may be called either.
        """
        trials = [one for one in self.of(key) if one.usable and one.due]
        shares = [one.ok / one.due for one in trials if one.due]
        if not shares or 2 * len(shares) < len(self.of(key)):
            return None
        behind = [one for one, share in zip(trials, shares, strict=True) if share < 0.98]
        if sum(not one.is_disturbed for one in behind) > len(shares) / 2:
            return False
        return True if len(behind) <= 0.1 * len(shares) and min(shares) > 0.995 else None

    def is_disturbed(self, key: Key) -> bool:
        """True if an arm answered too little at a rate, but too often while something else than the
        server was too slow: it is not known to have kept up, nor to have fallen behind."""
        trials = [one for one in self.of(key) if one.usable and one.due]
        behind = [one for one in trials if one.due and one.ok < 0.99 * one.due]
        servers = sum(not one.is_disturbed for one in behind)
        return 5 * len(behind) > len(trials) >= 2 * servers and servers < len(behind)

    def is_unclear(self, key: Key) -> bool:
        """True if it may be called unknown how an arm did at a rate: few trials tell."""
        usable = [one for one in self.of(key) if one.usable]
        unsent = sum(any(d.code == "unsent" for d in one.doubts) for one in usable)
        few = 2 * len(usable) <= len(self.of(key))
        return few or unsent > 0 or self.holds(key) is None

    def cells(self) -> Iterator[Key]:
        """Every cell of the study, measured or not."""
        for load in self.loads:
            for point in load.points:
                for arm in filter(load.measures, self.arms):
                    yield arm.name, load.name, point.label

    def pairs_of(self, *metrics: str) -> Iterator[tuple[Key, str, Pairs]]:
        """Every arm that a part of the study may compare with its baseline: cell, metric, ratio."""
        for load in self.loads:
            for part in self.parts[load.name]:
                for point in load.points:
                    for arm in part.arms:
                        for metric in metrics:
                            of = (arm.name, part.baseline, load.name, point.label, metric)
                            if arm.name != part.baseline and (found := part.pairs(*of)):
                                yield (arm.name, load.name, point.label), metric, found


def better(metric: str, ratio: float) -> bool:
    """True if an arm with this ratio to another is the better of the two."""
    return (ratio > 1) == MORE_IS_BETTER.get(metric, False)
