"""The outcome of a sweep: the answer, the table and the charts; its files and its exit code."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial

from httpdyno import __version__
from httpdyno.cli.exports import Export, export_text
from httpdyno.cli.sweep.chart import charts
from httpdyno.cli.sweep.measure import MeasuredPoints
from httpdyno.cli.sweep.program import Program
from httpdyno.cli.sweep.table import by_endpoint, reasons, table
from httpdyno.cli.text import paragraph, text_console
from httpdyno.doubts import why_invalid
from httpdyno.errors import ExitCode
from httpdyno.output.secrets import masked_command, masked_url
from httpdyno.result import StudyResult
from httpdyno.sweep import SweepRecord, answer, to_csv

__all__ = ["Outcome"]

_CHART = 5
"""Lines of each chart."""
_ELSEWHERE = "a wider terminal and `--csv FILE` have them"
_ENDPOINTS_ELSEWHERE = "a wider terminal and `--export csv-endpoints=FILE` have them"


@dataclass(frozen=True)
class Outcome:
    """A sweep that has ended. `log`: response times are drawn on a logarithmic axis."""

    program: Program
    swept: MeasuredPoints
    log: bool

    @property
    def answer(self) -> str:
        """The rates that the server kept up with, in a few sentences."""
        return answer(self.swept.points, self.program.times, len(self.program.rates.per_s))

    @property
    def complete(self) -> bool:
        """False: the sweep was stopped, or a fault ended it."""
        return not self.swept.interrupted and self.swept.fault is None

    @property
    def exit_code(self) -> ExitCode:
        """The exit code, unless a fault ended the sweep or a file cannot be written."""
        if self.swept.interrupted:
            return ExitCode.INTERRUPTED
        valid = any(point.verdict != "invalid" for point in self.swept.points)
        return ExitCode.OK if valid else ExitCode.INVALID

    @property
    def failure(self) -> str | None:
        """Why the sweep fails a job of CI; None: it does not."""
        if self.swept.fault is not None:
            return self.swept.fault.message
        if self.exit_code is ExitCode.INVALID:
            return f"No result: {why_invalid(self.swept.points[0].reasons)}."
        return None

    def markdown(self) -> str:
        """The points as a comment on a pull request."""
        from httpdyno.export.markdown import markdown

        return markdown(self._result)

    def files(
        self, exports: Sequence[Export], *, svg: bool
    ) -> dict[str, Callable[[], str | bytes]]:
        """The content of each output flag's file, and of each export's."""
        from httpdyno.report import sweep_picture

        return {
            "--json": lambda: self._record().model_dump_json(indent=2) + "\n",
            "--csv": lambda: to_csv(self.swept.points),
            "--chart": lambda: sweep_picture(self._record(), svg=svg, log=self.log),
            "--report": self._page,
            **{one.flag: partial(self._export, one) for one in exports},
        }

    def show(self, *, to_stderr: bool) -> None:
        """Print the answer, the table, the charts and every doubt."""
        paper = text_console(stderr=to_stderr)
        points, times = self.swept.points, self.program.times
        if self.answer:
            paragraph(paper, self.answer, style="bold")
            paper.print()
        table(points, times, self.program.unit).show(paper, _ELSEWHERE)
        endpoints = by_endpoint(points) if times == "response" else None
        if endpoints is not None:
            paper.print()
            endpoints.show(paper, _ENDPOINTS_ELSEWHERE)
        drawn = charts(points, times, width=paper.width, height=_CHART, log=self.log)
        paper.print("", *drawn, sep="\n", soft_wrap=True)
        doubts = list(reasons(points))
        if doubts:
            paper.print()
        for line in doubts:
            paragraph(paper, line, hanging="  ")

    def _page(self) -> str:
        from httpdyno.cli.sweep.page import page

        url = masked_url(self.program.url)
        return page(self.program, self._record(), self.answer, url, log=self.log)

    def _export(self, export: Export) -> str:
        return export_text(self._result, export)

    @cached_property
    def _result(self) -> StudyResult:
        from httpdyno.cli.sweep.result import result

        return result(self.program, self.swept.points, self.answer, complete=self.complete)

    def _record(self) -> SweepRecord:
        program, swept = self.program, self.swept
        words = [os.fsencode(word).decode(errors="replace") for word in sys.argv[1:]]
        return SweepRecord(
            httpdyno_version=__version__,
            command=["httpdyno", *(words if program.keep_secrets else masked_command(words))],
            url=program.url if program.keep_secrets else masked_url(program.url),
            unit=program.unit,
            times=program.times,
            log_rates=program.rates.log,
            planned=len(program.rates.per_s),
            complete=self.complete,
            points=swept.points,
        )
