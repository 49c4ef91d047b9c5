"""Many connections at once: `httpdyno load` against the reference server, both in processes.

One of each where it may have as many files open; else as few as may have them together.
"""

from __future__ import annotations

import json
import math
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from httpdyno.measurement import Measurement

from peers.generators.install import ours
from peers.generators.job import Command
from peers.runs import kernel
from peers.runs.trial import run_beside

LOOK_S = 0.05
SPARE_FILES = 256
"""Of a process, besides its connections."""


@dataclass(frozen=True)
class Crowd:
    """What is asked for."""

    connections: int
    parts: int
    """Processes on each side."""
    rate: float
    seconds: float
    server_cpu: int
    tool_cpu: int

    def share(self, part: int) -> int:
        """Connections of one part."""
        return self.connections // self.parts + (part < self.connections % self.parts)

    @property
    def sources(self) -> int:
        """Loopback addresses of a part: as many as leave half of their ports free."""
        low, high = kernel.limit("net.ipv4.ip_local_port_range")
        return math.ceil(self.share(0) / ((high - low + 1) // 2))


@dataclass(frozen=True)
class Found:
    """One run."""

    driver: str
    load: str
    measurements: Sequence[Measurement]
    peak_bytes: int
    """Of all commands together."""
    at_once: int
    """Most connections that the kernel held at one look, both ends."""
    opening_s: float | None
    """From the first hundredth of the connections to the last; None: never were all there."""
    kernel_bytes: int
    """That the kernel held more with them than before."""
    tcp_bytes: int
    """Of it what lay in sockets."""
    server_bytes: int
    """That the servers held more than before."""

    @property
    def opened(self) -> int:
        """Open at once, by the books and by the kernel."""
        return min(self.at_once, sum(one.connections.peak_open for one in self.measurements))

    @property
    def replies(self) -> int:
        """Right ones."""
        return sum(one.calls.ok for one in self.measurements)

    @property
    def failures(self) -> int:
        """Calls that ended badly or not at all, and connections not made or lost."""
        return sum(
            one.calls.failed
            + one.calls.in_flight
            + one.connections.failed
            + one.connections.closed_by_server
            for one in self.measurements
        )


def parts(connections: int, files: int) -> int:
    """Processes that have so many connections together, where each may have so many files open."""
    return math.ceil(connections / (files - SPARE_FILES))


def run(driver: str, load: str, crowd: Crowd) -> Found:
    """One run of the commands, all at the same time. Raises FailedError."""
    with ExitStack() as stack:
        servers = [stack.enter_context(_server(crowd.server_cpu)) for _ in range(crowd.parts)]
        name = tempfile.TemporaryDirectory(prefix="httpdyno-bench-")
        folders = [Path(stack.enter_context(name)) / str(part) for part in range(crowd.parts)]
        pool = stack.enter_context(ThreadPoolExecutor(crowd.parts))
        processes = [process for process, _ in servers]
        before = _settled(processes)
        running = []
        for part, folder in enumerate(folders):
            folder.mkdir()
            words = _command(driver, load, crowd, part, servers[part][1], folder)
            # Nothing to count: this thread looks.
            job = (Command(words), folder, crowd.tool_cpu, lambda: 0, crowd.seconds, 10 * LOOK_S)
            running.append(pool.submit(run_beside, *job))
        looks = _watch(running, processes)
        for one in running:
            one.result()
        records = [_read(folder / "measurement.json") for folder in folders]
        return Found(
            driver,
            load,
            [Measurement.model_validate(record["measurement"]) for record in records],
            sum(_read(folder / "spent.json")["peak_bytes"] for folder in folders),
            max(held.sockets - before.sockets for _, held in looks) // 2,
            opening(looks, before.sockets, crowd.connections),
            max(held.kernel_bytes for _, held in looks) - before.kernel_bytes,
            max(held.tcp_bytes for _, held in looks) - before.tcp_bytes,
            max(held.process_bytes for _, held in looks) - before.process_bytes,
        )


def opening(
    looks: Sequence[tuple[float, kernel.Held]], before: int, connections: int
) -> float | None:
    """Seconds from the first hundredth of the connections, both ends, to the last."""
    ends = 2 * connections
    begun = [moment for moment, held in looks if held.sockets >= before + ends / 100]
    there = [moment for moment, held in looks if held.sockets >= before + ends]
    return there[0] - begun[0] if there else None


def _settled(processes: Sequence[int]) -> kernel.Held:
    """What is held once the sockets of a run before are gone, or after 10 s."""
    held = kernel.look(processes)
    for _ in range(20):
        time.sleep(10 * LOOK_S)
        last, held = held, kernel.look(processes)
        if held.sockets >= last.sockets:
            break
    return held


def _watch(
    running: Sequence[Future[object]], processes: Sequence[int]
) -> list[tuple[float, kernel.Held]]:
    """What the kernel and the servers hold, until all have ended."""
    looks = [(time.monotonic(), kernel.look(processes))]
    while not all(one.done() for one in running):
        time.sleep(LOOK_S)
        looks.append((time.monotonic(), kernel.look(processes)))
    return looks


def _command(
    driver: str, load: str, crowd: Crowd, part: int, address: str, folder: Path
) -> list[str]:
    program = str(Path(sys.executable).with_name("httpdyno"))
    words = [program, "load", f"http://{address}/pong", "--quiet", "--driver", driver]
    words += ["--connections", str(crowd.share(part)), "--duration", f"{crowd.seconds:g}s"]
    words += ["--json", str(folder / "measurement.json")]
    words += ["--rate", f"{crowd.rate / crowd.parts:g}"] if load == "open" else []
    for number in range(crowd.sources):
        words += ["--source", f"127.0.0.{number + 2}"]
    return words


@contextmanager
def _server(cpu: int) -> Iterator[tuple[int, str]]:
    """A reference server of its own: its process and its address."""
    words = [str(ours("httpdyno-reference")), "--listen", "127.0.0.1:0", "--cpus", str(cpu)]
    with subprocess.Popen(
        words, stdout=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        try:
            assert process.stdout is not None
            yield process.pid, process.stdout.readline().split()[-1]
        finally:
            os.killpg(process.pid, signal.SIGKILL)


def _read(path: Path) -> dict[str, object]:
    return json.loads(path.read_text(encoding="utf-8"))
