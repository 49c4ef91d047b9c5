"""Requests to stop: SIGINT (Ctrl-C), SIGTERM and SIGHUP, which mean the same everywhere.

The first asks the work to stop and says at once what is still waited for; the second gives up that
waiting; the third leaves whatever happens. The exit code is 130 for all of them. SIGHUP stays
ignored where it is (`nohup`).

    leave_at_once()                      where there is nothing to put away: while Python imports,
                                         and in each verb until it begins its work
    with stoppable("…") as stop:         a request raises KeyboardInterrupt in the body
    with stoppable("…", ask=f) as stop:  a request calls `f`; the body ends by itself, and
                                         `stop.requested` says that it was asked to
    beside(work)                         the result of work that a signal cannot interrupt

This module imports next to nothing, because it is the first that is loaded.
"""

from __future__ import annotations

import _thread
import atexit
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeVar

    T = TypeVar("T")
    WaitingFor = str | Callable[[], str | None] | None

__all__ = [
    "INTERRUPTED",
    "SIGNALS",
    "Interrupt",
    "Stop",
    "beside",
    "leave",
    "leave_at_once",
    "stoppable",
    "tell",
]

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
INTERRUPTED = 130
"""`ExitCode.INTERRUPTED`, whose module is not loaded yet when it is needed."""


class Interrupt(KeyboardInterrupt):
    """A request to stop.

    A KeyboardInterrupt itself must not pass through `eval`, as in the making of a named tuple: then
    CPython ends the process by SIGINT in the end, although it was caught.
    """


def interrupt() -> None:
    """Raise Interrupt."""
    raise Interrupt


def tell(text: str) -> None:
    """Say it on stderr at once, past Python's buffers, which the signal may have interrupted."""
    # A terminal has just shown `^C`, perhaps at the end of a line of progress.
    cleared = "\r\x1b[K" if os.isatty(2) else ""
    with suppress(OSError):  # after SIGHUP the terminal may be gone
        os.write(2, f"{cleared}{text}\n".encode())


class Stop:
    """The requests to stop that one body of work has received.

    The body may change each attribute while it works.
    """

    def __init__(
        self, waiting_for: WaitingFor, ask: Callable[[], None], say: Callable[[str], None]
    ) -> None:
        self.waiting_for = waiting_for
        """Returns, as a noun phrase, what the body still waits for after a request to stop."""
        self.ask = ask
        """Called for the first request and for the second; the second means: do not wait."""
        self.say = say
        """Shows a line to the user at once."""
        self.requests = 0
        self._lost = False

    @property
    def requested(self) -> bool:
        """True after a request to stop."""
        return self.requests > 0

    def receive(self, _signal: int, _frame: FrameType | None) -> None:
        """Handle a signal."""
        if self._lost:
            self._lost = False
            return self.ask()
        self.requests += 1
        if self.requests > 2:
            raise Interrupt
        self.say("stopping" + (self._wait() if self.requests == 1 else ": not waiting any longer"))
        return self.ask()

    def repeat(self) -> None:
        """Ask again, when Python had to drop what `ask` raised."""
        self._lost = True
        # Not at once: that would be in the midst of the same destructor or callback.
        _thread.start_new_thread(_interrupt_soon, (_thread.get_ident(),))

    def _wait(self) -> str:
        what = self.waiting_for() if callable(self.waiting_for) else self.waiting_for
        return f": waiting for {what} (Ctrl-C again to give up)" if what else ""


def _interrupt_soon(thread: int) -> None:
    time.sleep(0.01)
    signal.pthread_kill(thread, signal.SIGINT)


@contextmanager
def stoppable(
    waiting_for: WaitingFor = None,
    *,
    ask: Callable[[], None] = interrupt,
    say: Callable[[str], None] = tell,
) -> Iterator[Stop]:
    """Within the body, requests to stop go to the `Stop` that this yields; then to whom they did.

    Outside of the main thread, which alone receives signals, nothing changes.
    """
    stop = Stop(waiting_for, ask, say)
    hook = sys.unraisablehook

    def unraisable(dropped: sys.UnraisableHookArgs) -> None:
        """Called for what is raised in a destructor or a callback, which a signal may interrupt."""
        if isinstance(dropped.exc_value, Interrupt):
            stop.repeat()
        else:
            hook(dropped)

    before = _handle(stop.receive)
    sys.unraisablehook = unraisable
    try:
        yield stop
    finally:
        sys.unraisablehook = hook
        for number, handler in before.items():
            signal.signal(number, handler)


def beside(work: Callable[[], T]) -> T:
    """Do `work` on a thread of its own, so that this one hears requests to stop at once.

    For what does not return to Python when a signal comes, such as looking up a name. Work that a
    request interrupts is left to itself; it ends with the process at the latest.
    """
    from threading import Thread  # here, because this module is loaded first

    outcome: list[tuple[bool, Any]] = []

    def run() -> None:
        try:
            outcome.append((True, work()))
        except BaseException as error:
            outcome.append((False, error))

    thread = Thread(target=run, daemon=True)
    thread.start()
    while thread.is_alive():
        thread.join(0.1)
    done, value = outcome[0]
    if not done:
        raise value
    return value  # type: ignore[no-any-return]


def leave_at_once() -> None:
    """From now on, a request to stop ends the process with exit code 130, and without a word.

    Once Python takes itself down, it changes nothing any more: the exit code is decided.
    """
    _handle(leave)
    atexit.register(_ignore)  # the first that is registered is the last that is called


def _ignore() -> None:
    # Python gives its own handlers up before it ends, and a signal would end it. It keeps this.
    for number in SIGNALS:
        with suppress(ValueError):  # not the main thread
            signal.signal(number, signal.SIG_IGN)


def leave(_signal: int = 0, _frame: FrameType | None = None) -> None:
    """End the process at once, with exit code 130 and without a word."""
    # Not an exception: Python would show it, or lose it, in the midst of an import or of its end.
    os._exit(INTERRUPTED)


def _handle(handler: Callable[[int, FrameType | None], None]) -> dict[signal.Signals, Any]:
    """Let `handler` handle the signals; what handled them before."""
    before: dict[signal.Signals, Any] = {}
    for number in SIGNALS:
        # A shell's background job has SIGINT ignored too; `kill -INT` is to stop it all the same.
        if number == signal.SIGHUP and signal.getsignal(number) == signal.SIG_IGN:
            continue
        try:
            before[number] = signal.signal(number, handler)
        except ValueError:  # not the main thread
            break
    return before
