"""What came of a load: the measurement, how far it can be believed, and what to tell the caller."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from dataclasses import dataclass

from httpdyno import __version__, engine
from httpdyno.cli.load.arguments.thresholds import Crossing, Threshold
from httpdyno.cli.load.output.record import LoadRecord, ThresholdRecord
from httpdyno.cli.load.output.summary import SAMPLE_QUANTILES, summary
from httpdyno.engine_plan import EnginePlan
from httpdyno.errors import ExitCode
from httpdyno.measurement import Measurement
from httpdyno.verdict import Verdict, judge

__all__ = ["Outcome", "judged"]

_USER = re.compile(r"//[^/@\s]+@")
"""User and password in an address, which are not written down."""


@dataclass(frozen=True)
class Outcome:
    """One finished run of `httpdyno load`."""

    url: str
    plan: EnginePlan
    measurement: Measurement
    verdict: Verdict
    crossings: list[Crossing]

    @property
    def exit_code(self) -> ExitCode:
        """An invalid measurement comes before a threshold, which it could not have been held to."""
        if self.measurement.stopped_by == "interrupt":
            return ExitCode.INTERRUPTED
        if self.verdict.status == "invalid":
            return ExitCode.INVALID
        return ExitCode.THRESHOLD_FAILED if self.crossings else ExitCode.OK

    def summary(self) -> str:
        """The text for a person."""
        response = self.measurement.times.response
        sample = engine.quantiles(response.hdr, SAMPLE_QUANTILES) if response.count else []
        return summary(self.plan, self.measurement, self.verdict, self.crossings, sample)

    def complaints(self) -> list[str]:
        """What stays to be said when no summary is shown."""
        invalid = [r.text for r in self.verdict.reasons if r.status == "invalid"]
        crossed = [f"`{c.threshold}` is so: {c.measured}" for c in self.crossings]
        return [f"invalid: {text}" for text in invalid] + crossed

    def files(self) -> dict[str, Callable[[], str]]:
        """The text of each output flag's file."""
        return {"--json": self._json, "--hdr": self._hdr, "--intervals": self._intervals}

    def _json(self) -> str:
        record = LoadRecord(
            httpdyno_version=__version__,
            command=["httpdyno", *(_USER.sub("//***@", word) for word in sys.argv[1:])],
            url=self.url,
            plan=self.plan.without_secrets(),
            verdict=self.verdict.status,
            reasons=list(self.verdict.reasons),
            crossed=[
                ThresholdRecord(threshold=c.threshold, measured=c.measured) for c in self.crossings
            ],
            measurement=self.measurement,
        )
        return record.model_dump_json(indent=2) + "\n"

    def _hdr(self) -> str:
        return engine.hgrm(self.measurement.times.response.hdr)

    def _intervals(self) -> str:
        return "".join(i.model_dump_json() + "\n" for i in self.measurement.intervals)


def judged(
    url: str, plan: EnginePlan, measurement: Measurement, thresholds: list[Threshold]
) -> Outcome:
    """Hold a measurement against the rules of every measurement and the user's own."""
    crossings = [
        crossing
        for threshold in thresholds
        if (crossing := threshold.crossing(measurement, engine.quantiles)) is not None
    ]
    return Outcome(url, plan, measurement, judge(measurement, plan), crossings)
