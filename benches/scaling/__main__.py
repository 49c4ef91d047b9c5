"""The cost of several machines, measured on this one.

    make bench-scale
    PYTHONPATH=benches python -m scaling [--pairs N] [--seconds N] [--write PAGE]

Needs 2 processors and nothing else running; 9 pairs of 3 seconds take 3 minutes.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from httpdyno.host.facts import machine_facts
from peers.tables.goals import Goal
from peers.tables.marks import write_section
from peers.tables.table import VERDICT

from scaling import beside, merging, overhead

COMMAND = "make bench-scale"


def heading() -> str:
    """Where and when; to be asked before the first run, which makes the machine busy."""
    facts = {fact.label: fact.value for fact in machine_facts()}
    date = datetime.now(tz=UTC).strftime("%Y-%m-%d")
    return (
        f"`{COMMAND}`, {date}: {facts.get('processor')}, {facts.get('cores')} cores,"
        f" {facts.get('kernel')}, load average {facts.get('load average at the start')} before."
    )


def page(
    first: str, pairs: list[beside.Pair], costs: list[overhead.Cost], merged: merging.Merged
) -> Iterator[str]:
    """The section, in Markdown."""
    yield first
    yield ""
    yield "| goal | | found |"
    yield "| --- | --- | --- |"
    for goal in (*beside.goals(pairs), *overhead.goals(costs), merging.goal(merged)):
        yield _row(goal)
    for part in (beside.table(pairs), overhead.table(costs), merging.table(merged)):
        yield ""
        yield from part


def _row(goal: Goal) -> str:
    return f"| {goal.title} | {VERDICT[goal.met]} | {goal.found} |"


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pairs", type=int, default=9, help="interleaved pairs (9)")
    parser.add_argument("--seconds", type=float, default=3.0, help="length of each run (3)")
    parser.add_argument("--rate", type=float, default=20_000.0, help="requests per second (20,000)")
    parser.add_argument("--trials", type=int, default=5, help="trials per size of cluster (5)")
    parser.add_argument("--nodes", type=int, default=50, help="simulated load generators (50)")
    parser.add_argument("--server-cpu", type=int, default=0)
    parser.add_argument("--engine-cpu", type=int, default=1)
    parser.add_argument("--write", type=Path, help="write the section into this page")
    return parser.parse_args()


def main() -> int:
    options = _options()
    first = heading()
    pairs = beside.compare(options)
    costs = overhead.measure(options)
    merged = merging.measure(options.nodes)
    text = "\n".join(page(first, pairs, costs, merged))
    if options.write:
        write_section(options.write, COMMAND, "## Several machines", text)
    else:
        print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
