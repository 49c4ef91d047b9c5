"""One trial: a tool against a freshly started server, measured from outside."""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from peers.generators import install
from peers.generators.job import CannotError, Command, Job, Row
from peers.generators.tool import Tool
from peers.runs.server import SERVERS

SAMPLE_S = 0.05
FEW_TICKS_S = 0.1
PLATEAU = (0.25, 0.95)
"""The rate is that between these shares of all requests, without start and drain."""


class FailedError(Exception):
    """The tool ran but did not do its work; the message says why."""


@dataclass(frozen=True)
class Spent:
    """Cost of a trial, and its work as counted by the server."""

    user_s: float
    system_s: float
    peak_bytes: int
    requests: int
    rate_per_s: float
    note: str | None = None

    @property
    def cpu_us(self) -> float:
        """CPU time per request, [µs]."""
        return (self.user_s + self.system_s) / self.requests * 1e6

    @property
    def user_us(self) -> float:
        """CPU time in user space per request, [µs]."""
        return self.user_s / self.requests * 1e6

    def without(self, start: Spent | None) -> Spent:
        """The same without the cost of starting.

        The kernel separates user and system time only by ticks: a start of a few ticks is
        subtracted in the proportion of this trial, a longer one as measured.
        """
        whole = self.user_s + self.system_s
        if start is None or whole == 0:
            return self
        start_s = start.user_s + start.system_s
        if start_s < FEW_TICKS_S:
            left = max(0.0, 1 - start_s / whole)
            return replace(self, user_s=self.user_s * left, system_s=self.system_s * left)
        user_s = max(0.0, self.user_s - start.user_s)
        system_s = max(0.0, self.system_s - start.system_s)
        return replace(self, user_s=user_s, system_s=system_s)

    def as_dict(self) -> dict[str, object]:
        """As plain values for JSON."""
        return {**asdict(self), "cpu_us": self.cpu_us, "user_us": self.user_us}


@dataclass(frozen=True)
class Place:
    """The server, and the processors of server and tool."""

    server: str
    server_cpu: int
    tool_cpu: int


def trial(
    tool: Tool, program: Path, row: Row, place: Place, seconds: float, **how: float | bool | None
) -> Spent:
    """Run a tool once; `how` may contain `rate` and `once`. Raises CannotError, FailedError."""
    if row.tls and not tool.tls:
        raise CannotError("is not compared over TLS")
    http2 = row.streams is not None
    if http2 and not tool.http2:
        raise CannotError("is not compared over HTTP/2")
    with (
        tempfile.TemporaryDirectory(prefix="httpdyno-bench-") as folder,
        SERVERS[place.server](place.server_cpu, row.calls, row.tls, http2) as served,
    ):
        seconds *= row.longer
        rate = how.get("rate")
        job = Job(
            row,
            served.address,
            seconds,
            Path(folder),
            rate=float(rate) if rate else None,
            server_closes=served.closes,
        )
        if how.get("once"):
            job = job.as_once()
        command = tool.command(str(program), job)
        samples = run_beside(command, job.folder, place.tool_cpu, served.count, seconds)
        if 0 < samples[-1][1] < job.connections:
            raise FailedError(
                f"made {samples[-1][1]:,} requests on {job.connections:,} connections"
            )
        return _spent(job.folder, samples, command.note)


def run_beside(
    command: Command,
    folder: Path,
    cpu: int,
    count: Callable[[], int],
    seconds: float,
    every_s: float = SAMPLE_S,
) -> list[tuple[float, int]]:
    """Run a tool on its core to its end; return the server's counts as (monotonic s, requests).

    The count is read every `every_s`, which takes some time of a core. Leaves `spent.json` and
    `out` in the folder. Raises FailedError.
    """
    words = [str(install.ours("spend")), str(folder / "spent.json"), str(cpu), *command.words]
    end_s = 30 + 6 * seconds
    return _watched(words, command.stdin, folder, count, end_s, every_s)


def _spent(folder: Path, samples: list[tuple[float, int]], note: str | None) -> Spent:
    used = json.loads((folder / "spent.json").read_text(encoding="utf-8"))
    requests = samples[-1][1]
    if requests == 0 or used["status"] != 0:
        stderr = _last_words(folder)
        raise FailedError(f"made {requests:,} requests (exit code {used['status']}): {stderr}")
    return Spent(
        user_s=used["user_s"],
        system_s=used["system_s"],
        peak_bytes=used["peak_bytes"],
        requests=requests,
        rate_per_s=plateau_rate(samples),
        note=note,
    )


def _watched(
    words: list[str],
    stdin: str | None,
    folder: Path,
    count: Callable[[], int],
    end_s: float,
    every_s: float,
) -> list[tuple[float, int]]:
    """Run a command to its end; return the server's counts as (monotonic s, requests)."""
    with (
        Path(stdin or os.devnull).open("rb") as given,
        (folder / "out").open("wb") as out,
        (folder / "stderr").open("wb") as stderr,
    ):
        process = subprocess.Popen(
            words,
            stdin=given,
            stdout=out,
            stderr=stderr,
            start_new_session=True,
            env=_surroundings(),
        )
        try:
            samples = [(time.monotonic(), count())]
            end = samples[0][0] + end_s
            while process.poll() is None:
                if time.monotonic() > end:
                    raise FailedError("did not end in time")
                time.sleep(every_s)
                samples.append((time.monotonic(), count()))
        finally:
            _end(process)
    if process.returncode != 0 or not (folder / "spent.json").exists():
        raise FailedError(_last_words(folder))
    return samples


def _surroundings() -> dict[str, str]:
    """The environment; tools such as siege write to HOME, which is set to the cache."""
    return {**os.environ, "HOME": str(install.folder())}


def _end(process: subprocess.Popen[bytes]) -> None:
    """Kill the process group: a tool may leave children behind."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _last_words(folder: Path) -> str:
    """The last line of stderr, or else of stdout."""
    for name in ("stderr", "out"):
        lines = (folder / name).read_text(encoding="utf-8", errors="replace").strip().splitlines()
        if lines:
            return lines[-1][:200]
    return "no output"


def plateau_rate(samples: list[tuple[float, int]]) -> float:
    """Requests per second between two shares of all requests, interpolated between samples."""
    total = samples[-1][1] - samples[0][1]
    moments = [_moment(samples, samples[0][1] + share * total) for share in PLATEAU]
    elapsed = moments[1] - moments[0]
    return (PLATEAU[1] - PLATEAU[0]) * total / elapsed if elapsed > 0 else 0.0


def _moment(samples: list[tuple[float, int]], wanted: float) -> float:
    for (before_s, before), (after_s, after) in itertools.pairwise(samples):
        if after >= wanted and after > before:
            return before_s + (after_s - before_s) * (wanted - before) / (after - before)
    return samples[-1][0]
