"""The effect of `--low-latency` on a paced load: lag, latency over the server's truth, CPU cost.

    make bench-low-latency
    python benches/low_latency.py [--rounds N] [--seconds N] [--rates A,B] [--write PAGE]

The reference server answers after 1 ms and records how long it really held each reply: the truth.
Every combination of rate, driver, and asleep or spinning runs with and without low latency, in
shuffled rounds, first on processors of their own, then with a busy loop as a neighbour on the
engine's processor. A cell is the median of the rounds. Needs 2 processors and nothing else running;
5 rounds of 2 seconds take 5 and a half minutes.
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
import os
import random
import statistics
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
from httpdyno import engine
from httpdyno.engine_plan import EnginePlan
from httpdyno.engine_plan.reading import read
from httpdyno.host.facts import machine_facts
from httpdyno.measurement import LowLatency, Measurement
from peers.runs.compare import say
from peers.tables.goals import Goal
from peers.tables.marks import write
from peers.tables.ratio import Ratio
from peers.tables.table import VERDICT

COMMAND = "make bench-low-latency"
CONNECTIONS = 64
WARM_UP_S = 0.5
TRIES = 3
"""A run in which the engine got no processor at all measures nothing and is repeated."""
DRIVERS = ("io_uring", "epoll")
WAITS = ("asleep", "spinning")
PAGE = ("/hello", "text/plain", b"Hello, World!")
GOALS_US = {"asleep": (30.0, 100.0), "spinning": (10.0, 30.0)}
"""Most that the median and the 99th percentile may lie over the truth."""
GOAL_LAG_US = 100.0
BUSY_LOOP = "import os; os.sched_setaffinity(0, {{{cpu}}})\nwhile True: pass"


@dataclass(frozen=True)
class Case:
    """One way to run the load."""

    rate: float
    driver: str
    waits: str
    low_latency: bool
    neighbour: bool


@dataclass(frozen=True)
class Found:
    """One run, in microseconds."""

    lag_p50: float
    lag_p99: float
    over_p50: float
    """Response time less the truth, each at its median."""
    over_p99: float
    cpu: float
    """Processor time of the engine per request."""
    refused: str | None
    """Why a part of low latency was not granted."""


Results = dict[Case, list[Found | None]]
"""A run a round; None: something else had the processors."""


def cases(rates: Sequence[float]) -> list[Case]:
    """Without a neighbour every combination; with one only asleep, where it can do harm."""
    alone = itertools.product(rates, DRIVERS, WAITS, (False, True), (False,))
    beside = itertools.product(rates, DRIVERS, WAITS[:1], (False, True), (True,))
    return [Case(*one) for one in (*alone, *beside)]


def compare(options: argparse.Namespace) -> Results:
    """All cases in each round, in a new order."""
    results: Results = {case: [] for case in cases(options.rates)}
    order = random.Random(1)
    for round_ in range(options.rounds):
        for case in order.sample(list(results), len(results)):
            say(f"round {round_ + 1} of {options.rounds}: {case}")
            results[case].append(run(case, options))
    return results


def run(case: Case, options: argparse.Namespace) -> Found | None:
    """One run of one case."""
    for _ in range(TRIES):
        beside = busy_loop(options.engine_cpu) if case.neighbour else nullcontext()
        with beside, engine.reference(pages=[PAGE], cpus=[options.server_cpu]) as server:
            measured = engine.start(_plan(case, server.address, options)).result()
            truth_us = np.array(server.take_delays()) / 1e3
        if measured.calls.ok and not measured.calls.failed and measured.times.lag.count:
            return _found(measured, truth_us)
    say(f"{case} measured nothing: {measured.calls}")
    return None


def _found(measured: Measurement, truth_us: np.ndarray) -> Found:
    lag, response = measured.times.lag, measured.times.response
    spent_s = measured.cpu.user_s + measured.cpu.system_s
    return Found(
        lag_p50=lag.p50_ns / 1e3,
        lag_p99=lag.p99_ns / 1e3,
        over_p50=response.p50_ns / 1e3 - float(np.quantile(truth_us, 0.50)),
        over_p99=response.p99_ns / 1e3 - float(np.quantile(truth_us, 0.99)),
        cpu=spent_s / measured.calls.ok * 1e6,
        refused=_refused(measured.engine.low_latency),
    )


def _plan(case: Case, address: str, options: argparse.Namespace) -> EnginePlan:
    host, _, port = address.rpartition(":")
    segment = {"from_per_s": case.rate, "to_per_s": case.rate}
    load = {"kind": "requests", "connections": CONNECTIONS, "arrivals": {"segments": [segment]}}
    return read(
        {
            "target": {"host": host, "port": int(port)},
            "requests": [{"path": f"{PAGE[0]}?delay=1ms"}],
            "load": load,
            "warm_up_s": WARM_UP_S,
            "stop": {"duration_s": options.seconds},
            "driver": case.driver,
            "cpus": [options.engine_cpu],
            "spin": case.waits == "spinning",
            "low_latency": case.low_latency,
        }
    )


def _refused(granted: LowLatency | None) -> str | None:
    """The reason of this machine's refusal, if any; spinning never takes a priority, on purpose."""
    reasons = [granted.shallow_idle.reason, granted.real_time.reason] if granted else []
    return next((reason for reason in reasons if reason and "spinning" not in reason), None)


