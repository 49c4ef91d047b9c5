"""Many comparisons at once: Holm's procedure holds the chance of any false difference at 5 %.

Holm and not Benjamini-Hochberg, which holds the share of false ones among all differences shown: a
reader quotes single comparisons, so each of them must stand by itself. Holm asks nothing of how the
comparisons depend on each other, and these depend: they share a baseline (S. Holm, "A Simple
Sequentially Rejective Multiple Test Procedure", Scandinavian Journal of Statistics 6, 1979).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

ALPHA = 0.05


@dataclass(frozen=True)
class Decision:
    """The decision on one of several p-values."""

    adjusted: float
    """The adjusted p-value: a difference is shown if it is `ALPHA` at most."""
    level: float
    """The level at which this one was decided: its interval at this level contains no difference
    exactly if none is shown."""


def holm(p_values: Sequence[float]) -> list[Decision]:
    """The decisions on these p-values, in their order.

    The smallest is compared with ALPHA ÷ their number, the next with ALPHA ÷ (number - 1) and so
    on. All after the first that is too large are compared with the same limit as that one.
    """
    decided: dict[int, Decision] = {}
    adjusted, left = 0.0, len(p_values)
    for place in sorted(range(len(p_values)), key=lambda one: p_values[one]):
        shown = adjusted <= ALPHA
        left = len(p_values) - len(decided) if shown else left
        steps = len(p_values) - len(decided)
        adjusted = max(adjusted, min(1.0, steps * p_values[place]))
        decided[place] = Decision(adjusted, 1 - ALPHA / left)
    return [decided[place] for place in range(len(p_values))]
