"""The time that is left of several steps: as planned, corrected by how long they really took."""

from __future__ import annotations

__all__ = ["TimeLeft"]

_SLOWEST, _FASTEST = 5.0, 0.2
"""Bounds of the correction: a step may have waited for something that does not come again."""


class TimeLeft:
    """Counts steps one after the other. Times are those of one clock, in seconds.

    Every step takes as much longer than planned as those so far, on average: what a plan cannot
    know is the time around a measurement, which is alike for long and for short ones.
    """

    def __init__(self) -> None:
        self._left_s = self._late_s = 0.0
        self._steps = self._ended = 0
        self._began_s: float | None = None
        self._done: tuple[float, float] | None = None
        """The time that was left when the last step began, and the time that it took."""

    def begins(self, now_s: float, left_s: float, steps: int) -> None:
        """A step begins; by plan, it and the following ones, `steps` in all, take `left_s`."""
        if self._done is not None:
            before_s, took_s = self._done
            if before_s > left_s:
                self._late_s += took_s - (before_s - left_s)
                self._ended += 1
        self._left_s, self._steps, self._began_s, self._done = left_s, steps, now_s, None

    def ends(self, now_s: float) -> None:
        """The step has ended, unless it had before. A pause before the next one does not count."""
        if self._began_s is not None and self._done is None:
            self._done = (self._left_s, now_s - self._began_s)

    def at(self, now_s: float) -> float | None:
        """The time that is left; None: nothing has begun, or the last step is late."""
        if self._began_s is None:
            return None
        # One step as planned is added, so that the first ones do not decide alone.
        expected_s = self._left_s + self._steps * self._late_s / (self._ended + 1)
        bounded_s = min(_SLOWEST * self._left_s, max(_FASTEST * self._left_s, expected_s))
        left_s = bounded_s - (now_s - self._began_s)
        return left_s if left_s > 0 else None
