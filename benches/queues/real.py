"""The real search against the reference server: a queue whose capacity theory knows.

The generator's pool has as many connections as the queue has servers. The reference server holds
each request for its service time, whatever else it does, so the pool is what queues: requests wait
for a connection, first come, first served.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from httpdyno import engine
from httpdyno.engine_plan import ClosedLoad, EnginePlan, Stop, Target
from httpdyno.result import CapacityRow, CellRow
from httpdyno.run import run_study, study_of_text
from httpdyno.running.measuring.engine_plan import request
from httpdyno.running.options import RunOptions
from httpdyno.servers import load_catalogue
from httpdyno.workloads import WORKLOADS

from queues import theory

STUDY = """\
title = "A queue"
blocks = {restarts}
seed = {seed}
warm_up = "500ms"
[[arms]]
server = "reference"
deployments = ["1-thread"]
[loads.capacity]
kind = "capacity"
limits = ["p{percentile}<{limit_ms}ms"]
connections = {servers}
arrivals = "exponential"
duration = {step_s}
confirm = {confirm}
profile = {profile}
"""


@dataclass(frozen=True)
class Queue:
    """A queue with Poisson arrivals."""

    name: str
    delay: str
    """`exponential` or `constant`, as the reference server's `delay=` takes it."""
    mean_s: float
    servers: int
    limit_s: float
    step_s: float
    percentile: int = 99

    def capacity(self, overhead_s: float) -> float:
        """The capacity by theory, if each service takes so much longer."""
        share, limit_s = 1 - self.percentile / 100, self.limit_s
        if self.delay == "constant":
            service_s = self.mean_s + overhead_s
            return theory.capacity(
                lambda rate: theory.md1_beyond(rate, service_s, limit_s), 1 / service_s, share
            )
        mean_s = self.mean_s + overhead_s
        return theory.capacity(
            lambda rate: theory.mmc_beyond(rate, self.servers, mean_s, limit_s),
            self.servers / mean_s,
            share,
        )

    @property
    def path(self) -> str:
        """The path with the delay."""
        given = f"{self.mean_s * 1e3:g}ms"
        return f"/hello?delay={given if self.delay == 'constant' else f'{self.delay}:{given}'}"


MMC = Queue("M/M/8 of 8 ms", "exponential", 0.008, 8, 0.050, 10.0)
MD1 = Queue("M/D/1 of 5 ms, p90", "constant", 0.005, 1, 0.015, 10.0, 90)


@contextmanager
def served(queue: Queue) -> Iterator[None]:
    """The workload `hello` with the delay of the queue."""
    before = WORKLOADS["hello"]
    exchange = replace(before.measured[0], path=queue.path)
    WORKLOADS["hello"] = replace(before, measured=(exchange,), edges=())  # type: ignore[index]
    try:
        yield
    finally:
        WORKLOADS["hello"] = before  # type: ignore[index]


def overhead_s(queue: Queue, seconds: float = 2.0) -> float:
    """The time that a request takes on this machine beyond its delay."""
    exchange = replace(WORKLOADS["hello"].measured[0], path="/hello?delay=5ms")
    with engine.reference(pages=[("/hello", "text/plain", exchange.answer)], cpus=[0]) as server:
        host, _, port = server.address.rpartition(":")
        plan = EnginePlan(
            target=Target(host=host, port=int(port)),
            requests=[request(exchange)],
            load=ClosedLoad(connections=1),
            warm_up_s=0.3,
            stop=Stop(duration_s=seconds),
        )
        found = engine.measure(plan).times.service.p50_ns * 1e-9
    return max(0.0, found - 0.005)


def searched(
    queue: Queue,
    folder: Path,
    *,
    restarts: int,
    confirm: int = 0,
    profile: bool = False,
    seed: int = 1,
) -> CellRow:
    """The cell of a study of the queue. `folder`: for its results and database."""
    text = STUDY.format(
        restarts=restarts,
        seed=seed,
        percentile=queue.percentile,
        limit_ms=queue.limit_s * 1e3,
        servers=queue.servers,
        step_s=queue.step_s,
        confirm=confirm,
        profile=str(profile).lower(),
    )
    with served(queue):
        study = study_of_text(text, "queue", load_catalogue())
        options = RunOptions(
            ["run", "queue.toml"],
            results=folder / "results",
            store_url=f"sqlite:///{folder / 'results.sqlite'}",
        )
        ended = run_study(study, options, Quiet())
    cells: Sequence[CellRow] = ended.result.cells if ended.result else []
    if not cells or cells[0].capacity is None:
        raise RuntimeError("the study has no capacity")
    return cells[0]


def search(queue: Queue, folder: Path, **options: Any) -> CapacityRow:
    """The capacity of the queue, as `searched` finds it."""
    cell = searched(queue, folder, **options)
    if cell.capacity is None or cell.capacity.capacity_per_s is None:
        raise RuntimeError(f"no capacity: {cell.reasons}")
    return cell.capacity


class Quiet:
    """A listener that prints notes to stderr, and nothing else."""

    def note(self, text: str) -> None:
        print(text, file=sys.stderr)

    def stage(self, text: str, waits_for: str | None = None) -> None:
        pass

    def failed(self, failure: object) -> None:
        print(failure, file=sys.stderr)

    def run_begins(self, *_: object) -> None: ...

    def planned(self, *_: object) -> None: ...

    def measuring(self, *_: object) -> None: ...

    def trial_begins(self, *_: object) -> None:
        pass

    def progress(self, progress: object) -> None:
        pass

    def trial_ends(self, outcome: object) -> None:
        pass
