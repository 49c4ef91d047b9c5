"""From a measurement to its verdict: every rule in turn, and the worst reason decides."""

from __future__ import annotations

from dataclasses import dataclass

from httpdyno.engine_plan import EnginePlan
from httpdyno.measurement import Measurement
from httpdyno.result import Reason, Status
from httpdyno.verdict.checks import CHECKS
from httpdyno.verdict.context import Context
from httpdyno.verdict.remedies import remedies
from httpdyno.verdict.rules import RULES


@dataclass(frozen=True)
class Verdict:
    """The worst status of its reasons; `valid` has none."""

    status: Status
    reasons: tuple[Reason, ...]


def judge(
    measurement: Measurement,
    plan: EnginePlan | None = None,
    *,
    ceiling_per_s: float | None = None,
    shared_cores: bool = False,
    expected_count: int | None = None,
    in_study: bool = False,
    check_command: str | None = None,
) -> Verdict:
    """All the reasons to doubt a measurement, the worst first.

    `plan`: what was measured. Without it, hints name no flags or keys.
    `ceiling_per_s`: what the generator reaches on this machine against the reference server.
    `expected_count`: calls that had to be measured.
    `in_study`: one trial of several, whose intervals come from restarts; and hints name the keys of
    a study instead of the flags of `httpdyno load`.
    `check_command`: the command that examines the server's replies one by one.
    """
    context = Context(plan, ceiling_per_s, shared_cores, expected_count, in_study, check_command)
    found = {
        code: words
        for code, rule in RULES.items()
        if (words := CHECKS[code](measurement, context, rule.limit)) is not None
    }
    remedy = remedies(measurement, context) if found else {}
    reasons = [
        Reason(
            code=code,
            status=rule.status,
            text=rule.text.format(**found[code]),
            hint=rule.hint.format(**remedy),
        )
        for code, rule in RULES.items()
        if code in found and not rule.redundant(found)
    ]
    reasons.sort(key=lambda reason: reason.status != "invalid")
    return Verdict(reasons[0].status if reasons else "valid", tuple(reasons))
