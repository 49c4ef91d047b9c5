"""The tests of what the numbers of a measurement rest on."""

from __future__ import annotations

from httpdyno.choices import Spacing
from httpdyno.measurement.times import Time
from httpdyno.value import Value


class Percentile(Value):
    """A percentile of the response time, and the 95 % interval around it by order statistics."""

    quantile: float
    """0 to 1."""
    value_ns: int
    low_ns: int | None
    high_ns: int | None
    """Null: there are too few independent calls to bound it."""
    design_effect: float | None
    """The variance from second to second of the calls beyond it ÷ that of independent calls: the
    interval is as wide as that of so many times fewer calls. Null: under 5 seconds."""

    @property
    def half_width(self) -> float | None:
        """Half of the interval as a share of the percentile; None when a side is open."""
        if self.low_ns is None or self.high_ns is None or not self.value_ns:
            return None
        return (self.high_ns - self.low_ns) / 2 / self.value_ns

    def bounded_by(self, times: Time) -> Percentile:
        """The percentile of these times. Its upper end is open where calls were given up: nobody
        knows how long they would have taken."""
        if self.high_ns is None or not times.is_lower_bound(self.quantile, self.high_ns):
            return self
        return self.model_copy(update={"high_ns": None})


class ArrivalFit(Value):
    """The arrivals (bursts, or sessions) that were begun, against those declared."""

    spacing: Spacing
    sampled: int
    """Groups of successive arrivals that were looked at, spread over the window."""
    group: int
    """Arrivals in a group; it takes 1 ms or more."""
    scheduled: int | None
    """Arrivals that the schedule has in the window (constant spacing, not counted runs)."""
    due: int
    """Arrivals that fell due in it."""
    off_share: float | None
    """Share of the groups whose length is off by over 10 % (constant spacing)."""
    anderson_darling: float | None
    """A² of the groups' lengths against their distribution (uniform, exponential)."""


class Drift(Value):
    """The drift of response times: their means over stretches of the window, of one length."""

    means: int
    width_s: float
    dickey_fuller: float | None
    """The augmented Dickey-Fuller statistic of the means; null below 50 of them."""
    first_half_ns: float | None
    second_half_ns: float | None
    """The mean of the means of either half."""


class Dependence(Value):
    """The dependence of calls on each other: Spearman's rank correlation of response times."""

    sampled: int
    successive: float | None
    """Of calls that came back one after the other on one thread."""
    apart: float | None
    """Of neighbours in a sample spread over the window."""


class Validity(Value):
    """The tests of what the numbers rest on; see `docs/concepts/verdicts.md`."""

    percentiles: list[Percentile]
    arrivals: ArrivalFit | None
    """Open loads only."""
    drift: Drift
    dependence: Dependence

    def percentile(self, quantile: float) -> Percentile | None:
        """The percentile at `quantile`, 0 to 1, if it has an interval."""
        return next((one for one in self.percentiles if one.quantile == quantile), None)
