"""The processor time of checking JSON bodies, as ratios in one run.

    make bench-answers
    python benches/answers.py [--rounds N] [--calls N] [--write FILE]

Sends the same closed load to the reference server, whose reply is JSON of 1 kB: without a check of
bodies, with a check of one in 50, and of all. The ways take turns, shuffled in each round, and each
ratio is between the ways of one round. The kernel counts the time of the engine's thread, so what
else runs on the machine hardly matters. Prints the table, or writes it between the marks of a page.
"""

from __future__ import annotations

import argparse
import json
import os
import random
from datetime import UTC, datetime
from pathlib import Path
from statistics import median

from httpdyno.engine import measure, reference
from httpdyno.engine_plan import ClosedLoad, EnginePlan, Expect, Json, Request, Stop, Target
from peers.tables.marks import write

COMMAND = "make bench-answers"
CONNECTIONS = 10
PAGE = {
    "id": 4711,
    "items": [
        {"id": n, "name": f"item {n}", "price": n / 4, "tags": ["new", "sale"], "in_stock": True}
        for n in range(1, 13)
    ],
    "next": "/items?page=2",
}
ITEM = {
    "id": "{int:1:10000}",
    "name": "{string}",
    "price": "{number}",
    "tags": ["{each}", "{string}"],
    "in_stock": "{bool}",
}
EXAMPLE = {"id": "{int}", "items": ["{each:1:}", ITEM], "next": "{string}"}
WAYS = {
    "no body": Expect(),
    "1 in 50": Expect(body=Json(json=json.dumps(EXAMPLE)), check_one_in=50),
    "all": Expect(body=Json(json=json.dumps(EXAMPLE))),
}


def cost_us(target: Target, expect: Expect, calls: int) -> float:
    """The processor time of the engine per call, in microseconds."""
    plan = EnginePlan(
        target=target,
        requests=[Request(path="/page", expect=expect)],
        load=ClosedLoad(connections=CONNECTIONS),
        stop=Stop(count=calls),
        warm_up_s=0.2,
    )
    m = measure(plan)
    if m.calls.ok != calls:
        raise SystemExit(f"error: {m.first_failure}")
    return (m.cpu.user_s + m.cpu.system_s) / calls * 1e6


def table(rounds: int, calls: int) -> str:
    """Measures all ways in each round; the table, in Markdown."""
    body = json.dumps(PAGE).encode()
    found: dict[str, list[float]] = {name: [] for name in WAYS}
    with reference(pages=[("/page", "application/json", body)]) as server:
        host, _, port = server.address.rpartition(":")
        target = Target(host=host, port=int(port))
        for _ in range(rounds):
            for name in random.sample(list(WAYS), len(WAYS)):
                found[name].append(cost_us(target, WAYS[name], calls))
    lines = [
        f"| bodies checked, of {len(body):,} bytes | µs per call | ratio | in the rounds |",
        "| --- | --: | --: | --: |",
    ]
    base = found["no body"]
    for name, times in found.items():
        ratios = [one / other for one, other in zip(times, base, strict=True)]
        span = f"{min(ratios):.3f} to {max(ratios):.3f}"
        lines.append(f"| {name} | {median(times):.2f} | {median(ratios):.3f} | {span} |")
    load = " ".join(f"{one:.1f}" for one in os.getloadavg())
    today = datetime.now(UTC).date()
    note = f"{today}: {rounds} rounds of {calls:,} calls for each way, load average {load} after."
    return "\n".join([*lines, "", note])


def main() -> None:
    """Measure, and print or write the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--calls", type=int, default=100_000)
    parser.add_argument("--write", type=Path)
    given = parser.parse_args()
    text = table(given.rounds, given.calls)
    if given.write:
        write(given.write, COMMAND, text)
    else:
        print(text)


if __name__ == "__main__":
    main()
