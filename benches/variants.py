"""Variants of using io_uring, each compared with the engine's way, in one run.

    make bench-variants
    python benches/variants.py [--pairs N] [--seconds N] [--connections A,B] [--write FILE]

Runs the bare limit (`benches/limit`) like the engine and with one thing done differently, all in
turn, shuffled in each round, with requests counted by the server. Then compares readers of a reply
head by their instructions, and zero-copy ways for large replies. Prints the tables, or writes them
between the marks of the page given with --write. Needs an idle machine with two cores or more.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from httpdyno.engine_plan import to_json
from httpdyno.host.facts import machine_facts
from peers import zero_copy
from peers.generators import ours
from peers.generators.install import MissingError, build_ours
from peers.generators.install import ours as program_of
from peers.generators.job import Command, Job, Row
from peers.generators.tool import Tool
from peers.runs.compare import Bench, Cell, say
from peers.runs.network import own_network
from peers.runs.rows import ROWS
from peers.runs.server import SERVERS
from peers.runs.trial import FailedError, run_beside
from peers.tables.marks import write
from peers.tables.ratio import cpu, median, rate, ratio

COMMAND = "make bench-variants"
PLAIN = "plain"
ENTERS_S = 0.3
REPLIES = 20_000
READERS = {
    "remembered": "the engine's: a head equal to the previous one is not parsed again",
    "parsed": "httparse on each head",
    "memchr": "only the search for the empty line, with SIMD",
    "bytes": "only the search for the empty line, byte by byte",
}


@dataclass(frozen=True)
class Way:
    """A variant; `words`: the options of `limit`."""

    name: str
    title: str
    words: tuple[str, ...]


WAYS = (
    Way(PLAIN, "the bare limit, like the engine", ()),
    Way("no-multishot", "a receive for each reply", ("--no-multishot",)),
    Way("link", "the same, linked to its request", ("--link",)),
    Way("no-defer-taskrun", "task work at once, with an interrupt", ("--no-defer-taskrun",)),
    Way("fixed-files", "sockets registered with the ring", ("--fixed-files",)),
    Way("write-fixed", "requests from a registered buffer", ("--write-fixed",)),
    Way("send-zc", "the same, sent without a copy", ("--send-zc",)),
    Way("kernel-timers", "a kernel timeout per call", ("--kernel-timers",)),
    Way("reno", "the simplest congestion control instead of the system's", ("--reno",)),
    Way("batch-1", "each request submitted at once", ("--batch", "1")),
    Way("batch-8", "handed over after 8 replies", ("--batch", "8")),
    Way("wait-8", "a turn waits for 8 replies", ("--wait", "8")),
)
SHORT_ROWS = ("one-call", "ten-calls")
SHORT_WAYS = (
    Way(PLAIN, "a receive per reply, in one chain with the other operations", ()),
    Way("multishot", "one receive for all replies, cancelled at the end", ("--multishot",)),
)
ENGINES = {"io_uring": "the engine on io_uring", "epoll": "the engine on epoll"}


def _limit(way: Way) -> Tool:
    def command(program: str, job: Job) -> Command:
        return Command([*ours.limit(program, job).words, *way.words])

    return Tool(way.name, "ours", "limit", "limit", command, version=())


def _engine(driver: str) -> Tool:
    def command(program: str, job: Job) -> Command:
        plan = replace(ours.plan(job), driver=driver)
        return Command([program], stdin=job.file("plan.json", to_json(plan)))

    return Tool(driver, "ours", "engine", "run_plan", command, version=())


def enters(way: Way, row: Row, options: argparse.Namespace) -> float | None:
    """Calls of `io_uring_enter` per request, as counted by the program."""
    with (
        tempfile.TemporaryDirectory(prefix="httpdyno-bench-") as name,
        SERVERS["reference"](options.server_cpu) as served,
    ):
        job = Job(row, served.address, ENTERS_S, Path(name))
        command = _limit(way).command(str(program_of("limit")), job)
        try:
            run_beside(command, job.folder, options.tool_cpu, served.count, ENTERS_S)
        except FailedError as why:
            say(f"{way.name}: {why}")
            return None
        replies, calls = (job.folder / "out").read_text(encoding="utf-8").split()
    return int(calls) / max(1, int(replies))


def tables(ways: Sequence[Way], rows: Sequence[str], options: argparse.Namespace) -> Iterator[str]:
    """Run the variants and the engine's drivers on these rows; the tables, in Markdown."""
    wanted = None if options.ways is None else {PLAIN, *options.ways.split(",")}
    tools = [*map(_limit, ways), *map(_engine, ENGINES)]
    bench = Bench(
        tools=[tool for tool in tools if wanted is None or tool.name in wanted],
        rows=[row for row in ROWS if row.name in rows],
        servers=["reference"],
        pairs=options.pairs,
        seconds=options.seconds,
        server_cpu=options.server_cpu,
        tool_cpu=options.tool_cpu,
    )
    bench.find()
    results = bench.run()["reference"]
    taken = [way for way in ways if wanted is None or way.name in wanted]
    for row in bench.rows:
        calls = {way.name: enters(way, row, options) for way in taken}
        yield from row_table(row, ways, results[row.name], calls)
        yield ""


