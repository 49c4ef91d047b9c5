"""The typed interface of the compiled engine: a plan goes in, a measurement comes out.

The engine is imported on first use, and pydantic for the first result, so that the command line
starts fast. Times are seconds unless
a name ends in `_ns`; rates are per second.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, Literal

from httpdyno.compiled import EVERY_S, PlainRun, call, compiled, quantiles
from httpdyno.engine_plan import EnginePlan, to_json
from httpdyno.phases import Phase

if TYPE_CHECKING:
    from httpdyno import _engine
    from httpdyno.measurement import Measurement

__all__ = [
    "EVERY_S",
    "EnginePlan",
    "Probe",
    "Progress",
    "Running",
    "hgrm",
    "measure",
    "merge",
    "probe",
    "quantiles",
    "reference",
    "start",
]


@dataclass(frozen=True, kw_only=True)
class Progress:
    """A snapshot of a run: counts and response times of the window so far, rate and percentiles of
    the last second."""

    phase: Phase
    elapsed_s: float
    window_s: float = 0.0
    """The length of the window up to these counts; the engine publishes them every 0.1 s."""
    due: int
    sent: int
    ok: int
    failed: int
    in_flight: int
    open_connections: int
    rate_per_s: float
    p50_ns: int
    p99_ns: int
    lag_p99_ns: int
    errors: dict[str, int]
    so_far: Sequence[tuple[int, int]] = ()
    """The response times of the whole seconds of the window so far, all threads together: times in
    ns, rising, each with its number of calls. Times are within 0.8 %; calls that timed out have
    their age."""

    @property
    def calls_so_far(self) -> int:
        """The calls of `so_far`."""
        return sum(count for _, count in self.so_far)

    def quantiles(self, at: Sequence[float]) -> list[int]:
        """The response times (ns) at these quantiles of `so_far`, which has some."""
        ranks = list(accumulate(count for _, count in self.so_far))
        return [self.so_far[bisect_left(ranks, one * ranks[-1])][0] for one in at]


OnProgress = Callable[[Progress], None]


@dataclass(frozen=True)
class Probe:
    """The driver that `auto` chooses on this machine, and why others cannot be used."""

    chosen: Literal["io_uring", "epoll"]
    reason: str
    io_uring: str | None
    """Why io_uring cannot be used; None when it can."""
    epoll: str | None
    """Why epoll cannot be used; None when it can."""


class Running(PlainRun):
    """A run under way, whose progress and result are values."""

    def progress(self) -> Progress:
        """A snapshot of the run."""
        return Progress(**json.loads(self.progress_json()))

    def result(self) -> Measurement:
        """The measurement; waits for the end of the run. A stopped run has a partial one.

        Raises TargetError when the target cannot be reached, EnvironmentFault when this machine
        does not let the engine work.
        """
        return _measurement(self.result_json())

    def whole(self) -> bytes:
        """Everything that the measurement is computed from, for `merge`; waits for the end."""
        return bytes(call(self._run.whole))


def start(plan: EnginePlan, at: int | None = None) -> Running:
    """Starts a run of `plan`. It goes through the phases on the engine's own threads.

    `at` is the start of its schedule by this machine's wall clock, in nanoseconds since 1970, at
    most a minute ahead; until then the run is `connecting`. None: as soon as the server is reached.

    Raises UsageError when the plan is wrong or `at` has passed, EnvironmentFault when this machine
    cannot run it.
    """
    return Running(
        call(compiled().start, to_json(plan), at), None if plan.shared_cpus else plan.cpus
    )


def merge(plan: EnginePlan, parts: Sequence[bytes]) -> Measurement:
    """The measurement of several machines as one, from the `whole()` of each; in any order.

    `plan` is that of the whole. Raises UsageError when a result is damaged, missing, given twice,
    of another plan or of another version of the engine.
    """
    return _measurement(call(compiled().merge, to_json(plan), list(parts)))


def _measurement(text: str) -> Measurement:
    # pydantic and its models are loaded once there is something that they read.
    from httpdyno.measurement import Measurement  # noqa: PLC0415

    return Measurement.model_validate_json(text)


def measure(
    plan: EnginePlan, on_progress: OnProgress | None = None, every_s: float = EVERY_S
) -> Measurement:
    """Runs `plan` to its end and reports progress every `every_s`.

    Ctrl-C stops the run and keeps the partial result; a second Ctrl-C also stops the waiting for
    replies.
    """
    with start(plan) as running:
        while True:
            try:
                running.follow("done", on_progress, every_s)
                return running.result()
            except KeyboardInterrupt:
                running.stop()


def probe() -> Probe:
    """Tries the drivers and says which ones this machine can use."""
    return Probe(**json.loads(call(compiled().probe)))


@contextmanager
def reference(
    listen: str = "127.0.0.1:0",
    pages: Sequence[tuple[str, str, bytes]] = (),
    threads: int = 1,
    cpus: list[int] | None = None,
    keep_arrivals: bool = False,
) -> Iterator[_engine.Reference]:
    """Runs the reference server until the body ends; yields it with its `address`.

    A page is (path, content type, body); `/echo` is built in. `keep_arrivals`: it never sleeps, and
    keeps the time of each request for `take_arrivals`.
    """
    server = call(compiled().Reference, listen, list(pages), threads, cpus, keep_arrivals)
    try:
        yield server
    finally:
        server.stop()


def hgrm(hdr: str, unit_ns: int = 1_000_000) -> str:
    """The percentile text that HdrHistogram's tools plot, in units of `unit_ns`."""
    return str(call(compiled().hgrm, hdr, unit_ns))