@contextmanager
def busy_loop(cpu: int) -> Iterator[None]:
    """Another program that takes all it can get of a processor."""
    process = subprocess.Popen([sys.executable, "-c", BUSY_LOOP.format(cpu=cpu)])
    try:
        yield
    finally:
        process.kill()
        process.wait()


def middle(found: Sequence[Found | None], name: str) -> float:
    """The median of one figure over the rounds; not a number without any."""
    figures = [getattr(one, name) for one in found if one is not None]
    return statistics.median(figures) if figures else math.nan


def table(results: Results, neighbour: bool) -> Iterator[str]:
    """Without and with low latency, side by side."""
    yield "| rate | driver | | lag p50 / p99 | over the truth p50 / p99 | CPU per request |"
    yield "| --: | --- | --- | --: | --: | --: |"
    shown = [case for case in results if case.neighbour == neighbour and not case.low_latency]
    for case in shown:
        with_it = Case(**{**asdict(case), "low_latency": True})
        pair = [(results[case], ""), (results[with_it], ", low latency")]
        for found, words in pair:
            if not any(found):
                continue
            cells = [f"{middle(found, name):+,.1f}" for name in ("over_p50", "over_p99")]
            lags = [f"{middle(found, name):,.1f}" for name in ("lag_p50", "lag_p99")]
            yield (
                f"| {case.rate:,.0f} | {case.driver} | {case.waits}{words} | {' / '.join(lags)}"
                f" | {' / '.join(cells)} | {middle(found, 'cpu'):.2f} |"
            )


def drivers(results: Results) -> Iterator[str]:
    """io_uring by epoll in the same rounds: which one `auto` should take."""
    yield "| rate | | io_uring ÷ epoll: lag p99 | p99 over the truth |"
    yield "| --: | --- | --: | --: |"
    for case, found in results.items():
        if case.driver != "io_uring" or case.waits != "asleep":
            continue
        others = results[Case(**{**asdict(case), "driver": "epoll"})]
        words = "low latency" if case.low_latency else "without"
        words += ", busy neighbour" if case.neighbour else ""
        ratios = [_ratio(found, others, name) or "–" for name in ("lag_p99", "over_p99")]
        yield f"| {case.rate:,.0f} | {words} | {ratios[0]} | {ratios[1]} |"


def _ratio(
    found: Sequence[Found | None], others: Sequence[Found | None], name: str
) -> Ratio | None:
    pairs = [(one, other) for one, other in zip(found, others, strict=True) if one and other]
    ratios = [getattr(one, name) / max(getattr(other, name), 1e-3) for one, other in pairs]
    if not ratios:
        return None
    return Ratio(statistics.median(ratios), min(ratios), max(ratios), len(ratios))


