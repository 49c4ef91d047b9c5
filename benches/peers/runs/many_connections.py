"""Many connections at once: `httpdyno load` against the reference server, in separate processes.

One process each, or as few as the limit of open files allows.
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
"""Open files of a process besides its connections."""


@dataclass(frozen=True)
class Crowd:
    """The parameters of a run."""

    connections: int
    parts: int
    """Number of processes on each side."""
    rate: float
    seconds: float
    server_cpu: int
    tool_cpu: int

    def share(self, part: int) -> int:
        """Number of connections of one process."""
        return self.connections // self.parts + (part < self.connections % self.parts)

    @property
    def sources(self) -> int:
        """Number of loopback addresses per process: enough to use only half of their ports."""
        low, high = kernel.limit("net.ipv4.ip_local_port_range")
        return math.ceil(self.share(0) / ((high - low + 1) // 2))


@dataclass(frozen=True)
class Found:
    """One run."""

    driver: str
    load: str
    measurements: Sequence[Measurement]
    peak_bytes: int
    """Peak memory of all commands together."""
    at_once: int
    """Most connections in a snapshot of the kernel, from both ends."""
    opening_s: float | None
    """Time from 1 % of the connections to all; None: not all were opened."""
    kernel_bytes: int
    """Additional memory of the kernel."""
    tcp_bytes: int
    """The part of it in socket buffers."""
    server_bytes: int
    """Additional memory of the servers."""

    @property
    def opened(self) -> int:
        """Number open at once, by the measurements and by the kernel."""
        return min(self.at_once, sum(one.connections.peak_open for one in self.measurements))

    @property
    def replies(self) -> int:
        """Number of right replies."""
        return sum(one.calls.ok for one in self.measurements)

    @property
    def failures(self) -> int:
        """Number of failed or unfinished calls, and of failed or lost connections."""
        return sum(
            one.calls.failed
            + one.calls.in_flight
            + one.connections.failed
            + one.connections.closed_by_server
            for one in self.measurements
        )


def parts(connections: int, files: int) -> int:
    """Number of processes needed for the connections, with this limit of open files each."""
    return math.ceil(connections / (files - SPARE_FILES))


def run(driver: str, load: str, crowd: Crowd) -> Found:
    """Run the commands, all at the same time. Raises FailedError."""
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
            # Nothing to count: this thread takes snapshots.
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
    """Seconds from 1 % of the connections to all, counted from both ends."""
    ends = 2 * connections
    begun = [moment for moment, held in looks if held.sockets >= before + ends / 100]
    there = [moment for moment, held in looks if held.sockets >= before + ends]
    return there[0] - begun[0] if there else None


def _settled(processes: Sequence[int]) -> kernel.Held:
    """A snapshot once the sockets of an earlier run are gone, or after 10 s."""
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
    """Snapshots until all commands have ended."""
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
    """Start a reference server; yields its process ID and address."""
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
