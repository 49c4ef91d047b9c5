"""Numbers that an axis can show."""

from __future__ import annotations

from httpdyno.result import Estimate

_LARGEST, _SMALLEST = 1e15, 1e-15


def drawable(value: float | None, factor: float = 1.0) -> float | None:
    """A stored number for an axis; None for one that no axis holds: negative, huge, not a number.

    No measurement has such numbers; a hand-edited result may.
    """
    try:
        scaled = None if value is None else float(value * factor)
    except OverflowError:
        return None
    if scaled is None or not 0 <= scaled <= _LARGEST:
        return None
    return scaled if scaled >= _SMALLEST else 0.0


def bounds(estimate: Estimate, factor: float = 1.0) -> tuple[float | None, float | None]:
    """The interval for an axis; (None, None) where there is none, or none that can be drawn."""
    low, high = drawable(estimate.low, factor), drawable(estimate.high, factor)
    return (None, None) if low is None or high is None else (low, high)
