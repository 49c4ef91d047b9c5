"""Comparisons of arms and their ranks, as a result has them."""

from __future__ import annotations

from typing import Literal

from httpdyno.doubts import COMPARED, Number
from httpdyno.result.estimate import Estimate, Value

Outcome = Literal["better", "worse", "no difference shown", "no result"]


class Comparison(Value):
    """An arm compared with the study's baseline arm, paired by block.

    ratio > 1: `arm` has more of `metric`. `outcome` takes the user's side: less latency is
    `better`.
    """

    load: str
    point: str
    metric: Literal["throughput", "p99", "server CPU per request", "capacity"]
    baseline: str
    arm: str
    ratio: Estimate | None
    outcome: Outcome
    smallest_detectable: float | None
    """The smallest relative difference that these trials could have detected (0.03 = 3 %)."""
    dots: list[tuple[int, float]]
    """(block, ratio) of each pair of restarts."""
    baseline_value: float | None = None
    """The geometric mean of the baseline's restarts that are compared: the ratio is `arm_value` ÷
    `baseline_value`. None: nothing is compared, or a result of an earlier version."""
    arm_value: float | None = None
    lone_blocks: int = 0
    """Blocks that are left out because one of the arms has no result there, or zero. The cell of
    the other arm includes them."""
    level: float = 0.95
    """Confidence level of the interval, and of the decision on this comparison."""
    p_value: float | None = None
    """Of no difference, by this comparison alone; None with too few trials."""
    adjusted_p_value: float | None = None
    """By all comparisons that it was adjusted with (Holm): it shows a difference if this is 0.05 at
    most. None: it was not adjusted, as those with an A/A control."""
    adjusted_with: int = 1
    """Comparisons of this metric in the study, this one included."""

    @property
    def number(self) -> Number | None:
        """The number of the cells that it compares; None: a capacity, which rests on them all."""
        return COMPARED.get(self.metric)

    @property
    def in_common(self) -> str:
        """`4 blocks in common`, if one of the two arms has a result in more blocks; else empty."""
        if self.ratio is None or not self.lone_blocks:
            return ""
        return f"{self.ratio.trials} block{'s' if self.ratio.trials != 1 else ''} in common"


class RankedArm(Value):
    """The ranks that an arm can have."""

    arm: str
    best: int
    """1 + the number of arms that were shown to be better."""
    worst: int
    """The number of arms, less those that were shown to be worse."""


class Ranking(Value):
    """The arms at a load point, ranked by one metric as far as their trials tell them apart.

    With 95 % confidence, all true ranks are within these limits at once.
    """

    load: str
    point: str
    metric: Literal["throughput", "p99", "capacity"]
    arms: list[RankedArm]
    """The best estimate first; of these arms only those with enough trials."""
    ties: list[list[str]]
    """Groups of arms without a shown difference within a group. An arm can be in several."""