def row_table(
    row: Row, ways: Sequence[Way], cells: dict[str, Cell], calls: dict[str, float | None]
) -> Iterator[str]:
    """The table of one row, in Markdown."""
    yield f"#### {row.title}"
    yield ""
    yield "| | | CPU µs | CPU ÷ plain | requests/s ÷ plain | `io_uring_enter` per request |"
    yield "| --- | --- | --: | --: | --: | --: |"
    plain = cells.get(PLAIN)
    title = {way.name: way.title for way in ways} | ENGINES
    for name, cell in cells.items():
        if not cell.done:
            yield f"| {name} | {title[name]} | {cell.reason or 'failed'} | | | |"
            continue
        ratios = ["1", "1"] if name == PLAIN else [ratio(cell, plain, of) for of in (cpu, rate)]
        entered = calls.get(name)
        count = "" if entered is None else f"{entered:.3f}"
        yield (
            f"| {name} | {title[name]} | {median(cell, cpu):.2f} | {ratios[0]} | {ratios[1]}"
            f" | {count} |"
        )


def reader_table() -> Iterator[str]:
    """The cost of reading a reply head, in Markdown."""
    yield "### Reading a reply's head"
    yield ""
    yield "Instructions counted by callgrind, body of four bytes included; nanoseconds without it."
    yield ""
    yield "| | | instructions per reply | ns |"
    yield "| --- | --- | --: | --: |"
    scan = str(program_of("scan"))
    idle = instructions(scan, "nothing")
    for way, title in READERS.items():
        say(f"reading heads: {way}")
        taken = instructions(scan, way)
        count = "no valgrind" if taken is None or idle is None else f"{taken - idle:,.0f}"
        done = subprocess.run(
            [scan, way, str(100 * REPLIES)], capture_output=True, text=True, check=True, timeout=60
        )
        yield f"| {way} | {title} | {count} | {float(done.stdout):.0f} |"


def instructions(scan: str, way: str) -> float | None:
    """Instructions per reply, from the difference between N and 2N replies. None: no valgrind."""
    counts = []
    for replies in (REPLIES, 2 * REPLIES):
        words = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", scan, way]
        try:
            done = subprocess.run(
                [*words, str(replies)], capture_output=True, text=True, check=True, timeout=120
            )
        except FileNotFoundError:
            return None
        found = re.search(r"Collected : (\d+)", done.stderr)
        if found is None:
            return None
        counts.append(int(found[1]))
    return (counts[1] - counts[0]) / REPLIES


def _heading(options: argparse.Namespace, network: str) -> Iterator[str]:
    facts = {fact.label: fact.value for fact in machine_facts()}
    date = datetime.now(tz=UTC).strftime("%Y-%m-%d")
    yield (
        f"`{COMMAND}`, {date}: {facts.get('processor')}, {facts.get('cores')} cores,"
        f" {facts.get('kernel')}, load average {facts.get('load average at the start')} before."
        f" Against the reference server; {options.pairs} rounds of {options.seconds:g} s; ratios"
        f" within a round: median, minimum, maximum. Network: {network}."
    )
    yield ""


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pairs", type=int, default=7, help="interleaved rounds (7)")
    parser.add_argument("--seconds", type=float, default=1.0, help="length of each trial (1)")
    parser.add_argument("--connections", default="16,64,256", help="numbers of them (16,64,256)")
    parser.add_argument("--ways", help="only these, by name")
    parser.add_argument("--server-cpu", type=int, default=0)
    parser.add_argument("--tool-cpu", type=int, default=1)
    parser.add_argument("--write", type=Path, help="write the tables into this page")
    return parser.parse_args()


def main() -> int:
    options = _options()
    try:
        build_ours()
    except MissingError as why:
        print(f"error: {why}", file=sys.stderr)
        return 4
    kept = [f"keep-alive-{number}" for number in options.connections.split(",")]
    network = own_network()
    lines = [*_heading(options, network)]
    lines += ["### Keep-alive connections", "", *tables(WAYS, kept, options)]
    lines += ["### Few calls per connection", "", *tables(SHORT_WAYS, SHORT_ROWS, options)]
    lines += [*reader_table(), "", *zero_copy.report()]
    text = "\n".join(lines)
    if options.write:
        write(options.write, COMMAND, text)
    else:
        print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
