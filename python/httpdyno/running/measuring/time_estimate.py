"""The time that is left of a run, estimated anew as searches find their rates."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import median

from httpdyno.outcome import CellKey, TrialOutcome
from httpdyno.plan import Trial, trials_s
from httpdyno.statistics.capacity.rows import known_capacities
from httpdyno.units import counted, roughly

OFF = 1.5
"""An estimate that is wrong by more is corrected in words."""
LEAST_S = 20.0
"""Differences of less are not worth a word."""
SLOWEST, FASTEST = 5.0, 0.2
"""Bounds of the pace: a trial may have waited for something that does not come again."""


class TimeEstimate:
    """Estimates the time left, and notes it when the last estimate is far off."""

    def __init__(self, note: Callable[[str], None]) -> None:
        self._note = note
        self._rates: dict[CellKey, float] = {}
        """A rate near the capacity of each cell where one is known."""
        self._disturbed = 0
        """Steps of searches that the machine disturbed."""
        self._pace = 1.0
        self._took_s = self._planned_s = 0.0
        self._ended = 0
        self._last_note: tuple[dict[CellKey, float], float] = {}, 1.0
        """The rates and the pace of the last note."""

    def near(self, cell: CellKey, rate_per_s: float) -> None:
        """Takes a rate near the capacity of a cell."""
        self._rates[cell] = rate_per_s

    def near_in_first(self, left: Sequence[Trial], rate_per_s: float) -> None:
        """Takes a rate near the capacity of the first of the trials that are left."""
        self.near(left[0].cell.key, rate_per_s)
        self.left_s(left)

    def learn(self, done: Sequence[TrialOutcome]) -> None:
        """Takes the capacities that are known so far, and the steps that were disturbed."""
        self._disturbed = sum(
            step.outcome == "disturbed" for one in done if one.walk for step in one.walk.steps
        )
        for cell in {one.cell for one in done}:
            if known := known_capacities([one for one in done if one.cell == cell]):
                self.near(cell, median(known))

    def took(self, trial: Trial, seconds: float) -> None:
        """Takes the time of a trial that has ended."""
        self._took_s += seconds
        self._planned_s += trials_s([trial], self._rates)
        self._ended += 1
        # One trial as planned is added, so that the first one does not decide alone.
        one_s = self._planned_s / self._ended
        pace = (self._took_s + one_s) / max(self._planned_s + one_s, 1e-9)
        self._pace = min(SLOWEST, max(FASTEST, pace))

    def left_s(self, trials: Sequence[Trial]) -> float:
        """The time of these trials, as planned for the rates that are known; a note is due if
        that, or the time that trials really take, is far from the last one."""
        planned_s = trials_s(trials, self._rates)
        rates, pace = self._last_note
        before_s, left_s = trials_s(trials, rates) * pace, planned_s * self._pace
        far = not before_s / OFF <= left_s <= before_s * OFF
        if far and abs(left_s - before_s) > LEAST_S:
            than = "longer" if left_s > before_s else "shorter"
            steps = counted(self._disturbed, "step")
            busy = f": the machine was too busy for {steps}, and such steps are repeated"
            why = busy if self._disturbed and left_s > before_s else ""
            self._note(f"about {roughly(left_s)} left, {than} than estimated before{why}")
            self._last_note = dict(self._rates), self._pace
        return planned_s
