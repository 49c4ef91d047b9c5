"""The journal of a sweep while it measures: each point is a trial."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from httpdyno.cli.serve.recording import closing, own_command
from httpdyno.doubts import suspect_numbers
from httpdyno.running.live.recorder import MOST_REASONS, Samples, begun
from httpdyno.sweep import answer, shown

if TYPE_CHECKING:
    from httpdyno.cli.sweep.measure import Swept, Viewer
    from httpdyno.cli.sweep.program import Program
    from httpdyno.engine import Progress
    from httpdyno.running.live.journal import Journal
    from httpdyno.sweep import Point

__all__ = ["recorded_sweep"]


class SweepRecord:
    """A viewer of a sweep that writes its journal, and passes everything on to another viewer."""

    def __init__(
        self, program: Program, viewer: Viewer, cool_down_s: float, journal: Journal
    ) -> None:
        self._program = program
        self._viewer = viewer
        self._journal = journal
        self._samples = Samples(journal)
        self._rates = program.rates.per_s
        self._each_s = program.seconds() / len(self._rates) + cool_down_s
        self._number = 0
        self.told_its_end = False

    def say(self, text: str) -> None:
        """Pass it on."""
        self._viewer.say(text)

    def begins(self, rate_per_s: float) -> None:
        """Write the point as a trial, and its load."""
        left = self._rates[self._number :]
        self._number += 1
        self._journal.add(
            "trial",
            number=self._number,
            of=len(self._rates),
            left_s=round(self._each_s * len(left), 1),
            arm=self._program.title,
            load=self._program.unit,
            point=f"{shown(rate_per_s)}/s",
            block=0,
            task="measure",
        )
        self._samples.begin(self._program.at(rate_per_s), None)
        self._viewer.begins(rate_per_s)

    def progress(self, progress: Progress) -> None:
        """Write a sample."""
        with suppress(Exception):
            self._samples.add(progress)
        self._viewer.progress(progress)

    def ends(self, point: Point) -> None:
        """Write the numbers of the point and its verdict."""
        measured, times = point.measurement, point.measurement.times.response
        self._journal.add(
            "result",
            arm=self._program.title,
            load=self._program.unit,
            point=f"{shown(point.rate_per_s)}/s",
            block=0,
            status=point.verdict,
            reasons=[reason.text for reason in point.reasons[:MOST_REASONS]],
            suspect=suspect_numbers(point.verdict, point.reasons),
            throughput_per_s=measured.throughput_per_s,
            p50_ns=times.p50_ns,
            p99_ns=times.p99_ns,
            error_share=measured.error_share,
        )
        self._viewer.ends(point)

    def ended(self, swept: Swept) -> None:
        """Write the end of the sweep."""
        outcome = "interrupted" if swept.interrupted else "failed" if swept.fault else "complete"
        text = "" if swept.fault is None else swept.fault.message
        said = answer(swept.points, self._program.times, len(self._program.rates.per_s))
        self._journal.add("end", outcome=outcome, text=text, answer=said)
        self.told_its_end = True


@contextmanager
def recorded_sweep(program: Program, viewer: Viewer, cool_down_s: float) -> Iterator[SweepRecord]:
    """A viewer that also writes the journal of a sweep."""
    journal = begun("sweep", own_command(), f"Sweep of {program.title}")
    record = SweepRecord(program, viewer, cool_down_s, journal)
    with closing(record, journal):
        yield record
