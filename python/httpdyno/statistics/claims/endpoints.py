"""The p99 of each endpoint of an arm, compared with that of the baseline of its workload.

Only where the p99 of all calls is compared: under a rate that both kept up with. `family.py`
decides on all of them together with all other comparisons.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from httpdyno.outcome import CellKey
from httpdyno.plan import Plan
from httpdyno.result import CellRow, Comparison
from httpdyno.statistics.claims.comparisons import metrics_of, pairs
from httpdyno.statistics.compare import compare


def endpoint_comparisons(plan: Plan, rows: Mapping[CellKey, CellRow]) -> Iterator[Comparison]:
    """The comparisons of the endpoints of a study, each as if it were alone."""
    for base, row in pairs(plan, rows):
        if "p99" not in metrics_of(row, base):
            continue
        known = {one.name for one in row.endpoints}
        for name in (one.name for one in base.endpoints if one.name in known):
            found = compare(
                _by_block(base, name),
                _by_block(row, name),
                names=(base.arm, row.arm),
                at=(row.load, row.point),
                metric="p99",
                sequential=plan.sequential,
            )
            yield found.model_copy(update={"endpoint": name})


def _by_block(row: CellRow, name: str) -> dict[int, float]:
    """The p99 of an endpoint by block, without the trials that lack it."""
    return {
        trial.block: one.p99_s
        for trial in row.trials
        for one in trial.endpoints
        if one.name == name and one.p99_s is not None
    }
