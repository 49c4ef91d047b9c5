"""Cost of a request: httpdyno compared with other tools and with the bare limit, in one run.

    make bench-peers
    python benches/speed.py [--pairs N] [--seconds N] [--rows A,B] [--tools A,B] [--servers A,B]

Installs missing tools, starts a new server for each trial, and counts requests at the server.
Prints docs/benchmarks.md, or writes it with --write; --json gets all results. Needs an idle machine
with two cores or more, and root for a network in which short connections do not wait for ports.
"""

from __future__ import annotations

import argparse
import json
import shlex
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from httpdyno.host.facts import machine_facts
from peers.generators.classic import CLASSIC
from peers.generators.install import MissingError, build_ours, version
from peers.generators.modern import MODERN
from peers.generators.ours import OURS
from peers.runs.compare import Bench
from peers.runs.descriptors import raise_descriptor_limit
from peers.runs.network import own_network
from peers.runs.rows import ROWS
from peers.runs.server import SERVERS
from peers.tables.table import Circumstances, page

TOOLS = OURS + CLASSIC + MODERN
FILES = 30_000


def _chosen(names: str | None, all_: Sequence[object], what: str) -> list:
    """The named items in their usual order; all of them without names."""
    known = {getattr(one, "name", one): one for one in all_}
    wanted = known if names is None else names.split(",")
    unknown = [name for name in wanted if name not in known]
    if unknown:
        print(f"error: unknown {what} `{', '.join(unknown)}`", file=sys.stderr)
        print(f"hint: expected some of {', '.join(map(str, known))}", file=sys.stderr)
        raise SystemExit(2)
    return [one for name, one in known.items() if name in wanted]


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pairs", type=int, default=7, help="interleaved rounds (7)")
    parser.add_argument("--seconds", type=float, default=1.0, help="length of each trial (1)")
    parser.add_argument("--rows", help="only these, by name")
    parser.add_argument("--tools", help="only these, by name")
    parser.add_argument("--servers", help="reference, nginx, or both (both)")
    parser.add_argument("--server-cpu", type=int, default=0)
    parser.add_argument("--tool-cpu", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1, help="of the order of trials (1)")
    parser.add_argument("--json", type=Path, help="write all results to this file")
    parser.add_argument("--write", type=Path, help="write the tables to this file")
    return parser.parse_args()


def _circumstances(bench: Bench, facts: list[tuple[str, str]]) -> Circumstances:
    found = {tool.name: tool for tool in bench.tools if tool.name in bench.programs}
    return Circumstances(
        date=datetime.now(tz=UTC).strftime("%Y-%m-%d"),
        command=shlex.join(["python", "benches/speed.py", *sys.argv[1:]]),
        facts=facts,
        versions=[(name, version(tool, bench.programs[name])) for name, tool in found.items()],
        missing=list(bench.missing.items()),
        starts_ms=[(n, 1e3 * (s.user_s + s.system_s)) for n, s in bench.starts.items()],
        pairs=bench.pairs,
        seconds=bench.seconds,
    )


def main() -> int:
    options = _options()
    limit = raise_descriptor_limit(FILES)
    facts = [(fact.label, fact.value) for fact in machine_facts()]
    bench = Bench(
        tools=_chosen(options.tools, TOOLS, "tool"),
        rows=_chosen(options.rows, ROWS, "row"),
        servers=_chosen(options.servers, list(SERVERS), "server"),
        pairs=options.pairs,
        seconds=options.seconds,
        server_cpu=options.server_cpu,
        tool_cpu=options.tool_cpu,
        seed=options.seed,
    )
    print(f"{limit:,} descriptors; compiling the programs of this repository", file=sys.stderr)
    try:
        build_ours()
    except MissingError as why:
        print(f"error: {why}", file=sys.stderr)
        return 4
    bench.find()
    facts.append(("network", own_network()))
    results = bench.run()
    around = _circumstances(bench, facts)
    text = page(results, bench.rows, around)
    if options.json:
        cells = {
            server: {row: {t: c.as_dict() for t, c in cells.items()} for row, cells in rows.items()}
            for server, rows in results.items()
        }
        whole = {"format": "httpdyno-speed", "version": 1, "around": vars(around), "cells": cells}
        options.json.write_text(json.dumps(whole, indent=1) + "\n", encoding="utf-8")
    if options.write:
        options.write.write_text(text, encoding="utf-8")
    else:
        print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
