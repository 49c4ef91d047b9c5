"""The outcome of a load: measurement, verdict and thresholds, and what is written of them."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING

from httpdyno import __version__, engine
from httpdyno.cli.load.output.record import LoadRecord, ThresholdRecord
from httpdyno.cli.load.output.steps import steps_of
from httpdyno.cli.load.output.summary import summary
from httpdyno.engine_plan import EnginePlan
from httpdyno.errors import ExitCode
from httpdyno.limits.budget import Budget
from httpdyno.limits.thresholds import Threshold, ThresholdCheck
from httpdyno.measurement import Measurement
from httpdyno.output.printable import printable
from httpdyno.output.secrets import masked_command, masked_url
from httpdyno.verdict import Context, Settings, Verdict, judge

if TYPE_CHECKING:
    from httpdyno.call_log import CallLog
    from httpdyno.cli.exports import Export
    from httpdyno.export import Check
    from httpdyno.outcome import ServerCost
    from httpdyno.result import StudyResult
    from httpdyno.verdict.contention import Contention

__all__ = ["Outcome", "judge_load"]


@dataclass(frozen=True)
class Outcome:
    """One finished run of `httpdyno load`."""

    url: str
    plan: EnginePlan
    """Without secrets, unless they are kept."""
    measurement: Measurement
    verdict: Verdict
    thresholds: Sequence[ThresholdCheck]
    calls: CallLog | None = None
    """The call log, if it was requested."""
    keep_secrets: bool = False
    server_cpus: float | None = None
    """The processors that the server used; None: not known."""
    server_cost: ServerCost | None = None
    """None: the server is elsewhere, or belongs to another user."""

    @property
    def exit_code(self) -> ExitCode:
        """`INVALID` comes before `THRESHOLD_FAILED`: an invalid number passes and fails nothing."""
        if self.measurement.stopped_by == "interrupt":
            return ExitCode.INTERRUPTED
        if self.verdict.status == "invalid":
            return ExitCode.INVALID
        passed = all(checked.passed for checked in self.thresholds)
        return ExitCode.OK if passed else ExitCode.THRESHOLD_FAILED

    def summary(self, width: int) -> str:
        """The text for a terminal that is `width` columns wide."""
        return summary(
            printable(masked_url(self.url)),
            self.plan,
            self.measurement,
            self.verdict,
            self.thresholds,
            engine.quantiles,
            width,
            self.server_cpus,
        )

    def complaints(self) -> list[str]:
        """The messages that are printed even if no summary is shown."""
        invalid = [f"invalid: {r.text}" for r in self.verdict.reasons if r.status == "invalid"]
        return invalid + [str(checked) for checked in self.thresholds if not checked.passed]

    def files(
        self, exports: Sequence[Export] = (), hdr: str | None = None
    ) -> dict[str, Callable[[], str]]:
        """The content of each output flag's file, and of each export's. `hdr`: the file of --hdr, a
        log if its name ends in `.hlog`."""
        return {
            "--json": self._json,
            "--hdr": self._hdr_log if (hdr or "").endswith(".hlog") else self._hdr,
            "--intervals": self._intervals,
            "--call-log": self._call_log,
            "--report": self._page,
            **{export.flag: partial(self._export, export) for export in exports},
        }

    def markdown(self) -> str:
        """The result as a comment on a pull request."""
        from httpdyno.export.markdown import markdown

        return markdown(self._result, self._checks)

    def _page(self) -> str:
        from httpdyno.cli.load.output.page import page

        return page(
            masked_url(self.url),
            self.plan.without_secrets(),
            self.measurement.without_secrets(),
            self.verdict,
            self._checks,
            self.server_cpus,
        )

    @cached_property
    def _result(self) -> StudyResult:
        from httpdyno.cli.load.output.result import result

        return result(
            self.url,
            self.plan,
            self.measurement,
            self.verdict,
            self.thresholds,
            self.server_cost,
        )

    @property
    def _checks(self) -> Sequence[Check]:
        from httpdyno.cli.load.output.result import checks

        return checks(self.thresholds, self.verdict)

    def _export(self, export: Export) -> str:
        from httpdyno.cli.exports import export_text

        return export_text(self._result, export, self._checks)

    def _json(self) -> str:
        words = [os.fsencode(word).decode(errors="replace") for word in sys.argv[1:]]
        record = LoadRecord(
            httpdyno_version=__version__,
            command=["httpdyno", *(words if self.keep_secrets else masked_command(words))],
            url=self.url if self.keep_secrets else masked_url(self.url),
            plan=self.plan,
            verdict=self.verdict.status,
            reasons=list(self.verdict.reasons),
            crossed=[
                ThresholdRecord(threshold=checked.threshold.text, measured=checked.measured)
                for checked in self.thresholds
                if not checked.passed
            ],
            measurement=self.measurement,
            steps=steps_of(self.plan, self.measurement),
        )
        return record.model_dump_json(indent=2) + "\n"

    def _hdr(self) -> str:
        return engine.hgrm(self.measurement.times.response.hdr)

    def _hdr_log(self) -> str:
        from httpdyno.export.histogram_log import histogram_log

        return histogram_log(self.measurement)

    def _intervals(self) -> str:
        return "".join(i.model_dump_json() + "\n" for i in self.measurement.seconds)

    def _call_log(self) -> str:
        from httpdyno.call_log import rows  # on first use

        return "" if self.calls is None else "".join(rows(self.calls))


def judge_load(
    url: str,
    plan: EnginePlan,
    measurement: Measurement,
    thresholds: Sequence[Threshold],
    calls: CallLog | None = None,
    *,
    keep_secrets: bool = False,
    settings: Settings = "flags",
    contention: Contention | None = None,
) -> Outcome:
    """Judge a measurement by the rules, and check the user's thresholds.

    `settings`: what hints name, as in `judge`; `none` where the reader has not typed flags of
    `load`. `contention`: the part of the server's processors that others took, where it is known.
    """
    if not keep_secrets:  # the hints and the record name the URL
        plan, measurement = plan.without_secrets(), measurement.without_secrets()
    checked = [threshold.check(measurement, engine.quantiles) for threshold in thresholds]
    budget = Budget.of_thresholds(thresholds)
    verdict = judge(
        measurement, Context(plan, settings=settings, contention=contention, budget=budget)
    )
    return Outcome(url, plan, measurement, verdict, checked, calls, keep_secrets)
