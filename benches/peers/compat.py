"""CPU per request and rate of `httpdyno httperf` and `httpdyno ab` beside the real tools.

    make bench-compat
    PYTHONPATH=benches python -m peers.compat [--pairs N] [--lines A,B] [--climbs N] [--write FILE]

Runs the same command lines in turn against the reference server, which counts the requests. Prints
the tables, or writes them between the marks of a page with --write. Needs an idle machine with two
cores or more, httperf and ab; and root for a network in which short connections do not wait for
ports.
"""

from __future__ import annotations

import argparse
import random
import shlex
import sys
from collections.abc import Iterable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from peers.generators.install import MissingError, build_ours
from peers.generators.job import CannotError
from peers.generators.lines import LINES, OURS, TOOLS, Line, climbing
from peers.runs.compare import Bench, say
from peers.runs.descriptors import raise_descriptor_limit
from peers.runs.network import own_network
from peers.runs.trial import FailedError, Place, trial
from peers.tables.lines import method, tables
from peers.tables.marks import write_section

COMMAND = "make bench-compat"
TITLE = "## httperf's and ab's command lines"
FILES = 8_000
LONGEST_S = 30.0
"""Expected length of the longest line; it may take a few times as long."""
FIRST_RATE, STEP, STEPS = 1_000, 1.25, 20
KEPT_UP = 0.95


def highest(program: Path, tool: str, place: Place) -> float:
    """The highest rate of the climb, [requests/s]; 0 if not even the first was kept up."""
    best, missed = 0.0, 0
    by_name = {one.name: one for one in TOOLS}
    for step in range(STEPS):
        line = climbing(round(FIRST_RATE * STEP**step))
        reached = 0.0
        with suppress(CannotError, FailedError):
            spent = trial(by_name[tool], program, line, place, LONGEST_S)
            offered = 10 * round(FIRST_RATE * STEP**step)
            if spent.requests == line.requests and spent.rate_per_s >= KEPT_UP * offered:
                reached = spent.rate_per_s
        best, missed = max(best, reached), 0 if reached else missed + 1
        if missed == 2:
            break
    return best


def climbs(bench: Bench, rounds: int) -> dict[str, list[float]]:
    """The highest rate of httperf and of ours, in each round."""
    names = ["httperf", OURS["httperf"]]
    found: dict[str, list[float]] = {name: [] for name in names if name in bench.programs}
    place = Place("reference", bench.server_cpu, bench.tool_cpu)
    for round_ in range(rounds):
        for name in random.Random(f"{bench.seed} climb {round_}").sample(list(found), len(found)):
            say(f"climb {round_ + 1} of {rounds}, {name}")
            found[name].append(highest(bench.programs[name], name, place))
    return found


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pairs", type=int, default=5, help="interleaved rounds (5)")
    parser.add_argument("--climbs", type=int, default=3, help="climbs to the highest rate (3)")
    parser.add_argument("--lines", help="only these, by name")
    parser.add_argument("--server-cpu", type=int, default=0)
    parser.add_argument("--tool-cpu", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1, help="of the order of trials (1)")
    parser.add_argument("--write", type=Path, help="write the tables into this page")
    return parser.parse_args()


def _chosen(names: str | None) -> list[Line]:
    known = {line.name: line for line in LINES}
    wanted = list(known) if names is None else names.split(",")
    if unknown := [name for name in wanted if name not in known]:
        print(f"error: unknown line `{', '.join(unknown)}`", file=sys.stderr)
        print(f"hint: expected some of {', '.join(known)}", file=sys.stderr)
        raise SystemExit(2)
    return [line for line in LINES if line.name in wanted]


def _text(options: argparse.Namespace, bench: Bench, parts: Iterable[str]) -> str:
    command = shlex.join(["python", "-m", "peers.compat", *sys.argv[1:]])
    date = datetime.now(tz=UTC).strftime("%Y-%m-%d")
    missing = [f"- {name} is missing: {why}" for name, why in bench.missing.items()]
    return "\n".join([method(command, date, options.pairs), "", *parts, *missing])


def main() -> int:
    options = _options()
    lines = _chosen(options.lines)
    raise_descriptor_limit(FILES)
    bench = Bench(
        tools=TOOLS,
        rows=lines,
        servers=["reference"],
        pairs=options.pairs,
        seconds=LONGEST_S,
        server_cpu=options.server_cpu,
        tool_cpu=options.tool_cpu,
        seed=options.seed,
        subtract_starts=False,
    )
    print("compiling the program that counts CPU time", file=sys.stderr)
    try:
        build_ours("limit")
    except MissingError as why:
        print(f"error: {why}", file=sys.stderr)
        return 4
    bench.find()
    say(f"network: {own_network()}")
    rows = bench.run()["reference"]
    text = _text(options, bench, tables(lines, rows, bench.starts, climbs(bench, options.climbs)))
    if options.write:
        write_section(options.write, COMMAND, TITLE, text)
    else:
        print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
