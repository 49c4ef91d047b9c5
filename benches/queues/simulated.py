"""Servers in simulated time: a queue, whose service time differs from start to start."""

from __future__ import annotations

import heapq
import math
from dataclasses import dataclass, field

import numpy as np
from httpdyno.capacity.limits import parse_limits, settle_s, step_s
from httpdyno.limits.thresholds import Threshold
from httpdyno.limits.walk import StepOutcome
from numpy.typing import NDArray

from queues import theory

BETWEEN_S = 0.1
"""Time between two steps: a drain, and new connections."""
START_S = 1.1
"""A start of a server, with its warm-up."""
KEPT_UP = 0.99
QUANTILE = 0.99

Times = NDArray[np.float64]


@dataclass(frozen=True)
class Kind:
    """The behaviour of servers of one kind."""

    name: str
    mean_s: float = 0.0004
    """Mean service time of the typical start."""
    limit_s: float = 0.020
    arrivals: str = "constant"
    service: str = "lognormal"
    """`fixed`, `exponential`, or `lognormal`, with a coefficient of variation of 0.3."""
    servers: int = 1
    restart_sd: float = 0.0
    """Standard deviation of the logarithm of the service time from start to start."""
    slow_share: float = 0.0
    """Share of the starts that are 10 % slower."""
    drift: float = 0.0
    """The share by which all starts become slower, per hundred seconds of the session."""
    least_step_s: float = 1.0
    """The least time of a step (`--step`)."""
    pause_share: float = 0.0
    """Share of the steps with a pause of 60 ms."""


@dataclass
class Session:
    """A session with servers of one kind: its clock, and the seconds of load so far."""

    kind: Kind
    random: np.random.Generator
    clock_s: float = 0.0

    def start(self) -> Start:
        """A fresh server."""
        self.clock_s += START_S
        factor = math.exp(self.random.normal(0, self.kind.restart_sd))
        if self.random.random() < self.kind.slow_share:
            factor *= 1.1
        return Start(self, factor)


@dataclass(frozen=True)
class SimulatedStep:
    """A step as the search sees it."""

    rate_per_s: float
    outcome: StepOutcome
    use: float | None
    seconds: float = 0.0
    excess: float | None = None


@dataclass
class Start:
    """One start of a server."""

    session: Session
    factor: float
    steps: list[SimulatedStep] = field(default_factory=list)

    def hold(self, rate_per_s: float, seconds: float) -> SimulatedStep:
        """Holds a rate; the queue is empty when it begins."""
        kind, session = self.session.kind, self.session
        slower = 1 + kind.drift * session.clock_s / 100
        mean_s = kind.mean_s * self.factor * slower
        whole_s = settle_s_of(kind) + seconds
        session.clock_s += whole_s + BETWEEN_S
        count = max(2, round(whole_s * rate_per_s * 1.3) + 20)
        due = np.cumsum(_gaps(session.random, kind.arrivals, rate_per_s, count))
        due = due[due < whole_s]
        service = _services(session.random, kind.service, mean_s, len(due))
        if session.random.random() < kind.pause_share and len(due):
            service[session.random.integers(len(due))] += 0.060
        response = _responses(due, service, kind.servers)
        step = _judged(rate_per_s, due, response, seconds, kind)
        self.steps.append(step)
        return step

    def full_speed_per_s(self) -> float:
        """The throughput at full speed."""
        self.session.clock_s += 0.7
        return self.session.kind.servers / (self.session.kind.mean_s * self.factor)


def length_s(kind: Kind, rate_per_s: float) -> float:
    """The length of a step."""
    return step_s(limits_of(kind), rate_per_s, kind.least_step_s, kind.arrivals)


def limits_of(kind: Kind) -> tuple[Threshold, ...]:
    """The limit of servers of one kind."""
    return parse_limits([f"p99<{kind.limit_s * 1e3:g}ms"])


def settle_s_of(kind: Kind) -> float:
    """The time at the begin of a step that is not judged."""
    return settle_s(limits_of(kind))


def true_capacity(kind: Kind) -> float:
    """The rate at which the p99 of the typical start is the limit: by theory, where it knows."""
    mean_s, limit_s = kind.mean_s, kind.limit_s
    match kind.arrivals, kind.service:
        case "exponential", "exponential":
            return theory.mmc_capacity(kind.servers, mean_s, limit_s)
        case "exponential", "fixed" if kind.servers == 1:
            return theory.md1_capacity(mean_s, limit_s)
        case "constant", "exponential" if kind.servers == 1:
            return theory.dm1_capacity(mean_s, limit_s)
        case _:
            return _by_simulation(kind)


def _by_simulation(kind: Kind, seed: int = 1, calls: int = 400_000) -> float:
    """The same by long simulated runs."""
    random = np.random.default_rng(seed)
    service = _services(random, kind.service, kind.mean_s, calls)
    even = _gaps(random, kind.arrivals, 1.0, calls)
    low, high = 0.1 * kind.servers / kind.mean_s, 1.0 * kind.servers / kind.mean_s
    for _ in range(14):
        rate_per_s = (low + high) / 2
        response = _responses(np.cumsum(even / rate_per_s), service, kind.servers)
        held = float(np.quantile(response[calls // 20 :], QUANTILE)) <= kind.limit_s
        low, high = (rate_per_s, high) if held else (low, rate_per_s)
    return low


def _judged(
    rate_per_s: float, due: Times, response: Times, seconds: float, kind: Kind
) -> SimulatedStep:
    settle_s, limit_s = settle_s_of(kind), kind.limit_s
    measured = due >= settle_s
    if not measured.any():
        return SimulatedStep(rate_per_s, "failed", None, seconds)
    done = due + response
    stop = settle_s + seconds
    excess = float((response[measured] > limit_s).mean()) / (1 - QUANTILE)
    p99_s = float(np.quantile(response[measured], QUANTILE, method="higher"))
    ended = int(((done >= settle_s) & (done < stop)).sum())
    offered = int(measured.sum())
    in_flight = float(response[measured].sum()) / seconds
    chance = 1 + 3 * math.sqrt(2 * in_flight)
    behind = ended < KEPT_UP * offered and offered - ended > chance
    if behind:
        return SimulatedStep(rate_per_s, "failed", None, seconds, excess)
    use = p99_s / limit_s
    return SimulatedStep(rate_per_s, "held" if use <= 1 else "failed", use, seconds, excess)


def _gaps(random: np.random.Generator, arrivals: str, rate_per_s: float, count: int) -> Times:
    if arrivals == "exponential":
        return random.exponential(1 / rate_per_s, count)
    return np.full(count, 1 / rate_per_s)


def _services(random: np.random.Generator, service: str, mean_s: float, count: int) -> Times:
    if service == "exponential":
        return random.exponential(mean_s, count)
    if service == "fixed":
        return np.full(count, mean_s)
    sigma = math.sqrt(math.log(1 + 0.3**2))
    return random.lognormal(math.log(mean_s) - sigma**2 / 2, sigma, count)


def _responses(due: Times, service: Times, servers: int) -> Times:
    """Response times, first come, first served."""
    if servers == 1:
        # Lindley's recursion, unrolled: the waiting time is how far the sum of (service - gap) is
        # above its lowest value so far.
        steps = np.concatenate([[0.0], service[:-1] - np.diff(due)])
        total = np.cumsum(steps)
        return total - np.minimum.accumulate(total) + service
    free = [0.0] * servers
    response = np.empty(len(due))
    for place, at in enumerate(due):
        began = max(at, heapq.heappop(free))
        heapq.heappush(free, began + service[place])
        response[place] = began + service[place] - at
    return response
