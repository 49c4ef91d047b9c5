"""Reasons to doubt a measurement, and the status of each of its numbers."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Literal

from httpdyno.doubts.numbers import NUMBERS
from httpdyno.metrics import Number
from httpdyno.value import Value

_DETAILS = re.compile(r"(?: \(limit [^)]*\))?(?:: |; | \(limit ).*", re.DOTALL)
Status = Literal["valid", "suspect", "invalid"]


class Reason(Value):
    """A reason to doubt a measurement: the observation, the threshold, and what to do."""

    code: str
    status: Status
    text: str
    hint: str
    doubts: tuple[Number, ...] = NUMBERS
    """The numbers that it casts doubt on."""

    @property
    def clause(self) -> str:
        """The text without its details, to stand in a sentence: `98.6 % of calls failed`."""
        return _DETAILS.sub("", self.text)


def why_invalid(reasons: Iterable[Reason]) -> str:
    """The cause of a measurement without a result, in a clause; empty if there is one.

    Any cause says more than that no correct reply came.
    """
    invalid = [reason for reason in reasons if reason.status == "invalid"]
    causes = [reason for reason in invalid if reason.code != "no_reply"]
    return next((reason.clause for reason in [*causes, *invalid]), "")


def status_of(number: Number, status: Status, reasons: Iterable[Reason]) -> Status:
    """The status of one number of a measurement with this status and these reasons."""
    all_reasons = list(reasons)
    if status == "invalid" or not all_reasons:
        return status
    return "suspect" if any(number in reason.doubts for reason in all_reasons) else "valid"


def suspect_numbers(status: Status, reasons: Iterable[Reason]) -> list[Number]:
    """The numbers of a measurement with this status and these reasons that are suspect."""
    all_reasons = list(reasons)
    return [one for one in NUMBERS if status_of(one, status, all_reasons) == "suspect"]
