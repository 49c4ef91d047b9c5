"""The shape of a cell's trials, where one level with an interval does not describe them."""

from __future__ import annotations

from typing import Literal

from httpdyno.metrics import BY_NAME
from httpdyno.value import Value


class Group(Value):
    """Trials that belong together."""

    level: float
    """Their geometric mean, in the unit of the number."""
    blocks: list[int]


class Shape(Value):
    """Two modes, an outlier or a drift, in the number that the cell is compared by."""

    kind: Literal["two modes", "outlier", "drift"]
    number: Literal["throughput", "p99"]
    groups: list[Group]
    """Two modes: the one with more trials first. Outlier: the other trials, then the one that is
    far from them. Drift: the highest and the lowest third of the trials in the order of time, the
    earlier first."""

    @property
    def text(self) -> str:
        """The finding in a sentence, without its full stop."""
        first, second = self.groups
        one, other = (self._level(group) for group in self.groups)
        if self.kind == "drift":
            return (
                f"{self.number} drifted: about {one} in {_span(first)}, {other} in {_span(second)}."
                " The interval does not cover how it would be at another time"
            )
        of = len(first.blocks) + len(second.blocks)
        if self.kind == "outlier":
            return (
                f"{self.number} of 1 in {of} trials is far from the others: {other}, and they are"
                f" near {one}. More trials show if that is a second mode"
            )
        return (
            f"{self.number} has two modes: {len(first.blocks)} of {of} trials near {one},"
            f" {len(second.blocks)} near {other}. More trials show how often each occurs"
        )

    def _level(self, group: Group) -> str:
        return BY_NAME[self.number].words(group.level)


def _span(group: Group) -> str:
    first, last = group.blocks[0] + 1, group.blocks[-1] + 1
    return f"block {first}" if first == last else f"blocks {first} to {last}"
