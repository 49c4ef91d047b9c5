"""The seconds of an overload."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

from httpdyno.measurement import Interval
from httpdyno.running.measuring.capacity.measured_start import MeasuredStart
from httpdyno.running.measuring.capacity.overload import overload
from trial_samples import outcome


def test_a_second_in_which_nothing_happened_is_one_of_the_seconds() -> None:
    """Without it, the mean of the right replies under an overload would leave it out."""
    one = outcome(0, 0, ("a/1-worker", "most", "p99 ≤ 20 ms")).measurement
    assert one is not None
    counts = dict.fromkeys(Interval.model_fields, 9)
    intervals = [Interval.model_validate(counts | {"second": n}) for n in range(18) if n != 3]
    seen = one.model_copy(update={"window_s": 18.0, "intervals": intervals})
    start = SimpleNamespace(schedule=lambda *_: seen)
    found = overload(cast("MeasuredStart", start), 1000.0)
    assert [second.second for second in found] == list(range(18))
    assert (found[2].ok, found[3].ok, found[3].share) == (9, 0, 2.0)