def goals(results: Results) -> Iterator[Goal]:
    """Those of the paced tail, held to the worst rate and driver, with low latency and alone."""
    for waits, (most_p50, most_p99) in GOALS_US.items():
        these = {
            case: found
            for case, found in results.items()
            if case.low_latency and not case.neighbour and case.waits == waits and any(found)
        }
        yield _goal(f"{waits}: p50 over the truth ≤ {most_p50:g} µs", these, "over_p50", most_p50)
        yield _goal(f"{waits}: p99 over the truth ≤ {most_p99:g} µs", these, "over_p99", most_p99)
        if waits == "asleep":
            title = f"asleep: lag p99 ≤ {GOAL_LAG_US:g} µs"
            yield _goal(title, these, "lag_p99", GOAL_LAG_US)


def _goal(title: str, results: Results, name: str, most: float) -> Goal:
    if not results:
        return Goal(title, None, "not measured")
    worst = max(results, key=lambda case: middle(results[case], name))
    found = middle(results[worst], name)
    return Goal(
        title, found <= most, f"worst: {found:,.1f} µs, {worst.driver} at {worst.rate:,.0f}/s"
    )


def heading() -> str:
    """Where and when; to be asked before the first run, which makes the machine busy."""
    facts = {fact.label: fact.value for fact in machine_facts()}
    date = datetime.now(tz=UTC).strftime("%Y-%m-%d")
    return (
        f"`{COMMAND}`, {date}: {facts.get('processor')}, {facts.get('cores')} cores,"
        f" {facts.get('kernel')}, idle driver {facts.get('idle driver')}, load average"
        f" {facts.get('load average at the start')} before."
    )


def page(results: Results, options: argparse.Namespace) -> Iterator[str]:
    """The tables, in Markdown."""
    yield f"A server that answers after 1 ms, {CONNECTIONS} connections, even spacing; medians of"
    yield f"{options.rounds} shuffled rounds of {options.seconds:g} s, in µs."
    yield from sorted({f"Not granted: {f.refused}." for f in _all(results) if f and f.refused})
    yield ""
    yield "| goal | | found |"
    yield "| --- | --- | --- |"
    for goal in goals(results):
        yield f"| {goal.title} | {VERDICT[goal.met]} | {goal.found} |"
    yield ""
    yield from table(results, neighbour=False)
    yield ""
    yield "With a busy loop on the engine's processor:"
    yield ""
    yield from table(results, neighbour=True)
    yield ""
    yield "The two drivers in the same rounds, median and range:"
    yield ""
    yield from drivers(results)


def _all(results: Results) -> Iterable[Found | None]:
    return itertools.chain.from_iterable(results.values())


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=5, help="shuffled rounds (5)")
    parser.add_argument("--seconds", type=float, default=2.0, help="length of each run (2)")
    parser.add_argument("--rates", default="1000,20000", help="requests per second")
    parser.add_argument("--server-cpu", type=int, default=0)
    parser.add_argument("--engine-cpu", type=int, default=1)
    parser.add_argument("--write", type=Path, help="write the tables into this page")
    parser.add_argument("--json", type=Path, help="write every run to this file")
    options = parser.parse_args()
    options.rates = [float(rate) for rate in options.rates.split(",")]
    return options


def main() -> int:
    options = _options()
    first = heading()
    # This process only waits: not on the engine's processor.
    os.sched_setaffinity(0, {options.server_cpu})
    results = compare(options)
    text = "\n".join([first, *page(results, options)])
    if options.write:
        write(options.write, COMMAND, text)
    else:
        print(text)
    if options.json:
        runs = [
            asdict(case) | {"runs": [r and asdict(r) for r in f]} for case, f in results.items()
        ]
        options.json.write_text(json.dumps(runs, indent=1), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
