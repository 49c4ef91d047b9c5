"""The places that an answer may be about: the arms of one workload at a load point."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from httpdyno.doubts import Number
from httpdyno.outcome import CellKey
from httpdyno.plan import Arm, Plan
from httpdyno.result import CellRow, Comparison, Ranking
from httpdyno.statistics.claims.family import Claims
from httpdyno.statistics.claims.rankings import ranked_by


@dataclass(frozen=True)
class Place:
    """The arms of one workload at a load point, without the A/A control."""

    load: str
    point: str
    rows: Sequence[CellRow]
    compared: Sequence[Comparison]
    """The comparisons of these arms that have a ratio."""
    ranking: Ranking | None
    """None: fewer than two of them have enough trials."""

    @property
    def known(self) -> list[CellRow]:
        """The arms with a result."""
        return [row for row in self.rows if row.status != "invalid"]

    @property
    def without(self) -> list[str]:
        """The arms without a result."""
        return [row.arm for row in self.rows if row.status == "invalid"]

    @property
    def number(self) -> Number:
        """The number by which the arms with a result are compared."""
        return "p99" if ranked_by(self.known) == "p99" else "throughput"


def places(arms: Sequence[Arm], cells: Mapping[CellKey, CellRow], found: Claims) -> list[Place]:
    """Every place, in the order of the cells."""
    workload = {arm.name: arm.workload for arm in arms if arm.control_of is None}
    groups: dict[tuple[str, str, str], list[CellRow]] = {}
    for (arm, load, point), row in cells.items():
        if arm in workload:
            groups.setdefault((load, point, workload[arm]), []).append(row)
    return [_place(load, point, rows, found) for (load, point, _), rows in groups.items()]


def _place(load: str, point: str, rows: Sequence[CellRow], found: Claims) -> Place:
    names = {row.arm for row in rows}
    compared = [
        one
        for one in found.comparisons
        if (one.load, one.point) == (load, point)
        and one.arm in names
        and one.metric in ("throughput", "p99")
        and one.ratio is not None
    ]
    rankings = (
        one
        for one in found.rankings
        if (one.load, one.point) == (load, point) and {arm.arm for arm in one.arms} <= names
    )
    return Place(load, point, rows, compared, next(rankings, None))


def best_first(place: Place, plan: Plan) -> tuple[bool, bool, bool, bool, bool, bool, float]:
    """Sort key: decided, compared with the baseline, at full speed, valid, plain, of two servers,
    at the highest rate."""
    load, known = plan.study.loads[place.load], place.known
    server = {arm.name: arm.server for arm in plan.arms}
    return (
        place.ranking is None,
        not place.compared,
        load.purpose != "closed",
        sum(row.status_of(place.number) == "valid" for row in known) < 2,
        load.duration is None or not load.keep_alive or load.burst > 1 or load.think > 0,
        len({server[row.arm] for row in known}) < 2,
        -max(row.rate_per_s or 0.0 for row in known),
    )
