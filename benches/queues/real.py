"""The real search against the reference server: a queue whose capacity theory knows.

The generator's pool has as many connections as the queue has servers. The reference server holds
each request for its service time, whatever else it does, so the pool is what queues: requests wait
for a connection, first come, first served.
"""

from __future__ import annotations

import sys
import time
import tomllib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from httpdyno.result import CapacityRow, CellRow
from httpdyno.run import run_study, study_of_values
from httpdyno.running.live.events import ArmFails, Event, Events, Note
from httpdyno.running.options import RunOptions
from httpdyno.servers import load_catalogue
from httpdyno.store import open_store
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
arrivals = "{arrivals}"
duration = {step_s}
confirm = {confirm}
profile = {profile}
"""


@dataclass(frozen=True)
class Queue:
    """A queue with Poisson arrivals, or with constant ones."""

    name: str
    delay: str
    """`exponential` or `constant`, as the reference server's `delay=` takes it."""
    mean_s: float
    servers: int
    limit_s: float
    step_s: float
    percentile: int = 99
    arrivals: str = "exponential"

    def capacity(self, service_s: float) -> float:
        """The capacity by theory, with this mean service time."""
        share, limit_s = 1 - self.percentile / 100, self.limit_s
        if self.arrivals == "constant":
            return self.servers / service_s
        if self.delay == "constant":
            return theory.capacity(
                lambda rate: theory.md1_beyond(rate, service_s, limit_s), 1 / service_s, share
            )
        return theory.capacity(
            lambda rate: theory.mmc_beyond(rate, self.servers, service_s, limit_s),
            self.servers / service_s,
            share,
        )

    @property
    def path(self) -> str:
        """The path with the delay."""
        given = f"{self.mean_s * 1e3:g}ms"
        return f"/hello?delay={given if self.delay == 'constant' else f'{self.delay}:{given}'}"


MMC = Queue("M/M/8 of 8 ms", "exponential", 0.008, 8, 0.050, 10.0)
MD1 = Queue("M/D/1 of 2 ms", "constant", 0.002, 1, 0.006, 10.0, 90)
DD8 = Queue("D/D/8 of 2 ms", "constant", 0.002, 8, 0.020, 1.0, arrivals="constant")


@dataclass(frozen=True)
class Searched:
    """A search of a queue."""

    cell: CellRow
    service_s: float
    """The mean service time of the calls of each climb's last step that held."""
    seconds: float
    """Of the whole study."""


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


def searched(
    queue: Queue,
    folder: Path,
    *,
    restarts: int,
    confirm: int = 0,
    profile: bool = False,
    seed: int = 1,
) -> Searched:
    """A study of the queue. `folder`: for its results and database."""
    text = STUDY.format(
        restarts=restarts,
        seed=seed,
        percentile=queue.percentile,
        arrivals=queue.arrivals,
        limit_ms=queue.limit_s * 1e3,
        servers=queue.servers,
        step_s=queue.step_s,
        confirm=confirm,
        profile=str(profile).lower(),
    )
    store_url, begin_s = f"sqlite:///{folder / 'results.sqlite'}", time.monotonic()
    with served(queue):
        study = study_of_values(tomllib.loads(text), "queue", load_catalogue())
        options = RunOptions(["run", "queue.toml"], results=folder / "results", store_url=store_url)
        ended = run_study(study, options, Events(_print))
    seconds = time.monotonic() - begin_s
    cells: Sequence[CellRow] = ended.result.cells if ended.result else []
    if not cells or cells[0].capacity is None or ended.run is None:
        raise RuntimeError("the study has no capacity")
    trials = open_store(store_url).trials(ended.run)
    times = [one.measurement.times.service for one in trials if one.measurement]
    calls = sum(one.count for one in times)
    service_s = sum(one.count * one.mean_ns for one in times) / max(calls, 1) * 1e-9
    return Searched(cells[0], service_s, seconds)


def search(queue: Queue, folder: Path, **options: Any) -> CapacityRow:
    """The capacity of the queue, as `searched` finds it."""
    cell = searched(queue, folder, **options).cell
    if cell.capacity is None or cell.capacity.capacity_per_s is None:
        raise RuntimeError(f"no capacity: {cell.reasons}")
    return cell.capacity


def _print(event: Event) -> None:
    """Notes and failures, on stderr."""
    # The queue is the reference server itself, which has no ceiling at a path with a delay.
    if isinstance(event, Note) and "ceiling could not be measured" not in event.text:
        print(event.text, file=sys.stderr)
    elif isinstance(event, ArmFails):
        print(event, file=sys.stderr)
