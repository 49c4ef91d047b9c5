"""The typed face of the compiled engine: a plan goes in, a measurement comes out.

The plan is plain data and is checked here; the engine is imported on first use, so that the
command line answers without it. Times are seconds unless a name says `_ns`; rates are per second.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal

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

__all__ = [
    "EnginePlan",
    "Phase",
    "Probe",
    "Progress",
    "Running",
    "hgrm",
    "measure",
    "probe",
    "quantiles",
    "reference",
    "start",
]

Phase = Literal["connecting", "warm_up", "measuring", "draining", "done"]

_FAULTS: dict[str, type[HttpdynoError]] = {
    "usage": UsageError,
    "target": TargetError,
    "environment": EnvironmentFault,
    "internal": InternalFault,
}


class _Answer(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class Progress(_Answer):
    """A run under way: counts of the window so far; rate and percentiles of the last second."""

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


class Probe(_Answer):
    """The driver that `auto` takes on this machine, and why the others would not do."""

    chosen: Literal["io_uring", "epoll"]
    reason: str
    io_uring: str | None
    """Why io_uring cannot be used; None when it can."""
    epoll: str | None
    """Why epoll cannot be used; None when it can."""


class Running:
    """A run under way on the engine's threads."""

    def __init__(self, run: _engine.Run) -> None:
        self._run = run

    def wait(self, phase: Phase, timeout_s: float) -> bool:
        """Wait at most `timeout_s`; True once `phase` or a later one is reached."""
        return bool(_asked(self._run.wait, phase, timeout_s))

    def progress(self) -> Progress:
        """What the run has done so far."""
        return Progress.model_validate_json(_asked(self._run.progress))

    def stop(self) -> None:
        """Stop the run in whatever phase it is: no new requests; a second time, no more waiting."""
        _asked(self._run.stop)

    def result(self) -> Measurement:
        """The measurement; waits for the end of the run. A stopped run has a partial one.

        Raises TargetError when the target cannot be reached, EnvironmentFault when this machine
        does not let the engine work.
        """
        return Measurement.model_validate_json(_asked(self._run.result))


def start(plan: EnginePlan) -> Running:
    """Start a run of `plan`. It goes through the phases on the engine's own threads.

    Raises UsageError when the plan is wrong, EnvironmentFault when this machine cannot run it.
    """
    return Running(_asked(_compiled().start, plan.model_dump_json(by_alias=True)))


def measure(
    plan: EnginePlan, on_progress: Callable[[Progress], None] | None = None, every_s: float = 0.25
) -> Measurement:
    """Run `plan` to its end, and report its progress every `every_s`.

    Ctrl-C stops the run and keeps the partial result; a second Ctrl-C also stops the waiting for
    replies.
    """
    running = start(plan)
    while True:
        try:
            _follow(running, on_progress, every_s)
            return running.result()
        except KeyboardInterrupt:
            running.stop()
        except BaseException:
            running.stop()
            raise


def _follow(
    running: Running, on_progress: Callable[[Progress], None] | None, every_s: float
) -> None:
    while not running.wait("done", every_s):
        if on_progress is not None:
            on_progress(running.progress())


def probe() -> Probe:
    """Which driver this machine can use, found by trying."""
    return Probe.model_validate_json(_asked(_compiled().probe))


@contextmanager
def reference(
    listen: str = "127.0.0.1:0",
    pages: Sequence[tuple[str, str, bytes]] = (),
    threads: int = 1,
    cpus: list[int] | None = None,
    keep_arrivals: bool = False,
) -> Iterator[_engine.Reference]:
    """The reference server, from entry to exit; `address` of what it yields says where it listens.

    A page is (path, content type, body); `/echo` is built in. `keep_arrivals`: it never sleeps, and
    keeps when each request was read for `take_arrivals`.
    """
    server = _asked(_compiled().Reference, listen, list(pages), threads, cpus, keep_arrivals)
    try:
        yield server
    finally:
        server.stop()


def quantiles(hdr: str, at: Sequence[float]) -> list[int]:
    """The values (ns) at the quantiles `at` (0 to 1) of a measurement's histogram."""
    return list(_asked(_compiled().quantiles, hdr, list(at)))


def hgrm(hdr: str, unit_ns: int = 1_000_000) -> str:
    """The percentile text that HdrHistogram's tools plot, in units of `unit_ns`."""
    return str(_asked(_compiled().hgrm, hdr, unit_ns))


def _compiled() -> Any:
    try:
        from httpdyno import _engine  # noqa: PLC0415 - on use: the command line answers without it
    except ImportError as absent:
        raise EnvironmentFault(
            f"the compiled engine `httpdyno._engine` cannot be loaded: {absent}", hint="make setup"
        ) from absent
    return _engine


def _asked(call: Callable[..., Any], *arguments: Any) -> Any:
    """Call the engine, and raise its error as one of ours."""
    compiled = _compiled()
    try:
        return call(*arguments)
    except compiled.EngineError as error:
        kind, message, hint = error.args
        raise _FAULTS.get(kind, InternalFault)(message, hint=hint) from error
