"""Does watching disturb? The same load without a live page, and with ten viewers of one.

    make bench-viewers
    PYTHONPATH=benches python -m live.viewers [--rounds N] [--seconds N] [--viewers N] [--write F]

Each round measures three times, shuffled: without a page (twice), and with a page and its viewers.
The viewers are one thread of this bench that reads and drops their streams, on the load generator's
processor, but only when that is idle (SCHED_IDLE): they stand for people with machines of their
own, whose browsers take nothing from this one. What the kernel does to send them their bytes is the
page's, and is measured. The ratio of the two without a page is the noise of the machine. A closed
load at full speed has no idle time to hide in; an open load shows the lag.

The p99 of a whole load of 6 s follows its few worst moments, whose causes are elsewhere on the
machine. The median over the p99s of its seconds shows what every second has.
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

import numpy as np
from httpdyno import engine
from httpdyno.cli.reference import served_pages
from httpdyno.host import available, machine_facts
from httpdyno.statistics.intervals import mean_interval
from peers.tables.marks import write_section


def p99_of_a_second(record: Mapping[str, Any]) -> float:
    """The median over the seconds of the window, the last of which may be partial."""
    inside = [one["p99_ns"] for one in record["intervals"] if one["second"] >= 0]
    return statistics.median(inside[:-1] or inside)


COMMAND = "make bench-viewers"
TITLE = "## With ten viewers of the live page"
LOADS = {
    "closed, 64 connections": ("--connections", "64"),
    "open, 5,000/s": ("--rate", "5000", "--connections", "64"),
}
KINDS = ("alone", "alone again", "watched")
METRICS = {
    "requests/s": lambda record: record["throughput_per_s"],
    "p50": lambda record: record["times"]["response"]["p50_ns"],
    "p99": lambda record: record["times"]["response"]["p99_ns"],
    "p99 of a second, median": p99_of_a_second,
    "lag p99": lambda record: record["times"]["lag"]["p99_ns"],
}
WARM_UP = "1s"
LONGEST = 1 << 20
Values = Mapping[str, float]


class Viewers:
    """Readers of one stream, all on one thread. They count what they got."""

    def __init__(self, link: str, count: int) -> None:
        self._link = urlsplit(link)
        self._count = count
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
            while streams.get_map():
                for key, _ in streams.select(30):
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


def measured(address: str, flags: Sequence[str], state: str, viewers: int) -> tuple[Values, int]:
    """The numbers of one load, and the events that its viewers got."""
    more = ("--listen", "127.0.0.1:0") if viewers else ()
    with loading(address, [*flags, *more], state) as process:
        watching = None
        if viewers and process.stderr is not None:
            link = re.search(r"http://\S+", process.stderr.readline())
            if link is not None and begun(process, link[0], state):
                watching = Viewers(link[0], viewers)
        stdout, _ = process.communicate()
    if watching is not None:
        watching.wait()
    record: dict[str, Any] = json.loads(stdout)["measurement"]
    values = {name: float(read(record)) for name, read in METRICS.items()}
    return values, 0 if watching is None else watching.events


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
    logs = np.log(np.asarray(values))
    low, high = mean_interval(logs)
    shown = (math.exp(float(one)) for one in (logs.mean(), low, high))
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
        f"`{COMMAND}`, {date}: {options.rounds} rounds of three loads of {options.seconds:g} s"
        f" against the reference server, shuffled; {options.viewers} viewers, on the load"
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
            rounds, events = [], 0
            for number in range(options.rounds):
                found = {}
                for kind in source.sample(KINDS, len(KINDS)):
                    viewers = options.viewers if kind == "watched" else 0
                    more = [*flags, "--duration", f"{options.seconds}s"]
                    found[kind], seen = measured(server.address, more, folder, viewers)
                    events += seen
                rounds.append(found)
                print(f"{title}: round {number + 1} of {options.rounds}", file=sys.stderr)
            each = events / max(1, options.rounds * options.viewers)
            yield ""
            yield f"**{title}**. Each viewer got {each:.0f} updates per load."
            yield ""
            yield from table(rounds)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=12, help="rounds of each load (12)")
    parser.add_argument("--seconds", type=float, default=6.0, help="length of a load (6)")
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
