"""The doubts of a cell, number by number, from the reasons of its trials."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from httpdyno.doubts import NUMBERS, READ_FOR, LoadKind, Number
from httpdyno.outcome import TrialOutcome
from httpdyno.result import Reason, Status, TrialRow

MOST_SUSPECT_SHARE = 0.2
"""A number is suspect if more of the trials are suspect, or if one is invalid."""


def number_doubts(
    outcomes: Sequence[TrialOutcome], reasons: Sequence[Reason]
) -> dict[Number, list[str]]:
    """The suspect numbers of a cell, each with the codes of its reasons, in their order."""
    found: dict[Number, list[str]] = {}
    for number in NUMBERS:
        statuses = [one.status_of(number) for one in outcomes]
        if combined(statuses) == "suspect":
            codes = {r.code for one in outcomes for r in one.reasons if number in r.doubts}
            found[number] = [reason.code for reason in reasons if reason.code in codes]
    return found


def cell_status(
    outcomes: Sequence[TrialOutcome], doubts: Mapping[Number, object], kind: LoadKind
) -> Status:
    """`invalid` without a usable trial; `suspect` if a number is that the load is for."""
    if not any(one.usable for one in outcomes):
        return "invalid"
    return "suspect" if READ_FOR[kind] & doubts.keys() else "valid"


def is_frequent(code: str, trials: Sequence[TrialRow]) -> bool:
    """True if over 20 % of the usable trials have a reason with this code."""
    usable = [trial for trial in trials if trial.status != "invalid"]
    count = sum(any(one.code == code for one in trial.reasons) for trial in usable)
    return count > MOST_SUSPECT_SHARE * len(usable)


def combined(statuses: Sequence[Status]) -> Status:
    """The status of a number that was measured in trials with these statuses."""
    usable = [status for status in statuses if status != "invalid"]
    if not usable:
        return "invalid"
    suspect = usable.count("suspect")
    lost = len(usable) < len(statuses)
    return "suspect" if lost or suspect > MOST_SUSPECT_SHARE * len(usable) else "valid"
