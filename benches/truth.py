"""Accuracy of each tool's times: what it reports, compared with the reference server's delays.

    make bench-peers
    python benches/truth.py [--rounds N] [--seconds N] [--rate N] [--tools A,B]

An open load at a constant rate; the server delays each reply by a known distribution and records
how long it really held it. A cell is the reported time minus the truth, the median of interleaved
rounds. The last table is a stall of the whole server; its truth follows from the schedule: a call
due during the stall waits for its end. wrk has no rate and gets enough connections for about the
same. Kernel time comes from the kernel's timestamps: from request sent to reply received.
"""

from __future__ import annotations

import argparse
import http.client
import math
import random
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from httpdyno import engine
from peers.generators.classic import CLASSIC
from peers.generators.install import MissingError, build_ours, install
from peers.generators.job import Job, Row
from peers.generators.modern import MODERN
from peers.generators.ours import OURS
from peers.generators.reported import AT, REPORTERS, Reported, Reporter, of_samples
from peers.runs.compare import say
from peers.runs.trial import FailedError, run_beside

DELAYS = {
    "constant, 1 ms": ("1ms", 0.001),
    "uniform, 5 to 15 ms": ("uniform:5ms-15ms", 0.010),
    "exponential, mean 10 ms": ("exponential:10ms", 0.010),
    "bimodal, 1 ms (90 %) or 10 ms": ("bimodal:1ms,10ms,0.9", 0.0019),
}
STALL = "a stall of the whole server, 0.5 s"
STALL_S = 0.5
CONNECTIONS = 256
STALL_CONNECTIONS = 1000

Errors = dict[str, dict[str, list[float]]]
"""Reporter → quantile → reported time minus truth of each round, [s]."""


def measure(
    reporter: Reporter, program: Path, what: str, options: Any
) -> tuple[dict[str, Reported], Reported]:
    """Run once; return what was reported (by kind of time) and the truth."""
    stalls = what == STALL
    delay, mean_s = ("", 0.0001) if stalls else DELAYS[what]
    closed = reporter.tool == "wrk"
    connections = STALL_CONNECTIONS if stalls else CONNECTIONS
    row = Row(
        "truth",
        what,
        connections=max(1, round(options.rate * mean_s)) if closed else connections,
        path="/pong" if stalls else f"/pong?delay={delay}",
    )
    with (
        tempfile.TemporaryDirectory(prefix="httpdyno-bench-") as name,
        engine.reference(
            pages=[("/pong", "text/plain", b"PONG")], cpus=[options.server_cpu]
        ) as server,
    ):
        folder = Path(name)
        rate = None if closed else options.rate
        job = Job(row, server.address, options.seconds, folder, rate=rate)
        stall = threading.Thread(target=_stall_midway, args=(server, options.seconds))
        if stalls:
            stall.start()
        command = reporter.command(str(program), job)
        try:
            run_beside(command, folder, options.tool_cpu, lambda: server.requests, options.seconds)
        finally:
            if stalls:
                stall.join()
        truth = of_schedule(options) if stalls else of_samples(_held(server))
        return reporter.read(folder), truth


def _held(server: Any) -> Iterator[float]:
    """The times for which the server really held replies, [s]."""
    return (held_ns / 1e9 for held_ns in server.take_delays())


def of_schedule(options: Any) -> Reported:
    """The response times that follow from a stall in the middle of a constant rate."""
    begin, end = options.seconds / 2, options.seconds / 2 + STALL_S
    due = (i / options.rate for i in range(int(options.rate * options.seconds)))
    return of_samples(end - moment if begin <= moment < end else 0.0 for moment in due)


def _stall_midway(server: Any, seconds: float) -> None:
    """Wait for the first request, then half of the run; then stall the server."""
    give_up = time.monotonic() + 20
    while server.requests == 0 and time.monotonic() < give_up:
        time.sleep(0.01)
    time.sleep(seconds / 2)
    host, _, port = server.address.rpartition(":")
    door = http.client.HTTPConnection(host, int(port), timeout=10)
    door.request("GET", f"/control/stall?for={STALL_S}s")
    door.close()


def compare(programs: dict[str, Path], what: str, options: Any) -> tuple[Errors, Reported]:
    """Run all reporters in turn, shuffled in each round; return errors and the median truth."""
    errors: Errors = {}
    truths: list[Reported] = []
    order = [reporter for reporter in REPORTERS if reporter.tool in programs]
    for round_ in range(options.rounds):
        random.Random(f"{what} {round_}").shuffle(order)
        for reporter in order:
            say(f"{what}: round {round_ + 1} of {options.rounds}, {reporter.name}")
            try:
                reported, truth = measure(reporter, programs[reporter.tool], what, options)
            except FailedError as why:
                say(f"{reporter.name} failed: {why}")
                continue
            truths.append(truth)
            for kind, times in reported.items():
                mine = errors.setdefault(
                    f"{reporter.name}, {kind} time" if kind else reporter.name, {}
                )
                for name, time_s in times.items():
                    mine.setdefault(name, []).append(time_s - truth[name])
    middle = {name: statistics.median(truth[name] for truth in truths) for name in AT}
    return errors, middle


