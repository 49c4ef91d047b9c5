"""Does watching disturb? One load with a live page, which ten viewers watch at times.

    make bench-viewers
    PYTHONPATH=benches python -m live.viewers [--rounds N] [--seconds N] [--viewers N] [--write F]

Loads that start anew differ more among themselves than viewers change, so one long load is measured
in parts: each round has two without viewers and one with them, shuffled. The viewers are one thread
of this bench that reads and drops their streams, on the load generator's processor, but only when
that is idle (SCHED_IDLE): they stand for people with machines of their own, whose browsers take
nothing from this one. What the kernel does to send them their bytes is the page's, and is measured.
The ratio of the two parts without viewers is the noise of the machine. A closed load at full speed
has no idle time to hide in; an open load shows late answers.

The p99 of a whole part follows its few worst moments, whose causes are elsewhere on the machine.
The median over the p99s of its seconds shows what every second has.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import random
import re
import selectors
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from httpdyno import engine
from httpdyno.cli.reference import served_pages
from httpdyno.host.facts import machine_facts
from httpdyno.host.pinning import available
from httpdyno.statistics.intervals import mean_interval
from httpdyno.statistics.noise.moments import mean
from peers.tables.marks import write_section

from live.beside import beside_s

COMMAND = "make bench-viewers"
TITLE = "## With ten viewers of the live page"
LOADS = {
    "closed, 64 connections": ("--connections", "64"),
    "open, 5,000/s": ("--rate", "5000", "--connections", "64"),
}
KINDS = ("alone", "alone again", "watched")
WORK = "CPU beside the engine's threads"
METRICS = {
    "requests/s": "ok",
    "p50 of a second, median": "p50_ns",
    "p99 of a second, median": "p99_ns",
}
"""The metrics of parts of a load, and where each second of it has them."""
EDGE = 1.0
"""Seconds at both ends of a part that belong to none: viewers come and go."""
WARM_UP = "1s"
READY = 3.0
"""Seconds until the window has begun, and the time left after the last part."""
LONGEST = 1 << 20
Values = Mapping[str, float]


class Viewers:
    """Readers of one stream, all on one thread. They count what they got."""

    def __init__(self, link: str, count: int, seconds: float = math.inf) -> None:
        self._link = urlsplit(link)
        self._count = count
        self._until = time.monotonic() + seconds
        self.events = 0
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def wait(self) -> None:
        """Wait for the end of all streams."""
        self._thread.join(30)

    def _read(self) -> None:
        own = threading.get_native_id()
        os.sched_setscheduler(own, os.SCHED_IDLE, os.sched_param(0))
        os.sched_setaffinity(own, available()[-1:])
        address = (self._link.hostname or "", self._link.port or 0)
        request = f"GET {self._link.path}/events HTTP/1.1\r\nHost: {self._link.netloc}\r\n\r\n"
        with ExitStack() as opened, selectors.DefaultSelector() as streams:
            for _ in range(self._count):
                stream = opened.enter_context(socket.create_connection(address, 30))
                stream.sendall(request.encode())
                streams.register(stream, selectors.EVENT_READ)
            while streams.get_map() and (left := self._until - time.monotonic()) > 0:
                for key, _ in streams.select(min(left, 30)):
                    self._take(streams, key.fileobj)

    def _take(self, streams: selectors.BaseSelector, stream: Any) -> None:
        """Count what has come of one stream, which ends with its last chunk."""
        with suppress(OSError):
            if taken := stream.recv(LONGEST):
                self.events += taken.count(b"event: now")
                return
        streams.unregister(stream)


@contextmanager
def loading(address: str, flags: Sequence[str], state: str) -> Iterator[subprocess.Popen[str]]:
    """`httpdyno load`, pinned beside the server."""
    command = [sys.executable, "-m", "httpdyno", "load", f"http://{address}/hello", "--json", "-"]
    command += ["--cpus", str(available()[-1]), "--warm-up", WARM_UP, *flags]
    own = {**os.environ, "HTTPDYNO_STATE": state}
    pipe = subprocess.PIPE
    with subprocess.Popen(command, env=own, stdout=pipe, stderr=pipe, text=True) as process:
        yield process


def parts(
    address: str, flags: Sequence[str], state: str, options: argparse.Namespace, kinds: list[str]
) -> tuple[list[Values], int]:
    """The numbers of the parts of one load with a page, and the events that its viewers got."""
    each = options.seconds + 2 * EDGE
    length = f"{each * len(kinds) + 2 * READY:g}s"
    more = ["--listen", "127.0.0.1:0", "--duration", length]
    with loading(address, [*flags, *more], state) as process:
        assert process.stderr is not None
        link = re.search(r"http://\S+", process.stderr.readline())
        if link is None or not begun(process, link[0], state):
            raise SystemExit("the load has no page")
        begins, events, work = [], 0, []
        time.sleep(READY)
        for kind in kinds:
            begins.append(time.time())
            before_s = beside_s(process.pid)
            if kind == "watched":
                viewers = Viewers(link[0], options.viewers, each)
                viewers.wait()
                events += viewers.events
            time.sleep(max(0.0, begins[-1] + each - time.time()))
            work.append((beside_s(process.pid) - before_s) / (time.time() - begins[-1]))
        stdout, _ = process.communicate()
    record: dict[str, Any] = json.loads(stdout)["measurement"]
    window = record["started_at"] + record["warm_up_s"]
    found = []
    for begin, work_per_s in zip(begins, work, strict=True):
        first, last = begin + EDGE - window, begin + each - EDGE - window
        inside = [one for one in record["intervals"] if first <= one["second"] <= last - 1]
        median = {key: statistics.median(one[key] for one in inside) for key in METRICS.values()}
        values = {name: float(median[key]) for name, key in METRICS.items()}
        found.append({**values, WORK: work_per_s})
    return found, events


def begun(process: subprocess.Popen[str], link: str, state: str) -> bool:
    """Waits until the load has a journal, before which its stream is not there; False: it ended."""
    journal = Path(state) / "live" / Path(urlsplit(link).path).name / "events.jsonl"
    while not journal.exists():
        if process.poll() is not None:
            return False
        time.sleep(0.01)
    return True


def ratio(values: Sequence[float]) -> str:
    """The geometric mean of ratios, with its 95 % interval."""
    logs = [math.log(value) for value in values]
    shown = map(math.exp, (mean(logs), *mean_interval(logs)))
    return "{:.3f} ({:.3f} to {:.3f})".format(*shown)


def table(rounds: Sequence[Mapping[str, Values]]) -> Iterator[str]:
    """The figures of one load, in Markdown."""
    yield "| | alone, median | alone again ÷ alone | watched ÷ alone |"
    yield "| --- | --: | --: | --: |"
    for metric in METRICS:
        alone = [one["alone"][metric] for one in rounds]
        if min(alone) <= 0:
            continue
        median = statistics.median(alone)
        shown = f"{median:,.0f}" if metric == "requests/s" else f"{median / 1e3:,.1f} µs"
        ratios = [
            ratio([max(one[kind][metric], 1.0) / one["alone"][metric] for one in rounds])
            for kind in KINDS[1:]
        ]
        yield f"| {metric} | {shown} | {ratios[0]} | {ratios[1]} |"


def heading(options: argparse.Namespace) -> str:
    """Where and when; to be asked before the run, which makes the machine busy."""
    facts = {fact.label: fact.value for fact in machine_facts()}
    date = datetime.now(tz=UTC).strftime("%Y-%m-%d")
    return (
        f"`{COMMAND}`, {date}: {options.rounds} rounds of three parts of {options.seconds:g} s of"
        f" one load on the reference server, shuffled; {options.viewers} viewers, on the load"
        " generator's processor, which run only when it is idle;"
        f" {facts.get('processor')}, {facts.get('cores')} cores, {facts.get('kernel')}. Ratios are"
        " geometric means with 95 % intervals."
    )


def page(options: argparse.Namespace, folder: str) -> Iterator[str]:
    """Measure, and describe what was found."""
    yield heading(options)
    source = random.Random(1)
    with engine.reference(pages=served_pages(), cpus=available()[:1]) as server:
        for title, flags in LOADS.items():
            print(title, file=sys.stderr)
            kinds = [kind for _ in range(options.rounds) for kind in source.sample(KINDS, 3)]
            values, events = parts(server.address, flags, folder, options, kinds)
            threes = [slice(n, n + 3) for n in range(0, len(kinds), 3)]
            rounds = [dict(zip(kinds[three], values[three], strict=True)) for three in threes]
            each = events / (options.rounds * options.viewers)
            yield ""
            yield f"**{title}**. Each viewer got {each:.0f} updates per part."
            yield ""
            yield from table(rounds)
            yield ""
            yield work(rounds)


def work(rounds: Sequence[Mapping[str, Values]]) -> str:
    """The processor time of the page and of what feeds it."""
    alone, watched = (
        f"{statistics.median(one[kind][WORK] for one in rounds) * 1e3:.1f} ms"
        for kind in ("alone", "watched")
    )
    return (
        f"All threads but the engine's took {alone} of processor time a second without viewers,"
        f" {watched} with them."
    )


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=12, help="rounds of each load (12)")
    parser.add_argument("--seconds", type=float, default=6.0, help="length of a part (6)")
    parser.add_argument("--viewers", type=int, default=10, help="viewers (10)")
    parser.add_argument("--write", type=Path, help="write the figures into this page")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="httpdyno-viewers-") as folder:
        text = "\n".join(page(options, folder))
    if options.write:
        write_section(options.write, COMMAND, TITLE, text)
    print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
