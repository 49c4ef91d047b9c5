"""From a measurement to its verdict: every rule in turn, the worst decides."""

from __future__ import annotations

from dataclasses import dataclass

from httpdyno.measurement import Measurement
from httpdyno.result import Reason, Status
from httpdyno.verdict.checks import CHECKS, Context
from httpdyno.verdict.rules import RULES


@dataclass(frozen=True)
class Verdict:
    """The worst status of its reasons; `valid` has none."""

    status: Status
    reasons: tuple[Reason, ...]


def judge(
    measurement: Measurement,
    *,
    ceiling_per_s: float | None = None,
    shared_cores: bool = False,
    expected_count: int | None = None,
    spin: bool = False,
    replicated: bool = False,
) -> Verdict:
    """All the reasons to doubt a measurement, worst first.

    `ceiling_per_s`: what the generator reaches here against the reference server.
    `expected_count`: calls that had to be measured.
    `spin`: the generator was told to spin, so being busy says nothing.
    `replicated`: one trial of several, whose interval comes from restarts: what a single run cannot
    know of its own percentiles is no reason to doubt it.
    """
    context = Context(ceiling_per_s, shared_cores, expected_count, spin, replicated)
    reasons = [
        Reason(
            code=code,
            status=rule.status,
            text=rule.text.format(**words),
            hint=rule.hint.format(**words),
        )
        for code, rule in RULES.items()
        if (words := CHECKS[code](measurement, context, rule.limit)) is not None
    ]
    reasons.sort(key=lambda reason: reason.status != "invalid")
    return Verdict(reasons[0].status if reasons else "valid", tuple(reasons))