def table(what: str, errors: Errors, truth: Reported) -> Iterator[str]:
    """The table of one delay, in Markdown, and in how many columns httpdyno is nearest."""
    yield f"### {what}"
    yield ""
    yield "| error, µs | " + " | ".join(AT) + " |"
    yield "| --- |" + " --: |" * len(AT)
    yield "| *truth, ms* | " + " | ".join(f"*{truth[name] * 1e3:,.3f}*" for name in AT) + " |"
    middle = {
        who: {name: statistics.median(values) for name, values in mine.items()}
        for who, mine in errors.items()
    }
    for who, mine in sorted(middle.items(), key=lambda item: abs(item[1].get("p99", 9e9))):
        cells = [f"{mine[name] * 1e6:+,.0f}" if name in mine else "" for name in AT]
        yield f"| {who} | " + " | ".join(cells) + " |"
    yield ""
    yield from nearest(errors, "response" if what == STALL else "service")


def nearest(errors: Errors, kind: str) -> Iterator[str]:
    """In how many columns httpdyno is nearest, and which tool is nearer in the others."""
    ours = {who: mine for who, mine in errors.items() if who.startswith("httpdyno")}
    times = {who: mine for who, mine in ours.items() if who.endswith(f"{kind} time")}
    kernel = {who: mine for who, mine in ours.items() if who.endswith("kernel time")}
    theirs = {who: mine for who, mine in errors.items() if who not in ours}
    behind = [name for name in AT if not _nearer(times, theirs, name)]
    by_kernel = sum(_nearer({**times, **kernel}, theirs, name) for name in AT)
    yield (
        f"httpdyno ({kind} time, spinning or not) is nearest in {len(AT) - len(behind)} of"
        f" {len(AT)}; kernel time included, in {by_kernel}."
    )
    for name in behind:
        pair = ", ".join(_best(group, name) for group in (theirs, times) if _has(group, name))
        yield f"Not in {name}: {pair}."


def _has(errors: Errors, name: str) -> bool:
    return any(name in mine for mine in errors.values())


def _off(mine: dict[str, list[float]], name: str) -> float:
    """Distance of the median round from the truth, [s]; infinite if not reported."""
    return abs(statistics.median(mine[name])) if name in mine else math.inf


def _nearer(ours: Errors, theirs: Errors, name: str) -> bool:
    nearest_ours, nearest_theirs = (
        min((_off(mine, name) for mine in group.values()), default=math.inf)
        for group in (ours, theirs)
    )
    return nearest_ours < nearest_theirs


def _best(errors: Errors, name: str) -> str:
    """The nearest of them, with the range of its rounds."""
    who = min(errors, key=lambda who: _off(errors[who], name))
    rounds_us = sorted(time_s * 1e6 for time_s in errors[who][name])
    middle, low, high = statistics.median(rounds_us), rounds_us[0], rounds_us[-1]
    return f"{who} {middle:+,.0f} µs ({low:+,.0f} to {high:+,.0f})"


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=3, help="interleaved rounds (3)")
    parser.add_argument("--seconds", type=float, default=3.0, help="length of each run (3)")
    parser.add_argument("--rate", type=float, default=1000.0, help="requests per second (1000)")
    parser.add_argument("--tools", help="only these, by name")
    parser.add_argument("--server-cpu", type=int, default=0)
    parser.add_argument("--tool-cpu", type=int, default=1)
    parser.add_argument("--append", type=Path, help="append the tables to this file")
    return parser.parse_args()


def main() -> int:
    options = _options()
    known = {reporter.tool for reporter in REPORTERS}
    wanted = set(options.tools.split(",")) if options.tools else known
    if unknown := ", ".join(sorted(wanted - known)):
        print(f"error: unknown tool `{unknown}`", file=sys.stderr)
        print(f"hint: expected some of {', '.join(sorted(known))}", file=sys.stderr)
        return 2
    build_ours()
    programs, lines = {}, []
    for tool in [tool for tool in OURS + CLASSIC + MODERN if tool.name in wanted]:
        try:
            programs[tool.name] = install(tool)
        except MissingError as why:
            lines.append(f"{tool.name} is missing: {why}.")
    for what in [*DELAYS, STALL]:
        lines += ["", *table(what, *compare(programs, what, options))]
    head = [
        "",
        "## How true the times are",
        "",
        f"{options.rate:,.0f} requests/s for {options.seconds:g} s, open, constant spacing; "
        f"{options.rounds} rounds. Reported time minus truth: the median of the rounds. Kernel "
        "time is measured by the kernel's timestamps on the engine's sockets.",
        "",
    ]
    text = "\n".join([*head, *lines]) + "\n"
    if options.append:
        with options.append.open("a", encoding="utf-8") as page:
            page.write(text)
    else:
        print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
