"""The journal of a verb while it measures, which `httpdyno serve` follows."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING

from httpdyno.doubts import suspect_numbers
from httpdyno.errors import HttpdynoError
from httpdyno.output.secrets import masked_command, masked_text
from httpdyno.running.live.events import Events, RunEnds
from httpdyno.running.live.recorder import Recorder, begun, pausing
from httpdyno.units import duration, percent, rate

if TYPE_CHECKING:
    from httpdyno.doubts import Number
    from httpdyno.engine_plan import Target
    from httpdyno.measurement import Measurement
    from httpdyno.run import Ended
    from httpdyno.running.live.events import Outcome
    from httpdyno.servers import UsageMeter
    from httpdyno.verdict import Verdict

__all__ = ["end_of", "end_of_load", "meter_of", "own_command", "recorded", "recorded_study"]

_OUTCOMES: dict[bool, Outcome] = {True: "interrupted", False: "complete"}


@contextmanager
def recorded(verb: str, command: str, title: str, *, pausable: bool = False) -> Iterator[Events]:
    """The events of a measurement, which are also written into its journal.

    An error, or a request to stop, is the end that they may lack.
    """
    journal = begun(verb, command, title)
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
    return recorded(verb, shlex.join(words), title, pausable=True)


def own_command() -> str:
    """The command line of this process, credentials masked."""
    return shlex.join(_text(masked_command(["httpdyno", *sys.argv[1:]])))


def end_of(ended: Ended) -> RunEnds:
    """The end of a study, with its answer and the limits of that, as its report has them."""
    outcome = _OUTCOMES[ended.interrupted]
    report = None if ended.report is None else str(ended.report.html)
    if ended.result is None:
        return RunEnds(outcome, stored=ended.stored, planned=ended.planned, report=report)
    from httpdyno.report.contents.answer import answer
    from httpdyno.report.contents.banners import banners
    from httpdyno.report.contents.rows.arms import labels
    from httpdyno.report.text.safe import safe

    shown = safe(ended.result)
    return RunEnds(
        outcome,
        answer=answer(shown, labels(shown)).lead,
        limits=[(one.severity, one.sentence, one.section) for one in banners(shown)],
        stored=ended.stored,
        planned=ended.planned,
        report=report,
    )


def end_of_load(measured: Measurement, verdict: Verdict) -> RunEnds:
    """The end of a load."""
    outcome = _OUTCOMES[measured.stopped_by == "interrupt"]
    return RunEnds(outcome, answer=_load_answer(measured, verdict))


def _load_answer(measured: Measurement, verdict: Verdict) -> str:
    """The numbers of a load in a sentence, with the first reason to doubt them."""
    why = verdict.reasons[0].text if verdict.reasons else ""
    if verdict.status == "invalid":
        return f"No result: {why}."
    doubted, times = suspect_numbers(verdict.status, verdict.reasons), measured.times.response

    def marked(number: Number, value: str) -> str:
        return f"{value}?" if number in doubted else value

    parts = [f"{marked('throughput', rate(measured.throughput_per_s))} right replies"]
    if times.count:
        parts.append(f"p50 {marked('p50', duration(times.p50_ns * 1e-9))}")
        parts.append(f"p99 {marked('p99', duration(times.p99_ns * 1e-9))}")
    parts.append(f"{marked('errors', percent(measured.error_share))} failed")
    return f"{', '.join(parts)}.{f' A number marked ? is suspect: {why}.' if doubted else ''}"


def meter_of(target: Target) -> UsageMeter | None:
    """A meter of the server, if it is a process of this machine that this user may read."""
    from httpdyno.servers.process.elsewhere.attached import AttachedServer

    meter = AttachedServer(target).usage_meter()
    if meter is not None:
        meter.snapshot()  # finds its processes
    return meter


def _text(words: Sequence[str]) -> list[str]:
    """The words as text, whatever bytes they were."""
    return [word.encode(errors="backslashreplace").decode() for word in words]
