"""The typed interface of the compiled engine: a plan goes in, a measurement comes out.

The engine is imported on first use, and pydantic for the first result, so that the command line
starts fast. Times are seconds unless a name ends in `_ns`; rates are per second.
"""

from __future__ import annotations

import json
import os
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import accumulate
from time import monotonic
from typing import TYPE_CHECKING, Any, Self

from httpdyno.call_log import CallLog
from httpdyno.choices import Driver, Phase
from httpdyno.compiled import call, compiled, quantiles
from httpdyno.engine_plan import EnginePlan, to_json
from httpdyno.errors import InternalFault

if TYPE_CHECKING:
    from httpdyno import _engine
    from httpdyno.measurement import Measurement

__all__ = [
    "EVERY_S",
    "PUBLISHED_S",
    "EnginePlan",
    "Probe",
    "Progress",
    "Running",
    "document",
    "hgrm",
    "measure",
    "merge",
    "probe",
    "quantiles",
    "reference",
    "start",
]


EVERY_S = 1.0
"""The interval at which progress is read: whatever shows it changes once a second."""
PUBLISHED_S = 0.2
"""The engine publishes a second within this time after its end."""
SIGNAL_S = 0.25
"""The longest wait without a look for signals: Python handles none while it is in the engine."""
ABANDONED_WITHIN_S = 2.0
"""The longest wait for the engine's threads when nobody wants the result."""


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

    chosen: Driver
    reason: str
    io_uring: str | None
    """Why io_uring cannot be used; None when it can."""
    epoll: str | None
    """Why epoll cannot be used; None when it can."""


@contextmanager
def _only_on(cpus: Sequence[int] | None) -> Iterator[None]:
    """The calling thread on these processors, if it may choose; None: wherever it may run."""
    before = os.sched_getaffinity(0)
    if not cpus:
        yield
        return
    with suppress(OSError):
        os.sched_setaffinity(0, cpus)
    try:
        yield
    finally:
        with suppress(OSError):
            os.sched_setaffinity(0, before)


def _until_next(window_s: float, every_s: float) -> float:
    """The time from a window of this length to the next reading."""
    if every_s < EVERY_S or not window_s:
        return every_s
    return EVERY_S - window_s % EVERY_S + PUBLISHED_S


class Running:
    """A run under way on the engine's threads; as a context manager, an error inside ends it."""

    _cpus: Sequence[int] | None = None
    """Processors of the engine's own."""

    def __init__(self, run: _engine.Run, cpus: Sequence[int] | None = None) -> None:
        self._run = run
        self._cpus = cpus

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None:
            self.abandon()

    def wait(self, phase: Phase, timeout_s: float) -> bool:
        """Waits at most `timeout_s`; True once the run is in `phase` or a later one."""
        deadline, left_s = monotonic() + timeout_s, timeout_s
        while not call(self._run.wait, phase, min(left_s, SIGNAL_S)):
            left_s = deadline - monotonic()
            if left_s <= 0:
                return False
        return True

    def follow(
        self,
        phase: Phase,
        on_progress: OnProgress | None = None,
        every_s: float = EVERY_S,
        within_s: float = float("inf"),
    ) -> None:
        """Waits for `phase` and reports progress every `every_s`.

        Once a second, that is soon after the end of each second of the window. It works on the
        engine's processors, where the engine preempts it; elsewhere the server would have to wait
        for it. A progress that cannot be read or shown does not end the run.
        Raises InternalFault when the phase does not come within `within_s`.
        """
        deadline = monotonic() + within_s
        pause_s = every_s
        with _only_on(self._cpus):
            while not self.wait(phase, pause_s):
                if on_progress is not None:
                    pause_s = every_s
                    with suppress(Exception):
                        progress = self.progress()
                        pause_s = _until_next(progress.window_s, every_s)
                        on_progress(progress)
                if monotonic() > deadline:
                    raise InternalFault(f"the engine did not reach `{phase}` in {within_s:.0f} s")

    def progress(self) -> Progress:
        """A snapshot of the run."""
        return Progress(**json.loads(call(self._run.progress)))

    def stop(self) -> None:
        """Stops the run in whatever phase it is: no new calls. A second time: no more waiting."""
        call(self._run.stop)

    def abandon(self) -> None:
        """Ends the run at once, without waiting for calls in flight; there is no result."""
        self.stop()
        self.stop()
        self.wait("done", ABANDONED_WITHIN_S)

    @property
    def started_at_ns(self) -> int | None:
        """The start of the schedule by the wall clock, in nanoseconds since 1970; None: it has not
        started."""
        at: int | None = self._run.started_at_ns
        return at

    def result_json(self) -> str:
        """The measurement as JSON; waits for the end of the run. A stopped run has a partial one.

        Raises TargetError when the target cannot be reached, EnvironmentFault when this machine
        does not let the engine work.
        """
        return str(call(self._run.result))

    def result(self) -> Measurement:
        """The measurement as a value; else as `result_json`."""
        return _measurement(self.result_json())

    def whole(self) -> bytes:
        """Everything that the measurement is computed from, for `merge`; waits for the end."""
        return bytes(call(self._run.whole))

    def call_log(self) -> CallLog:
        """The call log; waits for the end of the run. Empty if the plan has none."""
        return CallLog(bytes(call(self._run.call_log)))

    def trace(self) -> list[tuple[int, str, bytes]]:
        """The bytes of calls, call by call; waits for the end of the run. Empty if the plan has
        none.

        Each has the number of its call, in the order in which calls were begun, and the name of its
        part: `request_head`, `request_body`, `reply_head` or `reply_body`. The head of a reply
        includes interim replies; its body is without the framing of chunks.
        """
        return list(call(self._run.trace))


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


class Document(dict):  # type: ignore[type-arg]
    """A JSON object, whose keys can be read as attributes."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None


def document(text: str) -> Any:
    """A JSON document as it is, without a check: for what this engine has written.

    A program reads its result so if it has to start fast: loading pydantic takes longer than a
    short test."""
    return json.loads(text, object_hook=Document)


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
