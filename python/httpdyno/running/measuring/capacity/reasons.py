"""Why a walk has no capacity, or only a lower bound, in words."""

from __future__ import annotations

from httpdyno.doubts.ceiling import BUSY
from httpdyno.limits.walk import Walk
from httpdyno.result import Reason
from httpdyno.study import CapacityLoad
from httpdyno.units import rate

_WITHOUT_LOAD = (
    "choose limits that the server holds without load:"
    " `httpdyno load URL --connections 1` shows its response times"
)
_MORE = "give the load generator more CPUs, or the server fewer"


def reasons(
    walk: Walk, load: CapacityLoad, most_per_s: float, *, ceiling_is_bound: bool = False
) -> list[Reason]:
    """The reason of a walk, if it has one. `most_per_s`: where the search ends. `ceiling_is_bound`:
    only a lower bound of the load generator's ceiling is known."""
    if walk.ended == "never":
        return [_never(walk)]
    if walk.ended == "skipped":
        return [Reason(code="skipped", status="invalid", text=walk.why, hint=_WITHOUT_LOAD)]
    if walk.ended in {"disturbed", "contradicted"}:
        return [_disturbance(walk)]
    if walk.ended in ("ceiling", "generator", "longest"):
        return [_bound(walk, *_end(walk, load, most_per_s, ceiling_is_bound=ceiling_is_bound))]
    return []


def _never(walk: Walk) -> Reason:
    lowest = min(walk.steps, key=lambda step: step.rate_per_s, default=None)
    at = f" even at {lowest.rate_per_s:,.3g}/s: {lowest.why}" if lowest else " at any rate"
    if walk.why:
        at = walk.why
    return Reason(
        code="never_held",
        status="invalid",
        text=f"the limits did not hold{at}",
        hint=_WITHOUT_LOAD,
    )


def disturbance(walk: Walk) -> str:
    """The disturbance of a climb, in words."""
    last = walk.steps[-1]
    if walk.ended == "contradicted":
        failed = next(one for one in reversed(walk.steps) if one.outcome == "failed")
        return (
            f"the climb contradicts itself: {rate(failed.rate_per_s)} failed ({failed.why}), and"
            f" {rate(last.rate_per_s)} held afterwards"
        )
    if walk.why:
        return f"the machine was too busy: {walk.why}"
    at = f"the step at {rate(last.rate_per_s)} could not be judged"
    return f"the machine was too busy: {at}: {last.why}"


def _disturbance(walk: Walk) -> Reason:
    return Reason(
        code="contradicted" if walk.ended == "contradicted" else "too_busy",
        status="invalid",
        text=disturbance(walk),
        hint="stop other programs, then measure again: noise can only lower a capacity",
    )


def _bound(walk: Walk, what: str, hint: str) -> Reason:
    held = [one.rate_per_s for one in walk.steps if one.outcome == "held"]
    highest = rate(max(held)) if held else "this rate"
    return Reason(
        code="lower_bound",
        status="suspect",
        text=f"the limits held at every rate that was tried, up to {highest}: {what}",
        hint=f"the capacity is {highest} or more; {hint}",
    )


def _end(
    walk: Walk, load: CapacityLoad, most_per_s: float, *, ceiling_is_bound: bool
) -> tuple[str, str]:
    """Why a climb ended before the limits did, and what to do."""
    if walk.ended == "longest":
        return "the climb was longer than 60 steps", "search again"
    if walk.ended == "generator":
        last = next(step for step in reversed(walk.steps) if step.outcome == "generator")
        what = f"the load generator could send no more at {rate(last.rate_per_s)}: {last.why}"
        return what, _MORE
    if load.rate_max is not None and load.rate_max <= most_per_s:
        return f"the next is beyond {most_per_s:,.0f}/s, the end that was set", (
            "set a higher end to search further (`--rate-max`; `rate_max` in a load of a study)"
        )
    what = f"the next is beyond {most_per_s:,.0f}/s, 80 % of the load generator's ceiling"
    if ceiling_is_bound:
        return f"{what}, which is at least so high ({BUSY})", f"stop other programs, or {_MORE}"
    return what, _MORE
