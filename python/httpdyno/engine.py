"""The typed interface of the compiled engine: a plan goes in, a measurement comes out.

The engine is imported on first use, so that the command line starts fast. Times are seconds unless
a name ends in `_ns`; rates are per second.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from time import monotonic
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict

from httpdyno.engine_plan import EnginePlan
from httpdyno.errors import (
    EnvironmentFault,
    HttpdynoError,
    InternalFault,
    TargetError,
    UsageError,
)
from httpdyno.measurement import Measurement

if TYPE_CHECKING:
    from httpdyno import _engine
    from httpdyno.measurement.call_log import CallLog

__all__ = [
    "EnginePlan",
    "Phase",
    "Probe",
    "Progress",
    "Running",
    "Traced",
    "hgrm",
    "measure",
    "merge",
    "probe",
    "quantiles",
    "reference",
    "start",
]

Phase = Literal["connecting", "warm_up", "measuring", "draining", "done"]

EVERY_S = 0.25
"""The interval at which progress is read: a few times a second cost nothing measurable."""
ABANDONED_WITHIN_S = 2.0
"""The longest wait for the engine's threads when nobody wants the result."""

_FAULTS: dict[str, type[HttpdynoError]] = {
    "usage": UsageError,
    "target": TargetError,
    "environment": EnvironmentFault,
    "internal": InternalFault,
}


class _Answer(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class Progress(_Answer):
    """A snapshot of a run: counts and response times of the window so far, rate and percentiles of
    the last second."""

    phase: Phase
    elapsed_s: float
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

    def quantile(self, at: float) -> int | None:
        """The response time (ns) at this quantile of `so_far`; None: there is none yet."""
        rank = at * sum(count for _, count in self.so_far)
        seen = 0
        for ns, count in self.so_far:
            seen += count
            if seen >= rank:
                return ns
        return None


OnProgress = Callable[[Progress], None]


class Probe(_Answer):
    """The driver that `auto` chooses on this machine, and why others cannot be used."""

    chosen: Literal["io_uring", "epoll"]
    reason: str
    io_uring: str | None
    """Why io_uring cannot be used; None when it can."""
    epoll: str | None
    """Why epoll cannot be used; None when it can."""


class Traced(NamedTuple):
    """A part of a call in the trace."""

    call: int
    """The number of the call, in the order in which calls were begun."""
    part: Literal["request_head", "request_body", "reply_head", "reply_body"]
    """The head of a reply includes interim replies; its body is without the framing of chunks."""
    content: bytes


class Running:
    """A run under way on the engine's threads; as a context manager, an error inside ends it."""

    def __init__(self, run: _engine.Run) -> None:
        self._run = run

    def __enter__(self) -> Running:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is not None:
            self.abandon()

    def wait(self, phase: Phase, timeout_s: float) -> bool:
        """Waits at most `timeout_s`; True once the run is in `phase` or a later one."""
        return bool(_call(self._run.wait, phase, timeout_s))

    def follow(
        self,
        phase: Phase,
        on_progress: OnProgress | None = None,
        every_s: float = EVERY_S,
        within_s: float = math.inf,
    ) -> None:
        """Waits for `phase` and reports progress every `every_s`.

        A progress that cannot be read or shown does not end the run. Raises InternalFault when the
        phase does not come within `within_s`.
        """
        deadline = monotonic() + within_s
        while not self.wait(phase, every_s):
            if on_progress is not None:
                with suppress(Exception):
                    on_progress(self.progress())
            if monotonic() > deadline:
                raise InternalFault(f"the engine did not reach `{phase}` in {within_s:.0f} s")

    def progress(self) -> Progress:
        """A snapshot of the run."""
        return Progress.model_validate_json(_call(self._run.progress))

    def stop(self) -> None:
        """Stops the run in whatever phase it is: no new calls. A second time: no more waiting."""
        _call(self._run.stop)

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

    def result(self) -> Measurement:
        """The measurement; waits for the end of the run. A stopped run has a partial one.

        Raises TargetError when the target cannot be reached, EnvironmentFault when this machine
        does not let the engine work.
        """
        return Measurement.model_validate_json(_call(self._run.result))

    def whole(self) -> bytes:
        """Everything that the measurement is computed from, for `merge`; waits for the end."""
        return bytes(_call(self._run.whole))

    def call_log(self) -> CallLog:
        """The call log; waits for the end of the run. Empty if the plan asks for none."""
        from httpdyno.measurement.call_log import read  # noqa: PLC0415 - numpy, on first use

        return read(_call(self._run.call_log))

    def trace(self) -> list[Traced]:
        """The bytes of calls, call by call; waits for the end of the run. Empty if the plan asks
        for none."""
        return [Traced(*part) for part in _call(self._run.trace)]


def start(plan: EnginePlan, at: int | None = None) -> Running:
    """Starts a run of `plan`. It goes through the phases on the engine's own threads.

    `at` is the start of its schedule by this machine's wall clock, in nanoseconds since 1970, at
    most a minute ahead; until then the run is `connecting`. None: as soon as the server is reached.

    Raises UsageError when the plan is wrong or `at` has passed, EnvironmentFault when this machine
    cannot run it.
    """
    return Running(_call(_compiled().start, plan.model_dump_json(by_alias=True), at))


def merge(plan: EnginePlan, parts: Sequence[bytes]) -> Measurement:
    """The measurement of several machines as one, from the `whole()` of each; in any order.

    `plan` is that of the whole. Raises UsageError when a result is damaged, missing, given twice,
    of another plan or of another version of the engine.
    """
    document = plan.model_dump_json(by_alias=True)
    return Measurement.model_validate_json(_call(_compiled().merge, document, list(parts)))


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
    return Probe.model_validate_json(_call(_compiled().probe))


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
    server = _call(_compiled().Reference, listen, list(pages), threads, cpus, keep_arrivals)
    try:
        yield server
    finally:
        server.stop()


def quantiles(hdr: str, at: Sequence[float]) -> list[int]:
    """The values (ns) at the quantiles `at` (0 to 1) of a measurement's histogram."""
    return list(_call(_compiled().quantiles, hdr, list(at)))


def hgrm(hdr: str, unit_ns: int = 1_000_000) -> str:
    """The percentile text that HdrHistogram's tools plot, in units of `unit_ns`."""
    return str(_call(_compiled().hgrm, hdr, unit_ns))


def _compiled() -> Any:
    try:
        from httpdyno import _engine  # noqa: PLC0415 - on first use
    except ImportError as absent:
        raise EnvironmentFault(
            f"the compiled engine `httpdyno._engine` cannot be loaded: {absent}", hint="make setup"
        ) from absent
    return _engine


def _call(call: Callable[..., Any], *arguments: Any) -> Any:
    """Calls the engine, and raises its error as one of ours."""
    compiled = _compiled()
    try:
        return call(*arguments)
    except compiled.EngineError as error:
        kind, message, hint = error.args
        raise _FAULTS.get(kind, InternalFault)(message, hint=hint) from error
