"""From a measurement to its verdict: every rule in turn, and the worst reason decides."""

from __future__ import annotations

from dataclasses import dataclass

from httpdyno.doubts import READ_FOR, Number, status_of
from httpdyno.measurement import Measurement
from httpdyno.metrics import Purpose
from httpdyno.result import Reason, Status
from httpdyno.verdict.context import ALONE, Context
from httpdyno.verdict.remedies import remedies
from httpdyno.verdict.rules import RULES


@dataclass(frozen=True)
class Verdict:
    """`invalid`, or `suspect` if a reason doubts a number that the load is for, or else `valid`.

    A valid measurement has reasons if they doubt other numbers only.
    """

    status: Status
    reasons: tuple[Reason, ...]

    def status_of(self, number: Number) -> Status:
        """The status of one number."""
        return status_of(number, self.status, self.reasons)


def judge(measurement: Measurement, context: Context = ALONE) -> Verdict:
    """All the reasons to doubt a measurement, the worst first."""
    reasons = _reasons(measurement, context)
    status = _status("open" if measurement.is_open else "closed", reasons)
    return Verdict(status, tuple(reasons))


def _reasons(measurement: Measurement, context: Context) -> list[Reason]:
    """Every reason that no other one makes redundant, the worst first."""
    found = {
        code: words
        for code, rule in RULES.items()
        if (words := rule.check(measurement, context, rule.limit)) is not None
    }
    remedy = remedies(measurement, context) if found else {}
    reasons = [
        Reason(
            code=code,
            status=rule.status,
            text=rule.text.format(**found[code]),
            hint=rule.hint.format(**remedy),
            doubts=rule.doubts_of(found, is_open=measurement.is_open),
        )
        for code, rule in RULES.items()
        if code in found and not rule.is_redundant(found)
    ]
    reasons.sort(key=lambda reason: reason.status != "invalid")
    return reasons


def _status(purpose: Purpose, reasons: list[Reason]) -> Status:
    if any(reason.status == "invalid" for reason in reasons):
        return "invalid"
    doubted = {number for reason in reasons for number in reason.doubts}
    return "suspect" if doubted & READ_FOR[purpose] else "valid"
