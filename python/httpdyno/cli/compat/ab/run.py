"""One test of `httpdyno ab` on the engine: its progress, its early end, and what came of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from httpdyno.cli.compat.processor_counters import Counters, counters
from httpdyno.cli.signals import stoppable
from httpdyno.compat.ab.abort import gives_up
from httpdyno.compat.ab.options import Options
from httpdyno.compat.ab.plan import plan_of
from httpdyno.engine import Progress, Running, document, start
from httpdyno.engine_plan import EnginePlan
from httpdyno.output.echo import echo

if TYPE_CHECKING:
    from httpdyno.call_log import CallLog
    from httpdyno.measurement import Measurement

__all__ = ["Heartbeat", "Outcome", "run"]

_EVERY_S = 0.1
"""Seconds between two readings of the progress: an error ends the test within this time."""


@dataclass(frozen=True)
class Outcome:
    """A test that ran to its end, or was stopped."""

    plan: EnginePlan
    measured: str
    """The measurement, as JSON."""
    calls: CallLog
    """The call log."""
    replies: Iterable[bytes]
    """With `-v 2`, the replies."""
    heartbeat: Heartbeat
    interrupted: bool
    before: Counters
    """The counters of this machine when the test began."""
    after: Counters

    @property
    def measurement(self) -> Measurement:
        """The measurement, with its fields as they are in JSON."""
        plain: Measurement = document(self.measured)
        return plain


class Heartbeat:
    """The lines of progress on stderr; without them, dots on stdout."""

    def __init__(self, every: int) -> None:
        self._every = every
        self._shown = 0

    def show(self, done: int) -> None:
        """Show each step that so many requests have completed."""
        while self._every and self._shown + self._every <= done:
            self._shown += self._every
            echo(f"Completed {self._shown} requests", err=True)

    def finish(self, done: int) -> None:
        """Show that the test is over."""
        self.show(done)
        if self._every:
            echo(f"Finished {done} requests", err=True)
        else:
            echo("..done")


class _Watch:
    """Follows a test: shows its progress, and stops it when ab would give up."""

    def __init__(self, options: Options, running: Running, heartbeat: Heartbeat) -> None:
        self._options = options
        self._running = running
        self._heartbeat = heartbeat
        self._answered = -1
        self._before: Progress | None = None

    def __call__(self, now: Progress) -> None:
        self._heartbeat.show(now.ok + now.failed)
        answered = now.ok + now.failed - sum(now.errors.values())
        if answered > self._answered:
            self._answered, self._before = answered, now
        if gives_up(self._options, now, self._before):
            self._running.stop()


def run(options: Options, address: str) -> Outcome:
    """Run a test against an address of the host or the proxy.

    A request to stop ends it, and keeps what was measured.
    """
    plan, heartbeat = plan_of(options, address), Heartbeat(options.heartbeat)
    before = counters()
    with start(plan) as running:
        watch = _Watch(options, running, heartbeat)
        with stoppable(ask=running.stop, say=lambda _: None) as stop:
            running.follow("done", watch, _EVERY_S)
        after = counters()
        return Outcome(
            plan=plan,
            measured=running.result_json(),
            calls=running.call_log(),
            replies=_replies(running) if plan.trace is not None else (),
            heartbeat=heartbeat,
            interrupted=stop.requested,
            before=before,
            after=after,
        )


def _replies(running: Running) -> Iterable[bytes]:
    """The bytes of each reply, in the order in which calls were begun."""
    replies: dict[int, bytearray] = {}
    for call, _, content in running.trace():
        replies.setdefault(call, bytearray()).extend(content)
    return map(bytes, replies.values())
