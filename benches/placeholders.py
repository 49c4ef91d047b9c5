"""The processor time of each kind of placeholder per request, beside a request of fixed bytes.

    make bench-placeholders
    python benches/placeholders.py [--rounds N] [--seconds N] [--write PAGE]

A closed load at full speed against the reference server, which runs on a processor of its own.
Every kind runs once in each round, in shuffled order, on both drivers. A ratio compares a kind with
the fixed bytes of its own round; a cell is the median of the rounds with its quartiles.
"""

from __future__ import annotations

import argparse
import random
import statistics
from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from tempfile import NamedTemporaryFile

from httpdyno import engine
from httpdyno.engine_plan import (
    ClosedLoad,
    DataFile,
    DriverChoice,
    EnginePlan,
    Request,
    Stop,
    Target,
    Text,
    names_of,
    with_placeholders,
)
from httpdyno.engine_plan.data import RowOrder
from peers.tables.marks import write

COMMAND = "make bench-placeholders"
CONNECTIONS = 16
WARM_UP_S = 0.2
TRIES = 3
"""A run in which the engine got no processor at all measures nothing and is repeated."""
DRIVERS: tuple[DriverChoice, ...] = ("io_uring", "epoll")
FIXED = "fixed bytes"
ROWS = 1_000_000
"""Rows of the data file."""
JSON = [("Content-Type", "application/json")]
GOAL = 1.03
"""Most processor time of one number, relative to fixed bytes."""
GOAL_KIND = "one number: `{random:1:10000}`"
KINDS: dict[str, Request] = {
    FIXED: Request(path="/hello?id=5000"),
    GOAL_KIND: Request(path="/hello?id={random:1:10000}"),
    "`{sequence:1}`": Request(path="/hello?id={sequence:1}"),
    "`{zipf:1:10000:1.1}`": Request(path="/hello?id={zipf:1:10000:1.1}"),
    "`{choice:a,b,c}`": Request(path="/hello?id={choice:a,b,c}"),
    "`{uuid}` in a header": Request(path="/hello?id=5000", headers=[("X-Id", "{uuid}")]),
    "`{now}` in a header": Request(path="/hello?id=5000", headers=[("X-At", "{now}")]),
    "`{now:ms}` in a header": Request(path="/hello?id=5000", headers=[("X-At", "{now:ms}")]),
    f"a column of a file of {ROWS:,} rows, in order": Request(path="/hello?id={rows.id}"),
    f"a column of a file of {ROWS:,} rows, at random": Request(path="/hello?id={drawn.id}"),
    "a JSON body with a number and a UUID": Request(
        method="POST",
        path="/hello",
        headers=JSON,
        body=Text(text='{"item": {random:1:10000}, "id": "{uuid}"}'),
    ),
    "a JSON body of fixed bytes": Request(
        method="POST",
        path="/hello",
        headers=JSON,
        body=Text(text='{"item": 5000, "id": "a3bb189e-8bf9-4888-9912-ace4e6543002"}'),
    ),
}
ORDERS: dict[str, RowOrder] = {"rows": "in_order", "drawn": "random"}
"""The names of the data file, with the order of its rows."""
Costs = dict[tuple[str, DriverChoice], list[float]]


def cost(
    server: engine.Reference,
    request: Request,
    file: str,
    driver: DriverChoice,
    seconds: float,
) -> float:
    """Processor time of the engine per request, in nanoseconds."""
    host, _, port = server.address.rpartition(":")
    data = [
        DataFile(name=name, file=file, order=order)
        for name, order in ORDERS.items()
        if f"{{{name}." in request.path
    ]
    plan = EnginePlan(
        target=Target(host=host, port=int(port)),
        requests=[with_placeholders(request, names_of(data))],
        data=data,
        load=ClosedLoad(connections=CONNECTIONS),
        stop=Stop(duration_s=seconds),
        warm_up_s=WARM_UP_S,
        driver=driver,
        cpus=[0],
    )
    for _ in range(TRIES):
        found = engine.start(plan).result()
        if found.calls.failed:
            raise SystemExit(f"error: {request.path} on {driver}: {found.first_failure}")
        if found.calls.ok:
            break
    return (found.cpu.user_s + found.cpu.system_s) / found.calls.ok * 1e9


def measure(rounds: int, seconds: float) -> Costs:
    """The costs of all kinds, round by round."""
    costs: Costs = defaultdict(list)
    shuffle = random.Random(1)
    cases = [(kind, driver) for kind in KINDS for driver in DRIVERS]
    page = ("/hello", "text/plain", b"Hello, World!")
    with (
        NamedTemporaryFile("w", suffix=".csv") as file,
        engine.reference(pages=[page], cpus=[1]) as server,
    ):
        print("id", *(f"{number * 7919 % 10_000}" for number in range(ROWS)), sep="\n", file=file)
        file.flush()
        for number in range(rounds):
            shuffle.shuffle(cases)
            for kind, driver in cases:
                costs[kind, driver].append(cost(server, KINDS[kind], file.name, driver, seconds))
            print(f"round {number + 1} of {rounds}", flush=True)
    return costs


def ratios(costs: Costs, kind: str, driver: DriverChoice) -> list[float]:
    """The costs of a kind relative to fixed bytes, round by round."""
    pairs = zip(costs[kind, driver], costs[FIXED, driver], strict=True)
    return [one / fixed for one, fixed in pairs]


def table(costs: Costs, rounds: int, seconds: float) -> Iterator[str]:
    """The lines of the table and of the goal."""
    yield f"Measured on {datetime.now(UTC):%Y-%m-%d}: {rounds} rounds, {seconds:g} s for each cell."
    yield ""
    columns = [cell for driver in DRIVERS for cell in (f"{driver}: ns", "× fixed bytes")]
    yield f"| request | {' | '.join(columns)} |"
    yield "| --- | --- | --- | --- | --- |"
    for kind in KINDS:
        cells = []
        for driver in DRIVERS:
            found = ratios(costs, kind, driver)
            middle = statistics.median(found)
            low, _, high = statistics.quantiles(found) if len(found) > 1 else found * 3
            spread = f"{middle:.3f} ({low:.3f} to {high:.3f})"
            cells += [f"{statistics.median(costs[kind, driver]):,.0f}", spread]
        yield f"| {kind} | {' | '.join(cells)} |"
    yield ""
    for driver in DRIVERS:
        middle = statistics.median(ratios(costs, GOAL_KIND, driver))
        met = "met" if middle <= GOAL else "not met"
        goal = f"one number costs at most {GOAL:.2f} × fixed bytes"
        yield f"Goal on {driver}, {goal}: {met} ({middle:.3f})."


def main(words: Sequence[str] | None = None) -> None:
    """Measure, and print the table or write it into a page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--write", type=Path, help="write the table into this page")
    options = parser.parse_args(words)
    costs = measure(options.rounds, options.seconds)
    text = "\n".join(table(costs, options.rounds, options.seconds))
    if options.write:
        write(options.write, COMMAND, text)
    else:
        print(text)


if __name__ == "__main__":
    main()
