"""A rule of a verdict: its check, its limit, its words, and the numbers that it casts doubt on."""

from __future__ import annotations

from collections.abc import Callable, Collection, Container
from dataclasses import dataclass

from httpdyno.doubts import NUMBERS, Number
from httpdyno.measurement import Measurement
from httpdyno.result import Status
from httpdyno.verdict.checks.words import Words
from httpdyno.verdict.context import Context

Check = Callable[[Measurement, Context, float], Words | None]
"""(measurement, context, limit) → the values of the braces in the text of its rule, or None."""

LATENCY: tuple[Number, ...] = ("p50", "p99")
TAIL: tuple[Number, ...] = ("p99",)
SPEED: tuple[Number, ...] = ("throughput", "p50", "p99")
"""By Little's law, what limits one of them limits the others in a closed load."""
NOT_AS_OFFERED = {"overload", "backlog", "unsent"}
"""Without these, the throughput of an open load is what was offered."""


@dataclass(frozen=True)
class Rule:
    """A check, and the status and words of its reason. `limit` has the unit of its number.

    `doubts`: the numbers that it casts doubt on; `docs/concepts/verdicts.md` says why these.
    `unless`: reasons that make this one redundant, because they name its cause. None of them is
    milder, or doubts less. The braces of `text` are filled by the check, those of `hint` by
    `remedies.py`.
    """

    check: Check
    status: Status
    limit: float
    text: str
    hint: str
    doubts: tuple[Number, ...] = NUMBERS
    unless: tuple[str, ...] = ()

    def doubts_of(self, found: Collection[str], *, is_open: bool) -> tuple[Number, ...]:
        """The numbers that it doubts in a load that has the reasons `found`."""
        as_offered = is_open and NOT_AS_OFFERED.isdisjoint(found)
        return LATENCY if self.doubts == SPEED and as_offered else self.doubts

    def is_redundant(self, found: Container[str]) -> bool:
        """One of the codes `found` names the cause."""
        return any(cause in found for cause in self.unless)
