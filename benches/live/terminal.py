"""Does drawing disturb? The same load without a terminal, and with the view on one.

    make bench-terminal
    PYTHONPATH=benches python -m live.terminal [--rounds N] [--seconds N] [--write FILE]

Each round measures three times, shuffled: without a terminal (twice), and on a terminal of 80 × 24
cells, whose output another process reads whenever the machine is idle, so that only httpdyno's own
work is measured. The ratio of the two without a terminal is the noise of the machine. A closed load
at full speed has no idle time to hide in; an open load shows the lag.
"""

from __future__ import annotations

import argparse
import fcntl
import json
import os
import pty
import random
import resource
import statistics
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from httpdyno import engine
from httpdyno.cli.reference import served_pages
from httpdyno.host.facts import machine_facts
from httpdyno.host.pinning import available
from peers.tables.marks import write_section

from live.beside import beside_s, most_ratio
from live.viewers import ratio

COMMAND = "make bench-terminal"
TITLE = "## With the view on a terminal"
LOADS = {
    "closed, 64 connections": ("--connections", "64"),
    "open, 5,000/s": ("--rate", "5000", "--connections", "64"),
}
MEAN = "mean response time"
SETTLED_S = 2.0
"""After this time, a load measures."""
KINDS = ("without", "without again", "terminal")
WORK = "CPU beside the engine's threads"
SHOWN = {
    "requests/s": lambda value: f"{value:,.0f}",
    "engine's CPU per request": lambda value: f"{value * 1e6:.2f} µs",
    "whole CPU per request": lambda value: f"{value * 1e6:.2f} µs",
    "p99": lambda value: f"{value * 1e6:,.1f} µs",
    "p99 of a second, median": lambda value: f"{value * 1e6:,.1f} µs",
    "lag p99": lambda value: f"{value * 1e6:,.1f} µs",
    WORK: lambda value: f"{value * 1e3:.2f} ms/s",
}
ROWS, COLUMNS = 24, 80
Values = Mapping[str, float]


def p99_of_a_second(record: Mapping[str, Any]) -> float:
    """The median over the seconds of the window, the last of which may be partial."""
    inside = [one["p99_ns"] for one in record["intervals"] if one["second"] >= 0]
    return statistics.median(inside[:-1] or inside)


class Screen:
    """A terminal of which everything is read; it counts the bytes."""

    def __init__(self) -> None:
        self._master, self.end = pty.openpty()
        fcntl.ioctl(self.end, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
        self.bytes = 0
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def close(self) -> int:
        """Read to the end; the number of bytes."""
        os.close(self.end)
        self._thread.join(30)
        os.close(self._master)
        return self.bytes

    def _read(self) -> None:
        os.sched_setscheduler(threading.get_native_id(), os.SCHED_IDLE, os.sched_param(0))
        with suppress(OSError):  # EIO: nobody has the terminal open any more
            while written := os.read(self._master, 65536):
                self.bytes += len(written)


def measured(
    address: str, flags: Sequence[str], seconds: float, folder: str, *, terminal: bool
) -> tuple[Values, int, str]:
    """The numbers of one load, the bytes that it drew, and the histogram of its response times."""
    command = [sys.executable, "-m", "httpdyno", "load", f"http://{address}/hello", "--json", "-"]
    command += ["--cpus", str(available()[-1]), "--warm-up", "1s", *flags]
    command += ["--duration", f"{seconds}s"]
    own = {**os.environ, "HTTPDYNO_STATE": folder, "TERM": "xterm-256color"}
    screen = Screen() if terminal else None
    before = _cpu_s()
    stderr = subprocess.DEVNULL if screen is None else screen.end
    with subprocess.Popen(command, env=own, stdout=subprocess.PIPE, stderr=stderr) as process:
        time.sleep(SETTLED_S)
        begin, before_s = time.monotonic(), beside_s(process.pid)
        time.sleep(float(seconds) - SETTLED_S)
        work_per_s = (beside_s(process.pid) - before_s) / (time.monotonic() - begin)
        answer, _ = process.communicate()
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)
    cpu_s = _cpu_s() - before
    drawn = 0 if screen is None else screen.close()
    record: dict[str, Any] = json.loads(answer)["measurement"]
    calls, times, cpu = record["calls"]["ok"], record["times"], record["cpu"]
    values = {
        "requests/s": record["throughput_per_s"],
        "engine's CPU per request": (cpu["user_s"] + cpu["system_s"]) / calls,
        "whole CPU per request": cpu_s / calls,
        "p99": times["response"]["p99_ns"] * 1e-9,
        "p99 of a second, median": p99_of_a_second(record) * 1e-9,
        "lag p99": times["lag"]["p99_ns"] * 1e-9,
        MEAN: times["response"]["mean_ns"] * 1e-9,
        WORK: work_per_s,
    }
    return values, drawn, times["response"]["hdr"]


