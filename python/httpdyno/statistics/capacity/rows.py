"""The capacity of an arm from its climbs: the median over restarts, confirmed on fresh starts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median

from httpdyno.capacity.knee import knee
from httpdyno.capacity.limits import in_words, parse_limits
from httpdyno.limits.thresholds import Threshold
from httpdyno.limits.walk import OverloadSecond, Task, Walk, WalkStep
from httpdyno.metrics import MEASURED
from httpdyno.outcome import CellKey, TrialOutcome
from httpdyno.plan import Cell
from httpdyno.result import CapacityRow, CellRow, Estimate, TrialRow
from httpdyno.statistics.capacity.doubts import FEWEST_HELD, busy, doubts, remedies_of
from httpdyno.statistics.intervals import median_estimate
from httpdyno.study import CapacityLoad
from httpdyno.units import counted

OVERLOADS = (1.5, 2.0)
STEADY_AGAIN = 2
"""Seconds in a row within the limit that end a recovery."""


def climbs(outcomes: Sequence[TrialOutcome]) -> list[TrialOutcome]:
    """The trials that are restarts of the search; the others follow it."""
    return [one for one in outcomes if one.walk is None or one.walk.task == "climb"]


def known_capacities(outcomes: Sequence[TrialOutcome]) -> list[float]:
    """The capacity of each start, or the highest rate that held where the generator ended it.

    Where most starts found their limit, a bound below their median says nothing about it, and is
    left out. One above it does not change the median.
    """
    walks = _valid_climbs(outcomes)
    exact = [one.capacity_per_s for one in walks if one.capacity_per_s is not None]
    bounds = [one.at_least_per_s for one in walks if _is_bound(one)]
    known = [bound for bound in bounds if bound is not None]
    if exact and not is_bound(walks):
        known = [bound for bound in known if bound >= median(exact)]
    return [*exact, *known]


def is_bound(walks: Sequence[Walk]) -> bool:
    """True if half of the climbs or more ended before the limits did: their median is a bound."""
    bounds = sum(map(_is_bound, walks))
    return bounds > 0 and 2 * bounds >= len(walks)


def _has_bound(walks: Sequence[Walk], values: Sequence[float]) -> bool:
    """True if one of the values is a bound."""
    return any(_is_bound(one) and one.at_least_per_s in values for one in walks)


def _is_bound(walk: Walk) -> bool:
    return walk.capacity_per_s is None and walk.at_least_per_s is not None


def settled_capacities(outcomes: Sequence[TrialOutcome]) -> list[float]:
    """The capacities of the climbs; or, where fewer than half of the fresh starts held the rate to
    confirm, what they held on the way down from it."""
    fresh = _confirmations(outcomes)
    if not fresh or sum(bool(one.held) for one in fresh) >= FEWEST_HELD * len(fresh):
        return known_capacities(outcomes)
    kept = [one.sustained_per_s for one in fresh if one.sustained_per_s is not None]
    return kept if 2 * len(kept) > len(fresh) else known_capacities(outcomes)


def confirmed_rate(outcomes: Sequence[TrialOutcome]) -> float | None:
    """The rate to confirm: the lower end of the interval, or without one the lowest capacity."""
    values = known_capacities(outcomes)
    if not values:
        return None
    estimate = median_estimate(values)
    if estimate is None or estimate.low is None:
        return min(values)
    return estimate.low


def with_capacity(
    row: CellRow,
    cell: Cell,
    outcomes: Sequence[TrialOutcome],
    *,
    sequential: bool = False,
    by_flags: bool = False,
    calls_per_session: int = 1,
) -> CellRow:
    """The row of a capacity cell. `row` has the estimates at the highest rate that held.

    `by_flags`: hints name the flags of `httpdyno capacity`, else the keys of a study.
    """
    load = cell.load
    if not isinstance(load, CapacityLoad):
        return row
    capacity = _capacity_row(load, outcomes, sequential=sequential)
    capacity = capacity.model_copy(update={"calls_per_session": calls_per_session})
    walks = _valid_climbs(outcomes)
    remedies = remedies_of(load, len(walks), by_flags=by_flags)
    too_busy = busy(climbs(outcomes))
    reasons = [too_busy] if too_busy else doubts(capacity, walks, remedies)
    status = row.status if row.status == "invalid" or not reasons else reasons[0].status
    update: dict[str, object] = {}
    if status == "invalid":
        gone = {"capacity_per_s": None, "at_least_per_s": None, "knee_per_s": None}
        capacity = capacity.model_copy(update=gone)
        update = dict.fromkeys([*(one.column for one in MEASURED), "ceiling_share"])
    known = {reason.code for reason in reasons}
    others = [reason for reason in row.reasons if reason.code not in known]
    update |= {
        "capacity": capacity,
        "trials": _trials(row, outcomes, shown=status != "invalid" and not capacity.sustained),
        "notes": [*row.notes, *_repeats(walks)],
        "status": status,
        "reasons": [*reasons, *others],
    }
    return row.model_copy(update=update)


def _trials(row: CellRow, outcomes: Sequence[TrialOutcome], *, shown: bool) -> list[TrialRow]:
    """The trials of a row, each with its capacity if it is `shown`."""
    by_block = {one.block: one.walk.capacity_per_s for one in climbs(outcomes) if one.walk}
    return [
        trial.model_copy(update={"capacity_per_s": by_block.get(trial.block)})
        if trial.status != "invalid" and shown
        else trial
        for trial in row.trials
    ]


def _repeats(walks: Sequence[Walk]) -> list[str]:
    """Says how many climbs the machine disturbed that were then repeated."""
    repeated = sum(walk.repeated for walk in walks)
    if not repeated:
        return []
    verb = "was" if repeated == 1 else "were"
    return [
        f"{counted(repeated, 'climb')} {verb} disturbed by the machine and repeated: noise can only"
        " lower a capacity"
    ]


def with_cores(rows: Mapping[CellKey, CellRow], cells: Sequence[Cell]) -> dict[CellKey, CellRow]:
    """The rows with the cores that `for_rate` needs: in proportion to the capacity per core of the
    deployment with the most cores, of those of the server that were measured."""
    found = dict(rows)
    for cell in cells:
        row = rows[cell.key]
        if row.capacity is None or not isinstance(cell.load, CapacityLoad):
            continue
        same = [
            rows[other.key]
            for other in cells
            if (other.arm.server, other.arm.workload, other.load_name, other.arm.control_of)
            == (cell.arm.server, cell.arm.workload, cell.load_name, cell.arm.control_of)
            and _base(other.arm.name) == _base(cell.arm.name)
        ]
        best = max(
            (one for one in same if one.capacity and _rate(one.capacity) is not None),
            key=lambda one: one.capacity.cores if one.capacity else 0,
            default=None,
        )
        update = _cores(cell.load.for_rate, best)
        found[cell.key] = row.model_copy(
            update={"capacity": row.capacity.model_copy(update=update)}
        )
    return found


def _base(arm: str) -> str:
    return arm.partition("/")[0]


def _rate(row: CapacityRow) -> float | None:
    return row.at_least_per_s if row.capacity_per_s is None else row.capacity_per_s.value


def _cores(for_rate: float | None, row: CellRow | None) -> dict[str, object]:
    """The fields about the cores that a rate needs."""
    capacity = row.capacity if row else None
    if row is None or for_rate is None or capacity is None:
        return {}
    found, demand = capacity.capacity_per_s, for_rate * capacity.cores
    if found is None:
        bound = capacity.at_least_per_s
        return {"cores_at_most": bound and demand / bound, "cores_from": row.arm}
    needed = Estimate(
        value=demand / found.value,
        low=None if found.high is None else demand / found.high,
        high=None if not found.low else demand / found.low,
        trials=found.trials,
    )
    return {"cores_needed": needed, "cores_from": row.arm}


def _capacity_row(
    load: CapacityLoad, outcomes: Sequence[TrialOutcome], *, sequential: bool
) -> CapacityRow:
    limits = parse_limits(load.limits)
    walks = _valid_climbs(outcomes)
    values, confirmations = settled_capacities(outcomes), _confirmations(outcomes)
    estimate = median_estimate(values, sequential=sequential)
    sustained = values != known_capacities(outcomes)
    bounded = not sustained and is_bound(walks)
    profiles = _walks(outcomes, "profile")
    profile = [step for walk in profiles for step in walk.steps]
    curve = [
        step.model_copy(update={"start": place})
        for place, walk in enumerate([*walks, *profiles])
        for step in walk.steps
    ]
    curve.sort(key=lambda step: step.rate_per_s)
    seconds = [second for walk in profiles for second in walk.overload]
    return CapacityRow(
        limits=list(load.limits),
        limits_in_words=in_words(limits),
        capacity_per_s=None if bounded else estimate,
        at_least_per_s=estimate.value if bounded and estimate else None,
        high_is_bound=not bounded and not sustained and _has_bound(walks, values),
        cores=next((one.walk.cores for one in outcomes if one.walk), 1),
        confirmed_at_per_s=next((w.steps[0].rate_per_s for w in confirmations if w.steps), None),
        held=sum(bool(one.held) for one in confirmations),
        sustained=sustained,
        confirmations=len(confirmations),
        knee_per_s=_knee(curve),
        curve=curve,
        profile=profile,
        overload=seconds,
        goodput_per_s=_goodput(seconds),
        recovery_s=recovery_s(seconds, limits),
        for_rate_per_s=load.for_rate,
    )


def _confirmations(outcomes: Sequence[TrialOutcome]) -> list[Walk]:
    return [one for one in _walks(outcomes, "confirm") if one.held is not None]


def _valid_climbs(outcomes: Sequence[TrialOutcome]) -> list[Walk]:
    return [one.walk for one in climbs(outcomes) if one.status != "invalid" and one.walk]


def _walks(outcomes: Sequence[TrialOutcome], task: Task) -> list[Walk]:
    return [one.walk for one in outcomes if one.walk and one.walk.task == task]


def _knee(curve: Sequence[WalkStep]) -> float | None:
    """The knee of the median latency over the steps that held.

    Others may say nothing about the server: something else disturbed them.
    """
    held = [step for step in curve if step.outcome == "held"]
    return knee([(step.rate_per_s, step.p50_s) for step in held if step.p50_s])


def _goodput(seconds: Sequence[OverloadSecond]) -> dict[str, float]:
    found = {}
    for share in OVERLOADS:
        ok = [second.ok for second in seconds if second.share == share]
        if ok:
            found[f"{share:g}"] = sum(ok) / len(ok)
    return found


def recovery_s(seconds: Sequence[OverloadSecond], limits: Sequence[Threshold]) -> float | None:
    """Whole seconds from the end of the overload to the first of two seconds within the limit.

    The p99 of a second is held against the loosest limit of a time; None without such a limit, or
    if it does not come.
    """
    times = [one.limit for one in limits if one.unit == "time" and one.endpoint is None]
    limit = max(times, default=None)
    over = [second.second for second in seconds if second.share > 1]
    if limit is None or not over:
        return None
    after = [second for second in seconds if second.second > max(over)]
    within = [second.ok > 0 and second.p99_s <= limit for second in after]
    for place in range(len(within) - STEADY_AGAIN + 1):
        if all(within[place : place + STEADY_AGAIN]):
            return float(place)
    return None
