"""The cost of a worker process to the engine inside it: the same load with and without one."""

from __future__ import annotations

import argparse
import json
import math
import random
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from httpdyno import engine
from httpdyno.measurement import Measurement
from httpdyno.statistics.intervals import mean_interval
from httpdyno.statistics.noise.moments import mean
from peers.runs.compare import say
from peers.tables.goals import Goal

from scaling.cluster import Workers

PAGE = ("/hello", "text/plain", b"Hello, world!")
CONNECTIONS = 64
WIDEST = {"lag p99": 1.5, "cpu": 1.1}
"""An interval that reaches further cannot show that there is no cost."""


@dataclass(frozen=True)
class Found:
    """One run, in microseconds."""

    lag_p50: float
    lag_p99: float
    cpu: float
    """Processor time of the engine's threads per request."""


@dataclass(frozen=True)
class Pair:
    """Two runs, one right after the other."""

    without: Found
    beside: Found
    worker_share: float
    """Processor time of the worker's process besides the engine's threads, as a share of a core."""


FIGURES: dict[str, tuple[str, Callable[[Found], float]]] = {
    "lag p99": ("lag p99", lambda found: found.lag_p99),
    "lag p50": ("lag p50", lambda found: found.lag_p50),
    "cpu": ("CPU per request", lambda found: found.cpu),
}


def compare(options: argparse.Namespace) -> list[Pair]:
    """All pairs, in random order inside."""
    order = random.Random(1)
    with (
        engine.reference(pages=[PAGE], cpus=[options.server_cpu]) as server,
        tempfile.TemporaryDirectory(prefix="httpdyno-bench-") as name,
        Workers(1, Path(name), cores=[options.engine_cpu]) as workers,
    ):
        _run(server.address, options, [])  # its files are read once before
        pairs = []
        for number in range(options.pairs):
            say(f"a worker beside the engine: pair {number + 1} of {options.pairs}")
            first = order.random() < 0.5
            runs = {}
            for on in (first, not first):
                began = workers.cpu_s()
                measured = _run(server.address, options, ["--on", str(workers.hosts)] if on else [])
                runs[on] = _found(measured)
                if on:
                    own_s = workers.cpu_s() - began - measured.cpu.user_s - measured.cpu.system_s
                    share = own_s / options.seconds
            pairs.append(Pair(runs[False], runs[True], share))
    return pairs


def _run(address: str, options: argparse.Namespace, on: list[str]) -> Measurement:
    with tempfile.TemporaryDirectory(prefix="httpdyno-bench-") as name:
        file = Path(name) / "measured.json"
        load = ["load", f"http://{address}{PAGE[0]}", "--rate", f"{options.rate:.0f}"]
        load += ["-c", str(CONNECTIONS), "-d", f"{options.seconds}s", "--json", str(file)]
        load += on or ["--cpus", str(options.engine_cpu)]
        command = [sys.executable, "-m", "httpdyno", *load]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if not file.exists():
            raise SystemExit(f"{' '.join(command)}: {done.stdout}{done.stderr}")
        return Measurement.model_validate(json.loads(file.read_text())["measurement"])


def _found(measured: Measurement) -> Found:
    lag, spent_s = measured.times.lag, measured.cpu.user_s + measured.cpu.system_s
    return Found(lag.p50_ns / 1e3, lag.p99_ns / 1e3, spent_s / measured.calls.ok * 1e6)


def ratio(pairs: list[Pair], figure: str) -> tuple[float, float, float]:
    """Beside ÷ without: the geometric mean over the pairs, and its 95 % interval."""
    _, of = FIGURES[figure]
    logs = [math.log(of(pair.beside) / of(pair.without)) for pair in pairs]
    low, high = mean_interval(logs)
    return math.exp(mean(logs)), math.exp(low), math.exp(high)


def goals(pairs: list[Pair]) -> Iterator[Goal]:
    """A worker costs nothing that can be measured: each interval holds 1, or lies below."""
    for figure, widest in WIDEST.items():
        middle, low, high = ratio(pairs, figure)
        found = f"{middle:.3f} × (95 % interval {low:.3f} to {high:.3f}, {len(pairs)} pairs)"
        title = f"a worker adds nothing measurable to the {FIGURES[figure][0]}"
        yield Goal(title, low <= 1 if low > 1 or high <= widest else None, found)


def table(pairs: list[Pair]) -> Iterator[str]:
    """The figures with and without a worker."""
    yield "The engine alone, and inside a worker process; µs, medians."
    yield ""
    yield "| | alone | in a worker | ratio (95 % interval) |"
    yield "| --- | --: | --: | --: |"
    for figure, (name, of) in FIGURES.items():
        alone = statistics.median(of(pair.without) for pair in pairs)
        inside = statistics.median(of(pair.beside) for pair in pairs)
        middle, low, high = ratio(pairs, figure)
        yield f"| {name} | {alone:.2f} | {inside:.2f} | {middle:.3f} ({low:.3f} to {high:.3f}) |"
    share = statistics.median(pair.worker_share for pair in pairs)
    yield ""
    yield f"The rest of the worker's process takes {share:.1%} of another core."
