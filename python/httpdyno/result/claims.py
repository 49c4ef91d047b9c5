"""Claims about the arms of a study, as its statistics decided them.

Answers, titles, tables and pages turn these into words. They derive no claim of their own from
numbers. `docs/concepts/claims.md` defines each word.
"""

from __future__ import annotations

from typing import Literal

from httpdyno.choices import HttpVersion
from httpdyno.metrics import COMPARED, ComparedBy, Number, RankedBy
from httpdyno.result.estimate import Estimate
from httpdyno.value import Value

Outcome = Literal["better", "worse", "no difference shown", "no result"]
DecisionOutcome = Literal["regression", "no result", "cannot tell", "no regression shown"]
Lack = Literal["no result", "too few trials", "bounds", "sustained"]
"""Why an arm is not ranked. `bounds`: some starts gave only a lower bound of its capacity.
`sustained`: its capacity is that which fresh starts held, and its climbs reached more."""


class Comparison(Value):
    """An arm compared with the study's baseline arm, paired by block.

    ratio > 1: `arm` has more of `metric`. `outcome` takes the user's side: less latency is
    `better`.
    """

    load: str
    point: str
    metric: ComparedBy
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
    `baseline_value`. None: nothing is compared."""
    arm_value: float | None = None
    lone_blocks: int = 0
    """Blocks that are left out because one of the arms has no result there, or zero. The cell of
    the other arm includes them."""
    level: float = 0.95
    """Confidence level of the interval, and of the decision on this comparison."""
    p_value: float | None = None
    """Of no difference, by this comparison alone; None with too few trials."""
    adjusted_p_value: float | None = None
    """By all decisions of the study together (Holm): it shows a difference if this is 0.05 at
    most. None: too few trials."""
    adjusted_with: int = 1
    """Decisions that were made together, this one included."""
    endpoint: str = ""
    """The endpoint whose calls are compared; empty: all calls."""
    least_error: float = 0.0
    """The standard error of the logarithm of the ratio that chance alone gives it. Of errors, where
    failed calls were counted: `baseline_value` and `arm_value` are the calls per right reply."""

    @property
    def number(self) -> Number | None:
        """The number of the cells that it compares; None: a capacity, which rests on them all."""
        return COMPARED[self.metric].number

    @property
    def shown(self) -> bool:
        """True if the trials show a difference."""
        return self.outcome in ("better", "worse")

    @property
    def in_common(self) -> str:
        """`4 blocks in common`, if one of the two arms has a result in more blocks; else empty."""
        if self.ratio is None or not self.lone_blocks:
            return ""
        return f"{self.ratio.trials} block{'s' if self.ratio.trials != 1 else ''} in common"


class VersionPlace(Value):
    """A cell of an arm, and the version of HTTP of its load."""

    http: HttpVersion
    load: str
    point: str


class ProtocolComparison(Value):
    """Two versions of HTTP on the same arm, under loads of which nothing else differs."""

    of_arm: str
    older: VersionPlace
    """The baseline."""
    newer: VersionPlace
    work: str
    """`100 calls at once`, or `2,000/s`."""
    compared: Comparison
    """Its names are those of the arm with the versions."""


class DecisionRow(Value):
    """The decision about a change: one metric of two arms against a margin."""

    metric: ComparedBy
    baseline: str
    arm: str
    """The changed one."""
    margin: float
    """The share by which the metric may become worse: 0.03 is 3 %."""
    decided: DecisionOutcome
    baseline_value: float | None
    arm_value: float | None
    """None: no result."""
    ratio: Estimate | None
    """`arm_value` ÷ `baseline_value`."""
    baseline_doubt: str = ""
    arm_doubt: str = ""
    """Why the number is suspect; empty: it is not."""
    point: str = ""
    """The load point at which the metric was compared; empty: no result."""

    @property
    def change(self) -> Estimate | None:
        """The ratio, if it has an interval: without one there is no change to speak of."""
        return None if self.ratio is None or self.ratio.low is None else self.ratio

    @property
    def doubt(self) -> str:
        """Why the change is suspect; empty: it is not."""
        return "; ".join(dict.fromkeys(filter(None, (self.baseline_doubt, self.arm_doubt))))


class RankedArm(Value):
    """The ranks that an arm can have."""

    arm: str
    best: int
    """1 + the number of arms that were shown to be better."""
    worst: int
    """The number of arms, less those that were shown to be worse."""
    ratio: Estimate | None = None
    """To the first arm of the ranking, in the blocks that both have, with the interval of the
    decision. None: it is the first, or they have too few blocks in common."""
    level: float = 0.95
    """Confidence level of that interval."""


class Ranking(Value):
    """The arms at a load point, ranked by one metric as far as their trials tell them apart.

    With 95 % confidence, all ranks of a study are within their limits at once.
    """

    load: str
    point: str
    metric: RankedBy
    arms: list[RankedArm]
    """Ordered by the ranks that they can have, then by their estimates; of these arms only those
    with enough trials."""
    ties: list[list[str]]
    """Groups of arms without a shown difference within a group. An arm can be in several; any two
    arms without a shown difference have one in common."""
    unranked: dict[str, Lack] = {}
    """The other arms at this load point, each with the reason."""

    @property
    def first(self) -> list[str]:
        """The arms that no other one was shown to be better than: one of them is first."""
        return [one.arm for one in self.arms if one.best == 1]

    @property
    def last(self) -> str | None:
        """The arm that was shown to be worse than every other one; None: there is none."""
        return next((one.arm for one in self.arms if one.best == len(self.arms)), None)


class KeptUp(Value):
    """The offered rates of a load that an arm kept up with, as they rise."""

    arm: str
    load: str
    up_to_per_s: float | None
    """The highest rate that it kept up with, below any that was too much; None: there is none."""
    fell_behind_at_per_s: float | None
    """The lowest rate that was too much; None: no rate was shown to be."""
    unknown_at_per_s: list[float]
    """The rates below that one of which the trials do not tell."""
    highest_per_s: float
    """The highest rate of the load."""
    kept_trials: int | None = None
    """Trials that kept up at the rate of those above where the fewest did; None: all of them did at
    each rate."""
    of_trials: int | None = None
    """Trials at that rate of which this is known."""

    @property
    def all_of_it(self) -> bool:
        """True if it kept up with every rate."""
        return self.up_to_per_s == self.highest_per_s and not self.unknown_at_per_s
