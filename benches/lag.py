"""Lag of paced loads: as the engine reports it, and for every tool as seen from the server.

    make bench-peers
    python benches/lag.py [--rounds N] [--seconds N] [--rates A,B] [--senders A,B] [--append FILE]

Open loads with even spacing. No other tool reports its lag, so the server records when each request
arrives. The arrivals are fitted with a straight line: their distance from it is the lag, and the
rate of the line is compared with the rate asked for. The server never sleeps; the time to read a
request is part of all figures. A cell is the median of interleaved rounds. `clock` is a program
that only follows the same schedule: the least lag that is possible on this machine.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from httpdyno import engine
from httpdyno.engine_plan import to_json
from peers.generators import classic, modern, ours
from peers.generators.classic import CLASSIC
from peers.generators.install import MissingError, build_ours, install
from peers.generators.install import ours as ours_built
from peers.generators.job import Command, Job, Row
from peers.generators.modern import MODERN
from peers.generators.ours import OURS
from peers.generators.reported import AT, Reported
from peers.runs.compare import say
from peers.runs.trial import PLATEAU, FailedError, run_beside
from peers.tables.goals import Goal
from peers.tables.table import VERDICT

CONNECTIONS = 256
WARM_UP_S = 1.0
LOOK_S = 1.0
"""The interval of checks for the end of a tool. Each check disturbs one of the two cores."""
FEWEST = 100
CLOCK = "clock"
GOAL_RATE = 20_000.0
GOALS_US = {"sleeping": 100.0, "low latency": 100.0, "spinning": 10.0}


@dataclass(frozen=True)
class Sender:
    """A tool, or a variant of httpdyno; `tool`: name under which it is installed."""

    name: str
    tool: str
    command: Callable[[str, Job], Command]

    @property
    def reports_lag(self) -> bool:
        """True if it reports its lag."""
        return self.tool in ("httpdyno", CLOCK)

    @property
    def sends(self) -> bool:
        """True if it sends requests."""
        return self.tool != CLOCK


def _engine(driver: str, waits: str) -> Sender:
    def command(program: str, job: Job) -> Command:
        plan = ours.plan(job)
        stop = replace(plan.stop, duration_s=job.seconds - WARM_UP_S)
        more = {
            "driver": driver,
            "spin": waits == "spinning",
            "low_latency": waits == "low latency",
            "warm_up_s": WARM_UP_S,
            "stop": stop,
        }
        plan = replace(plan, **more)
        return Command([program], stdin=job.file("plan.json", to_json(plan)))

    return Sender(f"httpdyno, {driver}, {waits}", "httpdyno", command)


def _clock(waits: str) -> Sender:
    def command(program: str, job: Job) -> Command:
        return Command(
            [program, f"{job.rate}", f"{WARM_UP_S}", f"{job.seconds - WARM_UP_S}", waits]
        )

    return Sender(f"the clock alone, {waits}", CLOCK, command)


SENDERS = (
    *(_clock(waits) for waits in ("sleeping", "spinning")),
    *(_engine(driver, waits) for driver in ("io_uring", "epoll") for waits in GOALS_US),
    Sender("vegeta", "vegeta", modern.vegeta),
    Sender("k6", "k6", modern.k6),
    Sender("oha", "oha", modern.oha),
    Sender("bombardier", "bombardier", modern.bombardier),
    Sender("h2load", "h2load", classic.h2load),
    Sender("wrk2", "wrk2", classic.wrk2),
    Sender("zrk", "zrk", classic.zrk),
)


@dataclass
class Seen:
    """The rounds of one sender at one rate."""

    own: list[Reported] = field(default_factory=list)
    """Its lag as it reports it, [s]."""
    off: list[Reported] = field(default_factory=list)
    """Distance of its requests from an even spacing, [s]."""
    rates: list[float] = field(default_factory=list)
    """The rate of that spacing, as a share of the rate asked for."""


def off_schedule(came_s: Sequence[float], rate: float) -> tuple[Reported, float]:
    """Distance of arrivals from an even spacing, [s], and its rate as a share of `rate`.

    Uses the same middle part of all requests as the other tables: no connecting, no draining.
    Raises FailedError if there are too few.
    """
    times = np.sort(np.asarray(came_s, dtype=float))
    times = times[round(PLATEAU[0] * len(times)) : round(PLATEAU[1] * len(times))]
    if len(times) < FEWEST:
        raise FailedError(f"made {len(came_s)} requests")
    places = np.arange(len(times))
    spacing_s, first_s = np.polyfit(places, times - times[0], 1)
    left_s = times - times[0] - first_s - spacing_s * places
    off_s = np.abs(left_s - np.median(left_s))
    reported = dict(zip(AT, np.quantile(off_s, list(AT.values())).tolist(), strict=True))
    return reported, 1 / (spacing_s * rate)


def measure(
    sender: Sender, program: Path, rate: float, options: argparse.Namespace, seen: Seen
) -> None:
    """Run once and add the result to `seen`. Raises FailedError."""
    row = Row("lag", "open, even spacing", connections=CONNECTIONS)
    with (
        tempfile.TemporaryDirectory(prefix="httpdyno-bench-") as name,
        engine.reference(
            pages=[("/pong", "text/plain", b"PONG")],
            cpus=[options.server_cpu],
            keep_arrivals=True,
        ) as server,
    ):
        seconds = WARM_UP_S + options.seconds
        job = Job(row, server.address, seconds, Path(name), rate=rate)
        command = sender.command(str(program), job)
        run_beside(command, job.folder, options.tool_cpu, lambda: 0, seconds, LOOK_S)
        if sender.sends:
            came_s = [came_ns / 1e9 for came_ns in server.take_arrivals()]
            off, share = off_schedule(came_s, rate)
            seen.off.append(off)
            seen.rates.append(share)
        if sender.reports_lag and (own := reported_lag(job.folder / "out")):
            seen.own.append(own)


def reported_lag(measurement: Path) -> Reported:
    """The lag that the engine reports; empty if no call found a free connection."""
    lag = json.loads(measurement.read_text(encoding="utf-8"))["times"]["lag"]
    if lag["count"] == 0:
        return {}
    names = {"p50": "p50_ns", "p99": "p99_ns", "p99.9": "p999_ns", "max": "max_ns"}
    return {name: lag[key] / 1e9 for name, key in names.items()}


def compare(programs: dict[str, Path], rate: float, options: argparse.Namespace) -> dict[str, Seen]:
    """Run all senders in turn, shuffled in each round."""
    order = [sender for sender in SENDERS if sender.tool in programs]
    all_seen = {sender.name: Seen() for sender in order}
    for round_ in range(options.rounds):
        random.Random(f"{rate} {round_}").shuffle(order)
        for sender in order:
            say(f"lag at {rate:,.0f}/s: round {round_ + 1} of {options.rounds}, {sender.name}")
            try:
                measure(sender, programs[sender.tool], rate, options, all_seen[sender.name])
            except FailedError as why:
                say(f"{sender.name} failed: {why}")
    return all_seen


def middle(rounds: Sequence[Reported]) -> Reported:
    """The median over the rounds, for each quantile."""
    names = rounds[0] if rounds else ()
    return {name: statistics.median(reported[name] for reported in rounds) for name in names}


def table(rate: float, all_seen: dict[str, Seen]) -> Iterator[str]:
    """The table of one rate, in Markdown."""
    columns = ("p50", "p99", "p99.9", "max")
    yield f"### {rate:,.0f} requests/s"
    yield ""
    own, off = (" | ".join(f"{kind} {name}" for name in columns) for kind in ("lag", "server"))
    yield f"| µs | {own} | {off} | rate |"
    yield "| --- |" + " --: |" * (2 * len(columns) + 1)
    measured = {name: seen for name, seen in all_seen.items() if seen.off or seen.own}
    for name, seen in sorted(measured.items(), key=lambda item: middle(item[1].off).get("p99", 0)):
        cells = [
            f"{reported[column] * 1e6:,.1f}" if column in reported else ""
            for reported in (middle(seen.own), middle(seen.off))
            for column in columns
        ]
        share = f"{statistics.median(seen.rates) - 1:+.2%}" if seen.rates else ""
        yield f"| {name} | " + " | ".join(cells) + f" | {share} |"
    failed = [name for name in all_seen if name not in measured]
    if failed:
        yield ""
        yield f"Failed in each round: {', '.join(failed)}."


def goals(all_seen: dict[str, Seen]) -> Iterator[Goal]:
    """The goals for the engine's lag, for sleeping and spinning; the worse driver counts."""
    for waits, most_us in GOALS_US.items():
        title = f"lag p99 ≤ {most_us:g} µs at {GOAL_RATE:,.0f}/s, {waits}"
        lags_us = {
            name: middle(seen.own)["p99"] * 1e6
            for name, seen in all_seen.items()
            if seen.own and name.startswith("httpdyno") and name.endswith(waits)
        }
        if not lags_us:
            yield Goal(title, None, "not measured")
            continue
        worst = max(lags_us, key=lambda name: lags_us[name])
        found = f"worst: {lags_us[worst]:.1f} µs, {worst}"
        if alone := all_seen.get(f"the clock alone, {waits}"):
            found += f"; the clock alone: {middle(alone.own)['p99'] * 1e6:.1f} µs"
        yield Goal(title, lags_us[worst] <= most_us, found)


