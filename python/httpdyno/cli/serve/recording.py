"""The journal of a verb while it measures, which `httpdyno serve` follows."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING

from httpdyno.errors import HttpdynoError
from httpdyno.output.secrets import masked_command, masked_text
from httpdyno.running.live.events import Events, RunEnds
from httpdyno.running.live.recorder import Recorder, begin_journal, pausing

if TYPE_CHECKING:
    from httpdyno.engine_plan import Target
    from httpdyno.servers import UsageMeter

__all__ = ["meter_of", "own_command", "record_events", "recorded_study"]


@contextmanager
def record_events(
    verb: str, command: str, title: str, *, pausable: bool = False
) -> Iterator[Events]:
    """The events of a measurement, which are also written into its journal.

    An error, or a request to stop, is the end that they may lack.
    """
    journal = begin_journal(verb, command, title)
    events, recorder = Events(), Recorder(journal)
    if pausable:
        events.add(pausing(journal.pause, events))
    events.add(recorder)
    try:
        yield events
    except BaseException as error:
        if not recorder.has_end:
            text = masked_text(str(error)) if isinstance(error, HttpdynoError) else ""
            failed = isinstance(error, Exception)
            events.send(RunEnds("failed" if failed else "interrupted", text))
        raise
    finally:
        journal.close()


def recorded_study(command: str, title: str) -> AbstractContextManager[Events]:
    """The events of a study, which its page can pause."""
    words = masked_command(shlex.split(command))
    verb = words[1] if len(words) > 1 else "run"
    return record_events(verb, shlex.join(words), title, pausable=True)


def own_command() -> str:
    """The command line of this process, credentials masked."""
    return shlex.join(_text(masked_command(["httpdyno", *sys.argv[1:]])))


def meter_of(target: Target) -> UsageMeter | None:
    """A meter of the server, if it is a process of this machine that this user may read."""
    from httpdyno.servers.process.attached_server import AttachedServer

    meter = AttachedServer(target).usage_meter()
    if meter is not None:
        meter.snapshot()  # finds its processes
    return meter


def _text(words: Sequence[str]) -> list[str]:
    """The words as text, whatever bytes they were."""
    return [word.encode(errors="backslashreplace").decode() for word in words]
