"""The search for a capacity against servers of known capacity, in simulated time.

    make capacity-simulation
    python benches/capacity_simulation.py [--studies N] [--restarts A,B] [--write FILE]

The search is the program's own (`httpdyno.capacity.search`), and so are the lengths of its steps
and its interval. Only the server, its queue and the clock are simulated. Beside it, a plain
bisection on one start, with steps of the same length. Bias and error are shares of the true
capacity: the median over starts. Coverage is the share of the studies whose 95 % interval has the
true capacity in it. Seconds are those of load and starts for one arm, without confirmations.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import NormalDist
from unittest import mock

import numpy as np
from httpdyno.capacity import fit
from httpdyno.capacity.limits import bracket_step_s
from httpdyno.capacity.search import bracket, climb, first_rate
from httpdyno.statistics.intervals import median_estimate
from peers.tables.marks import write
from queues.simulated import Kind, Session, SimulatedStep, Start, length_s, true_capacity

COMMAND = "make capacity-simulation"
MOST = 1e9
HALVED_TO = 1.01
"""A bisection ends when its bounds are within 1 %."""


def _queue(
    name: str,
    mean_ms: float,
    limit_ms: float,
    *,
    service: str = "exponential",
    arrivals: str = "exponential",
    servers: int = 1,
    step_s: float | None = None,
) -> Kind:
    """A queue of theory; `step_s` None: the least step of `httpdyno capacity`."""
    more = "" if step_s is None else f", steps of {step_s:g} s"
    return Kind(
        f"{name} of {mean_ms:g} ms, p99 ≤ {limit_ms:g} ms{more}",
        mean_s=mean_ms / 1e3,
        limit_s=limit_ms / 1e3,
        arrivals=arrivals,
        service=service,
        servers=servers,
        least_step_s=step_s or (1.0 if arrivals == "constant" else 5.0),
    )


KINDS = (
    Kind("steady"),
    Kind("restarts differ by 3 %", restart_sd=0.03),
    Kind("restarts differ by 10 %", restart_sd=0.10),
    Kind("3 of 10 starts are 10 % slower", restart_sd=0.01, slow_share=0.3),
    Kind("3 %, and a drift of 5 % per 100 s", restart_sd=0.03, drift=0.05),
    Kind("3 %, and a pause of 60 ms in 1 of 10 steps", restart_sd=0.03, pause_share=0.1),
    Kind("3 %, random arrivals", restart_sd=0.03, arrivals="exponential", least_step_s=5.0),
)
QUEUES = (
    _queue("M/D/1", 1, 5, service="fixed"),
    _queue("M/D/1", 4, 20, service="fixed"),
    _queue("M/D/1", 0.2, 2, service="fixed"),
    _queue("M/M/1", 1, 10),
    _queue("M/M/1", 1, 20),
    _queue("M/M/1", 4, 50),
    _queue("M/M/4", 2, 12, servers=4),
    _queue("M/M/8", 8, 50, servers=8),
    _queue("D/D/1", 1, 5, service="fixed", arrivals="constant"),
    _queue("D/D/1", 4, 20, service="fixed", arrivals="constant"),
    _queue("D/M/1", 1, 20, arrivals="constant"),
    _queue("D/M/1", 1, 20, arrivals="constant", step_s=5.0),
    _queue("D/M/1", 4, 50, arrivals="constant"),
)
"""Queues whose capacity theory knows: Poisson arrivals, with the steps of random ones, and constant
arrivals."""


@dataclass(frozen=True)
class Study:
    """One simulated search."""

    estimate: float
    low: float | None
    high: float | None
    seconds: float


@dataclass(frozen=True)
class Row:
    """Many simulated searches of one kind of server."""

    kind: Kind
    restarts: int
    truth: float
    bias: float
    error: float
    """Root mean square."""
    coverage: float
    seconds: float


@contextmanager
def without_fit() -> Iterator[None]:
    """Two steps decide, by their percentiles, also where late calls grow gradually."""
    with mock.patch.object(fit, "is_gradual", return_value=False):
        yield


def search(kind: Kind, restarts: int, seed: str) -> Study:
    """One search with so many restarts."""
    session = Session(kind, np.random.default_rng(list(seed.encode())))
    start = session.start()

    def short(rate_per_s: float) -> SimulatedStep:
        return start.hold(rate_per_s, bracket_step_s(length_s(kind, rate_per_s)))

    found = bracket(short, start.full_speed_per_s(), MOST)
    values: list[float] = []
    for _ in range(restarts):
        first = first_rate(found, values, float(session.random.random()))
        one = climb(_holder(session.start()), first, MOST)
        if one.capacity_per_s is not None:
            values.append(one.capacity_per_s)
    estimate = median_estimate(values)
    if estimate is None:
        return Study(math.nan, None, None, session.clock_s)
    return Study(estimate.value, estimate.low, estimate.high, session.clock_s)


def bisection(kind: Kind, seed: str) -> Study:
    """A plain bisection on one start."""
    session = Session(kind, np.random.default_rng(list(seed.encode())))
    start = session.start()
    hold = _holder(start)
    high = start.full_speed_per_s() * 1.2
    low = high / 8
    while high / low > HALVED_TO:
        middle = math.sqrt(low * high)
        low, high = (middle, high) if hold(middle).outcome == "held" else (low, middle)
    return Study(math.sqrt(low * high), None, None, session.clock_s)


def row(kind: Kind, restarts: int, studies: int, seed: int = 1) -> Row:
    """Many searches; `restarts` 0: bisections."""
    truth = true_capacity(kind) * _typical(kind)
    found = [
        search(kind, restarts, f"{seed}:{kind.name}:{number}")
        if restarts
        else bisection(kind, f"{seed}:{kind.name}:{number}")
        for number in range(studies)
    ]
    ratios = np.asarray([one.estimate / truth for one in found])
    seconds = float(np.mean([one.seconds for one in found]))
    if kind.drift:  # the typical server of the session is that of its middle
        middle = 1 + kind.drift * seconds / 2 / 100
        ratios = ratios * middle
        truth /= middle
    inside = [
        one.low is not None and one.high is not None and one.low <= truth <= one.high
        for one in found
    ]
    return Row(
        kind,
        restarts,
        truth,
        float(np.nanmean(ratios) - 1),
        float(np.sqrt(np.nanmean((ratios - 1) ** 2))),
        float(np.mean(inside)),
        seconds,
    )


def _holder(start: Start) -> Callable[[float], SimulatedStep]:
    kind = start.session.kind
    return lambda rate_per_s: start.hold(rate_per_s, length_s(kind, rate_per_s))


def _typical(kind: Kind) -> float:
    """The capacity of the median start, as a share of that of the mean service time.

    With 30 % slow starts, the median start is at the 5/7 quantile of the fast ones.
    """
    if not kind.slow_share:
        return 1.0
    place = NormalDist().inv_cdf(0.5 / (1 - kind.slow_share))
    return math.exp(-place * kind.restart_sd)


def table(rows: Sequence[Row]) -> str:
    lines = [
        "| server | method | bias | error (RMS) | coverage of 95 % | seconds per arm |",
        "| --- | --- | ---: | ---: | ---: | ---: |",
    ]
    for one in rows:
        method = f"{one.restarts} climbs" if one.restarts else "plain bisection"
        coverage = f"{100 * one.coverage:.1f} %" if one.restarts else "no interval"
        lines.append(
            f"| {one.kind.name} | {method} | {100 * one.bias:+.1f} % | {100 * one.error:.1f} % |"
            f" {coverage} | {one.seconds:.0f} |"
        )
    return "\n".join(lines)


def queues(pairs: Sequence[tuple[Row, Row]]) -> str:
    """Searches without and with the fit."""
    lines = [
        "| queue | capacity | two steps: bias | error (RMS) | the fit: bias | error (RMS) |"
        " coverage of 95 % | seconds per arm |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    lines += [
        f"| {new.kind.name} | {new.truth:,.0f}/s | {100 * old.bias:+.1f} % |"
        f" {100 * old.error:.1f} % | {100 * new.bias:+.1f} % | {100 * new.error:.1f} % |"
        f" {100 * new.coverage:.0f} % | {new.seconds:.0f} |"
        for old, new in pairs
    ]
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--studies", type=int, default=100)
    parser.add_argument("--restarts", default="5,10")
    parser.add_argument("--write", type=Path, help="write the table into this page")
    options = parser.parse_args()
    rows = []
    counts = [*map(int, options.restarts.split(","))]
    for kind in KINDS:
        for restarts in [*counts, 0]:
            rows.append(row(kind, restarts, options.studies))
            print(table(rows[-1:]).splitlines()[-1], file=sys.stderr)
    pairs = []
    for kind in QUEUES:
        with without_fit():
            before = row(kind, counts[0], options.studies)
        pairs.append((before, row(kind, counts[0], options.studies)))
        print(queues(pairs[-1:]).splitlines()[-1], file=sys.stderr)
    text = (
        f"{options.studies:,} simulated searches for each row.\n\n{table(rows)}\n\n"
        f"Queues of theory, {counts[0]} climbs: by the percentiles of two steps,"
        " and with the fit.\n\n"
        f"{queues(pairs)}"
    )
    if options.write:
        write(options.write, COMMAND, text)
    else:
        print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