def page(results: dict[float, dict[str, Seen]], missing: list[str], rounds: int) -> Iterator[str]:
    """The whole section, in Markdown."""
    yield ""
    yield "## Lag of paced loads"
    yield ""
    yield f"Even spacing, {CONNECTIONS} connections; medians of {rounds} interleaved rounds, in µs."
    yield "`lag` is what the engine reports: from the due time of a call to its start. `server` is"
    yield "the distance of requests from the best straight line through all arrivals at the server,"
    yield "for all tools alike; `rate` is the rate of that line relative to the rate asked for."
    yield "wrk, ab and other closed loops have no schedule: they send when a reply has arrived."
    yield "`the clock alone` sends nothing and only waits for each due time: its lag is caused by"
    yield "the machine, by timer ticks, interrupts and its host, and every program has it too."
    yield from missing
    yield ""
    yield "| goal | | found |"
    yield "| --- | --- | --- |"
    for goal in goals(results.get(GOAL_RATE, {})):
        yield f"| {goal.title} | {VERDICT[goal.met]} | {goal.found} |"
    for rate, all_seen in results.items():
        yield ""
        yield from table(rate, all_seen)


def _programs(wanted: str | None) -> tuple[dict[str, Path], list[str]]:
    """The available programs, installed if necessary, and why others are missing."""
    programs, missing = {CLOCK: ours_built(CLOCK)}, []
    names = {sender.tool for sender in SENDERS}
    for tool in OURS + CLASSIC + MODERN:
        if tool.name not in (names if wanted is None else names & set(wanted.split(","))):
            continue
        try:
            programs[tool.name] = install(tool)
        except MissingError as why:
            missing.append(f"{tool.name} not installed: {why}.")
    return programs, missing


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=5, help="interleaved rounds (5)")
    parser.add_argument("--seconds", type=float, default=2.0, help="length of each run (2)")
    parser.add_argument("--rates", default="1000,20000,50000", help="requests per second")
    parser.add_argument("--senders", help="only these tools, by name")
    parser.add_argument("--server-cpu", type=int, default=0)
    parser.add_argument("--tool-cpu", type=int, default=1)
    parser.add_argument("--append", type=Path, help="append the tables to this file")
    return parser.parse_args()


def main() -> int:
    options = _options()
    build_ours()
    programs, missing = _programs(options.senders)
    # This process wakes up now and then: keep it off the core of the tool.
    os.sched_setaffinity(0, {options.server_cpu})
    rates = [float(rate) for rate in options.rates.split(",")]
    results = {rate: compare(programs, rate, options) for rate in rates}
    text = "\n".join(page(results, missing, options.rounds)) + "\n"
    if options.append:
        with options.append.open("a", encoding="utf-8") as file:
            file.write(text)
    else:
        print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