def _cpu_s() -> float:
    """The processor time of all processes that have ended and that this one started."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def table(rounds: Sequence[Mapping[str, Values]]) -> Iterator[str]:
    """The figures of one load, in Markdown."""
    yield "| | without, median | without again ÷ without | terminal ÷ without |"
    yield "| --- | --: | --: | --: |"
    for metric, words in SHOWN.items():
        alone = [one["without"][metric] for one in rounds]
        if min(alone) <= 0:
            continue
        ratios = [
            ratio([max(one[kind][metric], 1e-9) / one["without"][metric] for one in rounds])
            for kind in KINDS[1:]
        ]
        yield f"| {metric} | {words(statistics.median(alone))} | {ratios[0]} | {ratios[1]} |"


def heading(options: argparse.Namespace) -> str:
    """Where and when; to be asked before the run, which makes the machine busy."""
    facts = {fact.label: fact.value for fact in machine_facts()}
    date = datetime.now(tz=UTC).strftime("%Y-%m-%d")
    return (
        f"`{COMMAND}`, {date}: {options.rounds} rounds of three loads of {options.seconds:g} s"
        f" against the reference server, shuffled; a terminal of {COLUMNS} × {ROWS} cells,"
        " read only when the machine is idle;"
        f" {facts.get('processor')}, {facts.get('cores')} cores, {facts.get('kernel')}. The whole"
        " CPU is that of the process, its start included. Ratios are geometric means with 95 %"
        " intervals."
    )


def page(options: argparse.Namespace, folder: str) -> Iterator[str]:
    """Measure, and describe what was found."""
    yield heading(options)
    source = random.Random(1)
    with engine.reference(pages=served_pages(), cpus=available()[:1]) as server:
        for title, flags in LOADS.items():
            rounds, drawn, alone = [], 0, []
            for number in range(options.rounds):
                found = {}
                for kind in source.sample(KINDS, len(KINDS)):
                    found[kind], seen, hdr = measured(
                        server.address, flags, options.seconds, folder, terminal=kind == "terminal"
                    )
                    drawn += seen
                    if kind == "without":
                        alone.append(hdr)
                rounds.append(found)
                print(f"{title}: round {number + 1} of {options.rounds}", file=sys.stderr)
            each = drawn / options.rounds / (options.seconds + 1)
            yield ""
            yield f"**{title}**. The view wrote {each / 1000:.1f} kB per second."
            yield ""
            yield from table(rounds)
            yield ""
            yield f"By its processor time alone, the view raises p99 at most {most(rounds, alone)}."


def most(rounds: Sequence[Mapping[str, Values]], alone: Sequence[str]) -> str:
    """The most that drawing once a second can raise the p99 of the loads without a terminal."""
    work = statistics.median(one["terminal"][WORK] - one["without"][WORK] for one in rounds)
    ratios = [
        most_ratio(hdr, max(0.0, work), 1.0, one["without"][MEAN])
        for hdr, one in zip(alone, rounds, strict=True)
    ]
    return f"{statistics.median(ratios):.3f}× (the worst round: {max(ratios):.3f}×)"


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=12, help="rounds of each load (12)")
    parser.add_argument("--seconds", type=float, default=6.0, help="length of a load (6)")
    parser.add_argument("--write", type=Path, help="write the figures into this page")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="httpdyno-terminal-") as folder:
        text = "\n".join(page(options, folder))
    if options.write:
        write_section(options.write, COMMAND, TITLE, text)
    print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
