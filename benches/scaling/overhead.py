"""The time that a trial on several machines takes beyond its load: start, merge, store."""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from httpdyno import engine
from httpdyno.engine_plan import Arrivals, EnginePlan, Request, RequestsLoad, Stop, Target
from httpdyno.measurement import Measurement
from httpdyno.outcome import TrialOutcome
from httpdyno.scale.cluster import connect
from httpdyno.scale.generator import Generators
from httpdyno.store import NewRun, Store, open_store
from peers.runs.compare import say
from peers.tables.goals import Goal

from scaling.cluster import Workers

PAGE = ("/hello", "text/plain", b"Hello, world!")
FEW, MOST_FEW_S, MOST_MANY_S = 2, 1.0, 5.0
RATE_PER_NODE = 20.0
SECONDS = 1.0


@dataclass(frozen=True)
class Cost:
    """One trial, in seconds."""

    nodes: int
    start: float
    """Until all machines have been told of the start."""
    end: float
    """From the end of the load to the merged result."""
    store: float
    overhead: float
    """All of the trial but warm-up, window and drain."""


def measure(options: argparse.Namespace) -> list[Cost]:
    """All trials, with few load generators and with many."""
    return [
        cost for nodes in (FEW, options.nodes) for cost in _trials(nodes, options.trials, options)
    ]


def _trials(nodes: int, trials: int, options: argparse.Namespace) -> Iterator[Cost]:
    say(f"overhead with {nodes} load generators")
    with (
        tempfile.TemporaryDirectory(prefix="httpdyno-bench-") as name,
        engine.reference(pages=[PAGE], cpus=[options.server_cpu]) as server,
        Workers(nodes, Path(name), cores=[options.engine_cpu]) as workers,
        connect(str(workers.hosts)) as cluster,
    ):
        generators = Generators(cluster)
        store, run = _store(Path(name))
        plan = _plan(server.address, nodes)
        for number in range(trials + 1):
            cost = _trial(
                generators, plan, nodes, lambda m, n=number: store.record(run, _outcome(n, m))
            )
            if number:  # the first one imports what the others have
                yield cost


def _trial(
    generators: Generators, plan: EnginePlan, nodes: int, record: Callable[[Measurement], None]
) -> Cost:
    began = time.perf_counter()
    with generators.start(plan) as running:
        started = time.perf_counter()
        running.follow("done")
        done = time.perf_counter()
        measured = running.result()
    merged = time.perf_counter()
    record(measured)
    ended = time.perf_counter()
    load_s = measured.warm_up_s + measured.window_s + measured.drain_s
    if measured.calls.failed or not measured.calls.ok:
        raise SystemExit(f"the load failed: {measured.calls}")
    return Cost(nodes, started - began, merged - done, ended - merged, ended - began - load_s)


def _plan(address: str, nodes: int) -> EnginePlan:
    host, _, port = address.rpartition(":")
    return EnginePlan(
        target=Target(host=host, port=int(port)),
        requests=[Request(path=PAGE[0])],
        load=RequestsLoad(arrivals=Arrivals.steady(RATE_PER_NODE * nodes), connections=2 * nodes),
        stop=Stop(duration_s=SECONDS),
    )


def _store(folder: Path) -> tuple[Store, int]:
    store = open_store(f"sqlite:///{folder / 'results.sqlite'}")
    run = NewRun(
        study="bench",
        identity="bench",
        study_text="",
        seed=1,
        command="make bench-scale",
        httpdyno_version="0",
        started_at=0.0,
        facts=[],
        folder=str(folder),
        study_document="{}",
        servers_document="{}",
    )
    return store, store.begin_run(run)


def _outcome(number: int, measured: Measurement) -> TrialOutcome:
    return TrialOutcome(
        index=number,
        block=number,
        arm="bench",
        load="bench",
        point="bench",
        started_at=measured.started_at,
        ended_at=measured.started_at + measured.window_s,
        status="valid",
        reasons=(),
        measurement=measured,
        server=None,
        ceiling_per_s=None,
    )


def goals(costs: list[Cost]) -> Iterator[Goal]:
    """The most that a trial may take beyond its load."""
    for nodes in sorted({cost.nodes for cost in costs}):
        most_s = MOST_FEW_S if nodes == FEW else MOST_MANY_S
        title = f"a trial on {nodes} load generators takes < {most_s:g} s beyond its load"
        found = _median(costs, nodes, "overhead")
        yield Goal(title, found < most_s, f"{found:.2f} s, the median")


def table(costs: list[Cost]) -> Iterator[str]:
    """The parts of the overhead."""
    yield "A trial of 1 s beyond its load, with real workers over TLS on this machine; s, medians."
    yield "The rest of the overhead is the lead time, until the instant that all machines start at."
    yield ""
    yield "| load generators | overhead | start | end and merge | store |"
    yield "| --: | --: | --: | --: | --: |"
    for nodes in sorted({cost.nodes for cost in costs}):
        parts = [_median(costs, nodes, name) for name in ("overhead", "start", "end", "store")]
        yield f"| {nodes} | " + " | ".join(f"{part:.3f}" for part in parts) + " |"


def _median(costs: list[Cost], nodes: int, name: str) -> float:
    return statistics.median(getattr(cost, name) for cost in costs if cost.nodes == nodes)
