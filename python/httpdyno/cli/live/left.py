"""The time that is left of several steps: as planned, corrected by how long they really took."""

from __future__ import annotations

__all__ = ["Left"]

_SLOWEST, _FASTEST = 5.0, 0.2
"""Bounds of the correction: a step may have waited for something that does not come again."""


class Left:
    """Counts steps one after the other. Times are those of one clock, in seconds."""

    def __init__(self) -> None:
        self._left_s = 0.0
        self._began_s: float | None = None
        self._planned_s = self._took_s = self._unit_s = 0.0
        self._done: tuple[float, float] | None = None
        """The time that was left when the last step began, and the time that it took."""

    def begins(self, now_s: float, left_s: float) -> None:
        """A step begins; by plan, it and the following ones take `left_s`."""
        if self._done is not None:
            before_s, took_s = self._done
            if before_s > left_s:
                self._planned_s += before_s - left_s
                self._took_s += took_s
                self._unit_s = self._unit_s or before_s - left_s
        self._left_s, self._began_s, self._done = left_s, now_s, None

    def ends(self, now_s: float) -> None:
        """The step has ended. A pause before the next one does not count."""
        if self._began_s is not None:
            self._done = (self._left_s, now_s - self._began_s)

    def at(self, now_s: float) -> float | None:
        """The time that is left; None: nothing has begun."""
        if self._began_s is None:
            return None
        return max(0.0, self._left_s * self._factor() - (now_s - self._began_s))

    def _factor(self) -> float:
        """One step as planned is added, so that the first ones do not decide alone."""
        if not self._planned_s:
            return 1.0
        found = (self._took_s + self._unit_s) / (self._planned_s + self._unit_s)
        return min(_SLOWEST, max(_FASTEST, found))
