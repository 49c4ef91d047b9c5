"""The real search for a capacity against queues whose capacity theory knows.

    make capacity-truth
    python benches/capacity_truth.py [--queue NAME] [--rounds N] [--restarts N] [--write FILE]

The reference server holds each request for a known time, and the generator's pool has as many
connections as the queue has servers. Theory is given the mean service time of the search's own
calls (sent to last byte), because a request takes some time besides its delay. A busy machine adds
waiting that no theory knows. So there is a second search of each queue beside another program,
which takes a share of the load generator's processor: it has to find the same, or to refuse.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from statistics import mean

from httpdyno.host.pinning import available
from httpdyno.result import CellRow, Estimate
from peers.tables.marks import write
from queues.real import DD8, MD1, MMC, Queue, Searched, searched

COMMAND = "make capacity-truth"
SHARE = 0.3
"""The share of a processor that the neighbour takes."""
NEIGHBOUR = """\
import os, time
os.sched_setaffinity(0, {cpu})
parent = os.getppid()
while os.getppid() == parent:
    begin = time.perf_counter()
    while time.perf_counter() - begin < {share} * 0.01:
        pass
    time.sleep((1 - {share}) * 0.01)
"""
MOST_BESIDE = 0.1
"""A request may take this share of its delay more; beyond it, other programs decide."""
QUEUES = {"dd8": DD8, "md1": MD1, "mmc": MMC}


@dataclass(frozen=True)
class Found:
    """The searches of one queue."""

    queue: Queue
    beside: bool
    truth: float
    searches: Sequence[Searched]


def line(one: Found) -> str:
    """A row of the table."""
    queue, cells = one.queue, [search.cell for search in one.searches]
    values = [found.value for cell in cells if (found := estimate(cell)) is not None]
    seconds = mean(search.seconds for search in one.searches)
    off = f"{100 * (mean(values) / one.truth - 1):+.1f} %" if values else "–"
    name = f"{queue.name}, beside the neighbour" if one.beside else queue.name
    return (
        f"| {name} | p{queue.percentile} ≤ {queue.limit_s * 1e3:g} ms | {one.truth:,.1f}/s |"
        f" {'; '.join(map(shown, cells))} | {off} | {seconds:.0f} s |"
    )


def estimate(cell: CellRow) -> Estimate | None:
    """The capacity of a cell."""
    return cell.capacity.capacity_per_s if cell.capacity else None


def shown(cell: CellRow) -> str:
    """`895 (880 to 910)`, with the first doubt; or the reason why there is none."""
    found = estimate(cell)
    reason = cell.reasons[0].text if cell.reasons else ""
    if found is None:
        return f"no result: {reason}"
    doubt = f", suspect: {reason}" if cell.status == "suspect" else ""
    if found.low is None or found.high is None:
        return f"{found.value:,.1f}{doubt}"
    return f"{found.value:,.1f} ({found.low:,.1f} to {found.high:,.1f}){doubt}"


@contextmanager
def neighbour(cpu: int) -> Iterator[None]:
    """Another program that takes a share of a processor."""
    code = NEIGHBOUR.format(cpu={cpu}, share=SHARE)
    process = subprocess.Popen([sys.executable, "-c", code])
    try:
        yield
    finally:
        process.kill()
        process.wait()


def searched_rounds(queue: Queue, rounds: int, restarts: int, beside: bool) -> Iterator[Searched]:
    """So many searches of a queue; `beside`: with the neighbour."""
    for number in range(rounds):
        with (
            tempfile.TemporaryDirectory() as folder,
            neighbour(available()[-1]) if beside else nullcontext(),
        ):
            yield searched(queue, Path(folder), restarts=restarts, seed=number + 1)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=1, help="searches of each queue (1)")
    parser.add_argument("--restarts", type=int, default=5, help="climbs of a search (5)")
    parser.add_argument("--write", type=Path, help="write the table into this page")
    parser.add_argument("--queue", choices=QUEUES, action="append", help="this one only")
    options = parser.parse_args()
    results = []
    for queue in (QUEUES[name] for name in options.queue or QUEUES):
        truth = 0.0
        for beside in (False, True):
            searches = list(searched_rounds(queue, options.rounds, options.restarts, beside))
            if not beside:
                service_s = mean(one.service_s for one in searches)
                if service_s > (1 + MOST_BESIDE) * queue.mean_s:
                    sys.exit(
                        f"error: a request takes {service_s * 1e3:.1f} ms, with a delay of"
                        f" {queue.mean_s * 1e3:g} ms: this machine is too busy for theory"
                    )
                truth = queue.capacity(service_s)
            results.append(Found(queue, beside, truth, searches))
            print(line(results[-1]), file=sys.stderr)
    heading = (
        f"{options.restarts} climbs each, and 95 % intervals. The neighbour takes"
        f" {100 * SHARE:.0f} % of the load generator's processor.\n\n"
        "| queue | limit | by theory | found | off | took |\n"
        "| --- | --- | ---: | ---: | ---: | ---: |"
    )
    text = "\n".join([heading, *map(line, results)])
    if options.write:
        write(options.write, COMMAND, text)
    else:
        print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
