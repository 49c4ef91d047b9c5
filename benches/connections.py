"""Many connections open and in use at once: `httpdyno load`, from loopback addresses.

    make bench-connections
    python benches/connections.py [--connections N] [--rate N] [--seconds N] [--write FILE]

The reference server runs on one core, the command on the other, with both drivers: an open load
opens connections as needed, a closed load all at once. Reports the memory of the command and the
kernel, and the time to open. Exit code 1 if a connection is missing, a call fails, or the memory
exceeds 1 GiB. If a process may not open as many files, several processes share the connections.
"""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from httpdyno.host.facts import machine_facts
from peers.generators.install import MissingError, build_ours
from peers.runs import kernel
from peers.runs.compare import say
from peers.runs.descriptors import raise_descriptor_limit
from peers.runs.many_connections import SPARE_FILES, Crowd, Found, parts, run
from peers.runs.trial import FailedError
from peers.tables.goals import Goal
from peers.tables.table import VERDICT

MOST_BYTES = 1 << 30
DRIVERS = ("io_uring", "epoll")
LOADS = ("open", "closed")
MILLION = 1_000_000
BACKLOG = 4096
"""Accept queue of the reference server; the kernel caps it at `net.core.somaxconn`."""
_METHOD = """\
`httpdyno load` on one core, the reference server on the other: {split}. `open`: {rate:,.0f}
requests/s, which take the connections in turn, so that as many are opened a second. `closed`: all
from the first moment on, each asking again when it has its reply. {seconds:g} s each.

Open at once is the least of what the engine's books and the kernel's say. The memory is the peak
of the command, interpreter and all ({alone:.0f} MiB with one connection a process). What a
connection adds is with io_uring mostly its receive buffers: 8 MiB an engine. The
kernel's is the growth of its tables and of what lies in sockets, both ends of each connection
together. The time to open is that from the first hundredth to the last, looked at every 50 ms."""
_REST = """\
- **Files.** On one machine with both ends, the two limits are just enough. Where a process may have
  fewer (`ulimit -Hn`), several commands share the connections.
- **Ports.** `--source`, once for each address; all of 127.0.0.0/8 are this machine's. Half of the
  ports are left free, for the kernel's search for one grows as they fill.
- **Memory** is the kernel's first. TCP counts what lies in sockets apart: `net.ipv4.tcp_mem` has to
  grow with it, or sockets are held short.
- **Opening.** The engine begins 256 connections in a row, then takes what came. All at once is
  still more than a server accepts: what finds its queue full is tried again by the kernel after 1,
  3 and 7 s, and fails with `connect_timeout` after `--connect-timeout`. An open load opens them at
  its rate: a million at 20,000/s are there after 50 s. A closed load has no such rate yet.
- **Completions.** io_uring's queue holds 16,384; the kernel keeps the rest aside, and loses none.
- **Closing.** io_uring looks for each receive that is to be cancelled in a table of fixed size: of
  very many, each should close slower. Not seen at this number; a million was not tried.
"""


def goals(all_found: Sequence[Found], connections: int) -> Iterator[Goal]:
    """The goals for every run."""
    every = f"{connections:,} connections open at once"
    yield _each(every, all_found, lambda one: one.opened, lambda n: n >= connections, min)
    title = "at least as many right replies as connections"
    yield _each(title, all_found, lambda one: one.replies, lambda n: n >= connections, min)
    title = "no failed call or connection"
    yield _each(title, all_found, lambda one: one.failures, lambda n: n == 0, max)
    most = MOST_BYTES >> 20
    title = f"memory of the command under {most:,} MiB"
    yield _each(title, all_found, lambda one: one.peak_bytes >> 20, lambda n: n < most, max)


def _each(
    title: str,
    all_found: Sequence[Found],
    of: Callable[[Found], int],
    holds: Callable[[int], bool],
    worst: Callable[..., Found],
) -> Goal:
    one = worst(all_found, key=of)
    met = all(holds(of(found)) for found in all_found)
    return Goal(title, met, f"{of(one):,} in {one.load}, {one.driver}, the worst run")


def table(all_found: Sequence[Found], alone_bytes: int, connections: int) -> Iterator[str]:
    """The table of runs, in Markdown."""
    yield (
        "| load, driver | open at once | opened in, s | right replies | failed"
        " | memory, MiB | B per connection | kernel, MiB | B per connection |"
    )
    yield "| --- |" + " --: |" * 8
    for found in all_found:
        opened = "never" if found.opening_s is None else f"{found.opening_s:.1f}"
        own = (found.peak_bytes - alone_bytes) / connections
        yield (
            f"| {found.load}, {found.driver} | {found.opened:,} | {opened} | {found.replies:,}"
            f" | {found.failures:,} | {found.peak_bytes / 2**20:,.0f} | {own:,.0f}"
            f" | {found.kernel_bytes / 2**20:,.0f} | {found.kernel_bytes / connections:,.0f} |"
        )


