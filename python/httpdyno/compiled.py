"""The compiled engine as it is: JSON goes in, JSON comes out, and no model is built.

`httpdyno.engine` is its typed interface. Programs that have to start fast, such as `httpdyno ab`,
use this one: loading pydantic takes longer than a short test.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from time import monotonic

from httpdyno.call_log import CallLog
from httpdyno.errors import (
    EnvironmentFault,
    HttpdynoError,
    InternalFault,
    TargetError,
    UsageError,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType
    from typing import Any, Self

    from httpdyno import _engine
    from httpdyno.phases import Phase

__all__ = [
    "EVERY_S",
    "PUBLISHED_S",
    "Document",
    "PlainRun",
    "call",
    "compiled",
    "document",
    "quantiles",
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

_FAULTS: dict[str, type[HttpdynoError]] = {
    "usage": UsageError,
    "target": TargetError,
    "environment": EnvironmentFault,
    "internal": InternalFault,
}


class Document(dict):  # type: ignore[type-arg]
    """A JSON object, whose keys can be read as attributes."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None


def document(text: str) -> Any:
    """A JSON document as it is, without a check: for what this engine has written."""
    return json.loads(text, object_hook=Document)


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


class PlainRun:
    """A run under way on the engine's threads; as a context manager, an error inside ends it."""

    _cpus: Sequence[int] | None = None
    """Processors of the engine's own."""

    def __init__(self, run: _engine.Run, cpus: Sequence[int] | None = None) -> None:
        self._run = run
        self._cpus = cpus

    def __enter__(self) -> Self:
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
        deadline, left_s = monotonic() + timeout_s, timeout_s
        while not call(self._run.wait, phase, min(left_s, SIGNAL_S)):
            left_s = deadline - monotonic()
            if left_s <= 0:
                return False
        return True

    def follow(
        self,
        phase: Phase,
        on_progress: Callable[[Any], None] | None = None,
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

    def progress(self) -> Any:
        """A snapshot of the run, with the fields of `engine.Progress`."""
        return document(self.progress_json())

    def progress_json(self) -> str:
        """A snapshot of the run, as JSON."""
        return str(call(self._run.progress))

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


def start(plan: str, at: int | None = None) -> PlainRun:
    """Starts a run of a plan, which is JSON; fields with a default may be left out.

    Raises UsageError when the plan is wrong or `at` has passed, EnvironmentFault when this machine
    cannot run it.
    """
    return PlainRun(call(compiled().start, plan, at))


def quantiles(hdr: str, at: Sequence[float]) -> list[int]:
    """The values (ns) at the quantiles `at` (0 to 1) of a measurement's histogram."""
    return list(call(compiled().quantiles, hdr, list(at)))


def compiled() -> Any:
    """The module that Rust is compiled to. Raises EnvironmentFault if it cannot be loaded."""
    try:
        from httpdyno import _engine  # noqa: PLC0415 - on first use
    except ImportError as absent:
        raise EnvironmentFault(
            f"the compiled engine `httpdyno._engine` cannot be loaded: {absent}", hint="make setup"
        ) from absent
    return _engine


def call(function: Callable[..., Any], *arguments: Any) -> Any:
    """Calls the engine, and raises its error as one of ours."""
    module = compiled()
    try:
        return function(*arguments)
    except module.EngineError as error:
        kind, message, hint = error.args
        raise _FAULTS.get(kind, InternalFault)(message, hint=hint) from error
