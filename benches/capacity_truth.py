"""The real search for a capacity against queues whose capacity theory knows.

    make capacity-truth
    python benches/capacity_truth.py [--rounds N] [--restarts N] [--write FILE]

The reference server holds each request for a known time, and the generator's pool has as many
connections as the queue has servers. What a request takes on this machine besides its delay is
measured first and counts as service time. A busy machine adds waiting that no theory knows.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean

from peers.tables.marks import write
from queues.real import MD1, MMC, Queue, overhead_s, search

COMMAND = "make capacity-truth"
MOST_BESIDE = 0.1
"""A request may take this share of its delay more; beyond it, other programs decide."""


@dataclass(frozen=True)
class Found:
    queue: Queue
    truth: float
    found: Sequence[float]

    @property
    def off(self) -> float:
        return mean(self.found) / self.truth - 1


def line(one: Found) -> str:
    queue = one.queue
    values = ", ".join(f"{value:,.1f}" for value in one.found)
    return (
        f"| {queue.name} | p{queue.percentile} ≤ {queue.limit_s * 1e3:g} ms | {one.truth:,.1f}/s |"
        f" {values} | {100 * one.off:+.1f} % |"
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--restarts", type=int, default=7)
    parser.add_argument("--write", type=Path, help="write the table into this page")
    options = parser.parse_args()
    results = []
    for queue in (MMC, MD1):
        beside_s = overhead_s(queue)
        if beside_s > MOST_BESIDE * queue.mean_s:
            sys.exit(
                f"error: a request takes {beside_s * 1e3:.1f} ms besides its delay of"
                f" {queue.mean_s * 1e3:g} ms: this machine is too busy to be compared with theory"
            )
        truth = queue.capacity(beside_s)
        found = []
        for number in range(options.rounds):
            with tempfile.TemporaryDirectory() as folder:
                row = search(queue, Path(folder), restarts=options.restarts, seed=number + 1)
            if row.capacity_per_s is not None:
                found.append(row.capacity_per_s.value)
        results.append(Found(queue, truth, found))
        print(line(results[-1]), file=sys.stderr)
    heading = "| queue | limit | by theory | found | mean off |\n| --- | --- | ---: | ---: | ---: |"
    text = "\n".join([heading, *map(line, results)])
    if options.write:
        write(options.write, COMMAND, text)
    else:
        print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
