"""The journal of a verb while it measures, which `httpdyno serve` follows."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Protocol

from httpdyno.doubts import suspect_numbers
from httpdyno.errors import HttpdynoError
from httpdyno.output.secrets import masked_command, masked_text
from httpdyno.running.live.recorder import Recorder, Samples, begun
from httpdyno.units import duration, percent, rate

if TYPE_CHECKING:
    from collections.abc import Callable

    from httpdyno.doubts import Number
    from httpdyno.engine import Progress
    from httpdyno.engine_plan import EnginePlan, Target
    from httpdyno.measurement import Measurement
    from httpdyno.result import StudyResult
    from httpdyno.run import Ended
    from httpdyno.running.listener import Listener
    from httpdyno.running.live.journal import Journal
    from httpdyno.servers import UsageMeter
    from httpdyno.verdict import Verdict

__all__ = ["LoadRecord", "StudyRecord", "closing", "own_command", "recorded_load", "recorded_study"]

_OUTCOMES = {True: "interrupted", False: "complete"}


class StudyRecord(Recorder):
    """The journal of a study, with its end."""

    def __init__(self, shown: Listener, journal: Journal) -> None:
        super().__init__(shown, journal)
        self.told_its_end = False

    def ended(self, ended: Ended) -> None:
        """Write how the run ended."""
        report = None if ended.report is None else str(ended.report.html)
        self._journal.add(
            "end",
            outcome=_OUTCOMES[ended.interrupted],
            stored=ended.stored,
            planned=ended.planned,
            report=report,
            **_answer(ended.result),
        )
        self.told_its_end = True


class LoadRecord:
    """The journal of a load."""

    def __init__(self, journal: Journal, *, reads_server: bool) -> None:
        self._journal = journal
        self._samples = Samples(journal)
        self._reads_server = reads_server
        self.told_its_end = False

    def begin(self, plan: EnginePlan) -> None:
        """Write the load."""
        self._samples.begin(plan, _meter(plan.target) if self._reads_server else None)

    def follower(self, show: Callable[[Progress], None] | None) -> Callable[[Progress], None]:
        """Writes each progress, and shows it."""

        def follow(progress: Progress) -> None:
            self._samples.add(progress)
            if show is not None:
                show(progress)

        return follow

    def ended(self, measured: Measurement, verdict: Verdict) -> None:
        """Write the result."""
        times = measured.times.response
        self._journal.add(
            "result",
            status=verdict.status,
            reasons=[reason.text for reason in verdict.reasons[:5]],
            suspect=suspect_numbers(verdict.status, verdict.reasons),
            throughput_per_s=measured.throughput_per_s,
            p50_ns=times.p50_ns,
            p99_ns=times.p99_ns,
            error_share=measured.error_share,
        )
        outcome = _OUTCOMES[measured.stopped_by == "interrupt"]
        self._journal.add("end", outcome=outcome, answer=_load_answer(measured, verdict))
        self.told_its_end = True


def _answer(result: StudyResult | None) -> dict[str, Any]:
    """The answer of a run and its limits, as its report has them."""
    if result is None:
        return {}
    from httpdyno.report.contents.answer import answer
    from httpdyno.report.contents.banners import banners
    from httpdyno.report.contents.rows.arms import labels
    from httpdyno.report.text.safe import safe

    shown = safe(result)
    limits = [(one.severity, one.sentence, one.section) for one in banners(shown)]
    return {"answer": answer(shown, labels(shown)).lead, "limits": limits}


def _load_answer(measured: Measurement, verdict: Verdict) -> str:
    """The numbers of a load in a sentence, with the first reason to doubt them."""
    why = verdict.reasons[0].text if verdict.reasons else ""
    if verdict.status == "invalid":
        return f"No result: {why}."
    doubted, times = suspect_numbers(verdict.status, verdict.reasons), measured.times.response

    def said(number: Number, value: str) -> str:
        return f"{value}?" if number in doubted else value

    parts = [f"{said('throughput', rate(measured.throughput_per_s))} right replies"]
    if times.count:
        parts.append(f"p50 {said('p50', duration(times.p50_ns * 1e-9))}")
        parts.append(f"p99 {said('p99', duration(times.p99_ns * 1e-9))}")
    parts.append(f"{said('errors', percent(measured.error_share))} failed")
    return f"{', '.join(parts)}.{f' A number marked ? is suspect: {why}.' if doubted else ''}"


@contextmanager
def recorded_study(shown: Listener, command: str, title: str) -> Iterator[StudyRecord]:
    """A listener that also writes the journal of a study."""
    words = masked_command(shlex.split(command))
    journal = begun(words[1] if len(words) > 1 else "run", shlex.join(words), title)
    record = StudyRecord(shown, journal)
    with closing(record, journal):
        yield record


def own_command() -> str:
    """The command line of this process, credentials masked."""
    return shlex.join(_text(masked_command(["httpdyno", *sys.argv[1:]])))


@contextmanager
def recorded_load(title: str, *, reads_server: bool) -> Iterator[LoadRecord]:
    """The journal of a load, whose command line is that of this process.

    With `reads_server`, it has the CPU and the memory of a server on this machine.
    """
    journal = begun("load", own_command(), title)
    record = LoadRecord(journal, reads_server=reads_server)
    with closing(record, journal):
        yield record


class Ending(Protocol):
    """A record that may have its end already."""

    told_its_end: bool


@contextmanager
def closing(record: Ending, journal: Journal) -> Iterator[None]:
    """Write the end that the record lacks: an error, or a request to stop."""
    try:
        yield
    except BaseException as error:
        if not record.told_its_end:
            told = isinstance(error, HttpdynoError)
            outcome = "failed" if isinstance(error, Exception) else "interrupted"
            journal.add("end", outcome=outcome, text=masked_text(str(error)) if told else "")
        raise
    finally:
        journal.close()


def _meter(target: Target) -> UsageMeter | None:
    """A meter of the server, if it is a process of this machine that this user may read."""
    from httpdyno.servers.process.elsewhere.attached import AttachedServer

    meter = AttachedServer(target).usage_meter()
    if meter is not None:
        meter.snapshot()  # finds its processes
    return meter


def _text(words: Sequence[str]) -> list[str]:
    """The words as text, whatever bytes they were."""
    return [word.encode(errors="backslashreplace").decode() for word in words]
