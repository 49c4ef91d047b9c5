"""From a measurement to its verdict: every rule in turn, and the worst reason decides."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from httpdyno.doubts import READ_FOR, Number, status_of
from httpdyno.engine_plan import EnginePlan
from httpdyno.limits.budget import NO_BUDGET, Budget
from httpdyno.measurement import Measurement
from httpdyno.metrics import Purpose
from httpdyno.outcome import MachineUse
from httpdyno.result import PathRow, Reason, Status
from httpdyno.verdict.context import Context, Settings
from httpdyno.verdict.remedies import remedies
from httpdyno.verdict.rules import RULES
from httpdyno.verdict.taken import TakenShare


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


def judge(  # noqa: PLR0913 - each is a fact that the measurement cannot know
    measurement: Measurement,
    plan: EnginePlan | None = None,
    *,
    ceiling_per_s: float | None = None,
    ceiling_is_bound: bool = False,
    shared_cores: bool = False,
    expected_count: int | None = None,
    in_study: bool = False,
    settings: Settings | None = None,
    as_published: bool = False,
    check_command: str | None = None,
    machines: Sequence[MachineUse] = (),
    paths: Sequence[PathRow] = (),
    taken: TakenShare | None = None,
    budget: Budget = NO_BUDGET,
) -> Verdict:
    """All the reasons to doubt a measurement, the worst first.

    `plan`: what was measured. Without it, hints name no flags or keys.
    `ceiling_per_s`: what the load generators together reach against the reference server; at least
    so much if `ceiling_is_bound`.
    `expected_count`: calls that had to be measured.
    `in_study`: one trial of several, whose intervals come from restarts.
    `settings`: what hints name: flags of `httpdyno load` or `compare`, keys of a study, or nothing.
    The default is keys in a study, and flags of `load` elsewhere.
    `as_published`: the load repeats a published one, so its own shortness is no doubt.
    `check_command`: the command that examines the server's replies one by one.
    `machines`: what the machines did in the window. `paths`: between them, if there are several.
    `taken`: the part of the server's processors that others took, where it is known.
    `budget`: the errors that are allowed.
    """
    context = Context(
        plan=plan,
        ceiling_per_s=ceiling_per_s,
        ceiling_is_bound=ceiling_is_bound,
        shared_cores=shared_cores,
        expected_count=expected_count,
        in_study=in_study,
        settings=settings or ("keys" if in_study else "flags"),
        as_published=as_published,
        check_command=check_command,
        machines=machines,
        paths=paths,
        taken=taken,
        budget=budget,
    )
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
        if code in found and not rule.redundant(found)
    ]
    reasons.sort(key=lambda reason: reason.status != "invalid")
    return reasons


def _status(purpose: Purpose, reasons: list[Reason]) -> Status:
    if any(reason.status == "invalid" for reason in reasons):
        return "invalid"
    doubted = {number for reason in reasons for number in reason.doubts}
    return "suspect" if doubted & READ_FOR[purpose] else "valid"