def obstacles(all_found: Sequence[Found], alone_bytes: int, crowd: Crowd) -> Iterator[str]:
    """The limits of a run with a million connections, in Markdown."""
    each = MILLION / crowd.connections / 2**30
    own, server, held, in_tcp = (
        max(of(found) for found in all_found) * each
        for of in (
            lambda found: found.peak_bytes - alone_bytes,
            lambda found: found.server_bytes,
            lambda found: found.kernel_bytes,
            lambda found: found.tcp_bytes,
        )
    )
    low, high = kernel.limit("net.ipv4.ip_local_port_range")
    addresses = replace(crowd, connections=MILLION, parts=1).sources
    most_tcp = kernel.limit("net.ipv4.tcp_mem")[2] * 4096 / 2**30
    queue = min(BACKLOG, kernel.limit("net.core.somaxconn")[0])
    yield "| | here | for 1,000,000 |"
    yield "| --- | --- | --- |"
    yield f"| memory of the engine's connections | | {own:.2f} GiB |"
    yield f"| memory of the reference server | | {server:.1f} GiB |"
    memory = kernel.memory_bytes() / 2**30
    yield f"| memory of the kernel, both ends | {memory:.1f} GiB in the machine | {held:.1f} GiB |"
    yield f"| of it in TCP buffers (`tcp_mem`) | {most_tcp:.1f} GiB at most | {in_tcp:.2f} GiB |"
    needed = MILLION + SPARE_FILES
    yield f"| files of a process (`fs.nr_open`) | {kernel.limit('fs.nr_open')[0]:,} | {needed:,} |"
    files = kernel.limit("fs.file-max")[0]
    yield f"| files of the machine (`fs.file-max`) | {files:,} | {2 * needed:,} |"
    yield f"| local ports | {high - low + 1:,} per address | {addresses} addresses, half used |"
    yield "| connections that the engine allows | 4,194,304 | |"
    yield f"| accept queue of the server | {queue:,} | as many at once, the rest 1 s later |"


def page(
    all_found: Sequence[Found], alone_bytes: int, crowd: Crowd, files: int
) -> tuple[str, bool]:
    """The whole document, and whether all goals were met."""
    verdicts = list(goals(all_found, crowd.connections))
    split = (
        f"{crowd.parts} processes each, with at most {crowd.share(0):,} connections, as a process"
        f" may open {files:,} files"
    )
    lines = [
        f"# {crowd.connections:,} connections at once",
        "",
        f"`{shlex.join(['python', 'benches/connections.py', *sys.argv[1:]])}`,"
        f" {datetime.now(tz=UTC).strftime('%Y-%m-%d')}. Written by the bench.",
        "",
        _METHOD.format(
            rate=crowd.rate,
            seconds=crowd.seconds,
            alone=alone_bytes / 2**20,
            split="one process each" if crowd.parts == 1 else split,
        ),
        "",
        "| what must hold | | found |",
        "| --- | --- | --- |",
        *(f"| {goal.title} | {VERDICT[goal.met]} | {goal.found} |" for goal in verdicts),
        "",
        *table(all_found, alone_bytes, crowd.connections),
        "",
        "## Limits for 1,000,000 connections",
        "",
        *obstacles(all_found, alone_bytes, crowd),
        "",
        _REST,
        "## Circumstances",
        "",
        *(f"- {fact.label}: {fact.value}" for fact in machine_facts()),
    ]
    return "\n".join(lines) + "\n", all(goal.met for goal in verdicts)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--connections", type=int, default=100_000)
    parser.add_argument("--rate", type=float, default=20_000.0, help="rate of open loads (20,000)")
    parser.add_argument("--seconds", type=float, default=10.0, help="length of each run (10)")
    parser.add_argument("--server-cpu", type=int, default=0)
    parser.add_argument("--tool-cpu", type=int, default=1)
    parser.add_argument("--write", type=Path, help="write the page to this file")
    return parser.parse_args()


def main() -> int:
    options = _options()
    files = raise_descriptor_limit(options.connections + SPARE_FILES)
    crowd = Crowd(
        options.connections,
        parts(options.connections, files),
        options.rate,
        options.seconds,
        options.server_cpu,
        options.tool_cpu,
    )
    try:
        build_ours()
        say("one connection, for the memory of the command alone")
        alone = replace(crowd, connections=1, parts=1, rate=1000.0, seconds=1.0)
        alone_bytes = run("epoll", "open", alone).peak_bytes * crowd.parts
        all_found = []
        for load in LOADS:
            for driver in DRIVERS:
                say(f"{crowd.connections:,} connections: {load}, {driver}")
                all_found.append(run(driver, load, crowd))
    except (MissingError, FailedError) as why:
        print(f"error: {why}", file=sys.stderr)
        return 4
    text, holds = page(all_found, alone_bytes, crowd, files)
    if options.write:
        options.write.write_text(text, encoding="utf-8")
    else:
        print(text)
    return 0 if holds else 1


if __name__ == "__main__":
    sys.exit(main())
