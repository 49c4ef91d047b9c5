"""Reasons to doubt a capacity: starts that differ too much, or that contradict the search."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from httpdyno.capacity.limits import parse_limits
from httpdyno.capacity.search import REFUTING, UP
from httpdyno.doubts.together import together
from httpdyno.limits.walk import Walk
from httpdyno.outcome import TrialOutcome
from httpdyno.result import CapacityRow, Reason
from httpdyno.study import CapacityLoad
from httpdyno.units import counted, percent, rate, significant

FEWEST_HELD = 0.5
"""A capacity that fewer of the fresh starts held is invalid."""
WIDEST = 0.25
"""A capacity whose interval reaches further from the median, on either side, is suspect."""
FEWER_HELD = 0.25
"""A capacity is suspect if the share of the fresh starts that held the rate to confirm is lower by
more than this than the share of the climbs that reached it."""
MOST_KEPT = 1.1
"""A capacity is suspect if the server answered more than this share of it under an overload, though
it fell behind at the end of many climbs."""
MANY_BEHIND = 1 / 3
DISTURBED = {"too_busy", "contradicted"}
"""Codes of the reasons of a climb that was disturbed, as was its repeat."""
KEPT_UP = 0.97
"""A second of an overload was answered if the server gave so many of the replies that were due."""
RESTARTS = 10
STEP_S = 5


@dataclass(frozen=True)
class Remedies:
    """More or longer measurements, in backticks, as the reader can ask for them."""

    restarts: str
    step: str


def remedies_of(load: CapacityLoad, restarts: int, *, by_flags: bool) -> Remedies:
    """The flags of `httpdyno capacity`, or the keys of a study; each more than there was."""
    restarts = max(RESTARTS, 2 * restarts)
    step_s = max(STEP_S, math.ceil(2 * load.least_step_s))
    if by_flags:
        return Remedies(f"`--restarts {restarts}`", f"`--step {step_s}s`")
    return Remedies(f"`blocks = {restarts}`", f"`duration = {step_s}` in the load")


def busy(climbs: Sequence[TrialOutcome]) -> Reason | None:
    """Half of the climbs or more were disturbed, so that the others are a choice of the machine."""
    texts = [reason for one in climbs for reason in one.reasons if reason.code in DISTURBED]
    if not texts or 2 * len(texts) < len(climbs):
        return None
    shared, _ = together([reason.text for reason in texts])
    text = f"{shared} (in {len(texts)} of {counted(len(climbs), 'climb')})"
    return texts[0].model_copy(update={"text": text})


def doubts(row: CapacityRow, climbs: Sequence[Walk], remedies: Remedies) -> list[Reason]:
    """Every reason to doubt a capacity; one that fresh starts do not hold, or that an overload
    refutes, needs no other."""
    failed = _not_held(row, remedies)
    if failed is not None:
        return [failed]
    kept = _kept_doubt(row, climbs, remedies)
    if kept is not None and kept.status == "invalid":
        return [kept]
    found = (_wide(row, remedies), _held_less(row, climbs, remedies), kept)
    return [reason for reason in found if reason is not None]


def _not_held(row: CapacityRow, remedies: Remedies) -> Reason | None:
    if not row.confirmations or row.held >= FEWEST_HELD * row.confirmations:
        return None
    at = rate(row.confirmed_at_per_s or 0.0)
    if row.sustained:
        return Reason(
            code="not_held",
            status="suspect",
            text=f"{at}, the lower end of the climbs' interval, held on {row.held} of"
            f" {row.confirmations} fresh starts only: the server keeps it for a step, but not for"
            " longer. The capacity is what these starts held, going down in steps of 5 %",
            hint=f"search with longer steps ({remedies.step})",
        )
    return Reason(
        code="not_held",
        status="invalid",
        text=f"{row.limits_in_words} held on {row.held} of {row.confirmations} fresh starts at"
        f" {at}, the lower end of its interval (limit: half of them)",
        hint=f"stop other programs, search more starts ({remedies.restarts}), or with longer steps"
        f" ({remedies.step}): the server does not keep this rate for longer than a step",
    )


def _wide(row: CapacityRow, remedies: Remedies) -> Reason | None:
    found = row.capacity_per_s
    if found is None or found.low is None or found.high is None or found.value <= 0:
        return None
    below, above = 1 - found.low / found.value, found.high / found.value - 1
    if max(below, above) <= WIDEST:
        return None
    return Reason(
        code="wide_interval",
        status="suspect",
        text=f"the interval of the capacity is wide: {significant(found.low)} to"
        f" {rate(found.high)} is {percent(below)} below to {percent(above)} above the median of"
        f" {found.trials} starts (limit {percent(WIDEST)})",
        hint=f"stop other programs, and search more starts ({remedies.restarts})",
    )


def _held_less(row: CapacityRow, climbs: Sequence[Walk], remedies: Remedies) -> Reason | None:
    at, reached = row.confirmed_at_per_s, list(_reached_rates(climbs))
    if not row.confirmations or at is None or not reached:
        return None
    climbed = sum(one >= at for one in reached)
    expected = climbed / len(reached)
    if row.held / row.confirmations >= expected - FEWER_HELD:
        return None
    return Reason(
        code="held_less",
        status="suspect",
        text=f"{rate(at)}, the lower end of the interval, held on {row.held} of"
        f" {row.confirmations} fresh starts, but {climbed} of {len(reached)} climbs reached it"
        f" (limit: {percent(FEWER_HELD)} fewer)",
        hint=f"stop other programs, search more starts ({remedies.restarts}), or with longer steps"
        f" ({remedies.step})",
    )


def _reached_rates(climbs: Sequence[Walk]) -> Iterator[float]:
    """The capacity of each climb, or the highest rate that it held."""
    for walk in climbs:
        value = walk.at_least_per_s if walk.capacity_per_s is None else walk.capacity_per_s
        if value is not None:
            yield value * (1 + 1e-9)


def _kept_doubt(row: CapacityRow, climbs: Sequence[Walk], remedies: Remedies) -> Reason | None:
    """A server that fell behind at its capacity cannot answer more calls when more are offered, nor
    can one within its limits that broke them at less.

    One that only became slow can answer more: its capacity is below its highest throughput.
    """
    if row.capacity_per_s is None or not row.goodput_per_s:
        return None
    behind = sum(map(_fell_behind, climbs))
    many, within = behind >= MANY_BEHIND * len(climbs), _within(row)
    most = max(row.goodput_per_s.values())
    share = most / row.capacity_per_s.value
    if share <= MOST_KEPT or not (many or within):
        return None
    refuted = within or share >= REFUTING
    earlier = f"but fell behind earlier in {behind} of {len(climbs)} starts"
    return Reason(
        code="refuted" if refuted else "kept_more",
        status="invalid" if refuted else "suspect",
        text=f"{'the searches ended too early' if refuted else 'the server can probably do more'}:"
        f" it answered {rate(most)} under an overload, {percent(share)} of this capacity"
        f" (limit {percent(MOST_KEPT)}), {'within the limits' if within else earlier}",
        hint=f"stop other programs, and search more starts ({remedies.restarts})",
    )


def _within(row: CapacityRow) -> bool:
    """True if a second of the overload was answered within the strictest limit of a time."""
    limits = [one for one in parse_limits(row.limits) if one.endpoint is None]
    limit = min((one.limit for one in limits if one.unit == "time"), default=None)
    return limit is not None and any(
        one.share > 1 and one.ok and one.ok >= KEPT_UP * one.due and one.p99_s <= limit
        for one in row.overload
    )


def _fell_behind(walk: Walk) -> bool:
    """True if the server answered less than fell due in a try of the rate that ended the climb."""
    if walk.ended != "limit" or walk.capacity_per_s is None:
        return False
    end = walk.capacity_per_s * UP * (1 + 1e-9)
    return any(
        step.use is None and bool(step.throughput_per_s)
        for step in walk.steps
        if step.rate_per_s <= end and step.outcome == "failed"
    )
