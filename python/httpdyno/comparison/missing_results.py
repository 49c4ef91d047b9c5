"""The metrics of a comparison that have no result, each with the reason that cost it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from httpdyno.comparison.compare import CompareOutcome, cells_under
from httpdyno.comparison.loads import deciding_loads
from httpdyno.comparison.words import too_few
from httpdyno.doubts.pace import FELL_BEHIND, disturbance
from httpdyno.listing import both
from httpdyno.metrics import COMPARED
from httpdyno.result import CellRow, Reason, StudyResult
from httpdyno.statistics.decide import Decision
from httpdyno.statistics.intervals import FEWEST_TRIALS

UNSENT = "unsent"
"""The reason of a verdict that calls fell due and were never sent."""


def missing_results(compared: CompareOutcome) -> str | None:
    """A sentence for the metrics that lost their result for the same reason; None: all have one."""
    lost = [one for one in compared.decisions if one.decided == "no result"]
    result = compared.ended.result
    if not lost or result is None:
        return None
    nouns: dict[str | None, list[str]] = {}
    for one in lost:
        nouns.setdefault(_reason(compared, result, one), []).append(COMPARED[one.metric].noun)
    return ". ".join(
        f"No valid result for {both(same)}" + (f": {reason}" if reason else "")
        for reason, same in nouns.items()
    )


def _reason(compared: CompareOutcome, result: StudyResult, lost: Decision) -> str | None:
    """The reason why this metric has no result; None: no trial shows one."""
    for failure in result.failures:
        if failure.arm in compared.names:
            return f"{failure.arm} was left out: {failure.reason}"
    load = deciding_loads({info.name: info for info in result.loads}, cpu=True)[lost.metric]
    cells = [cell for cell in cells_under(compared, load) if cell is not None]
    ratio = None if lost.comparison is None else lost.comparison.ratio
    if lost.comparison is None:
        return next(_too_slow(cells), None) or next(_invalid(cells), None)
    few = min((len(one.trials) for one in cells), default=0) < FEWEST_TRIALS
    if not few and (reason := next(_invalid(cells), None)) is not None:
        return reason
    stopped = f"interrupted: {result.blocks_done} of {result.blocks_planned} blocks"
    if ratio is None:
        return stopped if compared.ended.interrupted else next(_invalid(cells), None)
    return too_few(ratio) + (f" ({stopped})" if compared.ended.interrupted else "")


def _too_slow(cells: Sequence[CellRow]) -> Iterator[str]:
    """Why an arm did not keep up with the rate in enough trials, or why that is unknown; first the
    arms that fell behind in some of them."""
    for cell in sorted(cells, key=lambda one: _behind(one) is None):
        if cell.pace == "kept up":
            continue
        behind, other = _behind(cell), disturbance(cell.reasons)
        texts = [one.text for one in (behind, other) if one is not None]
        if texts:
            yield f"{cell.arm}: {', while '.join(texts)}"


def _behind(cell: CellRow) -> Reason | None:
    """The reason why a rate was not reached: an overload, or else calls that were never sent."""
    found = {one.code: one for one in cell.reasons}
    return found.get(FELL_BEHIND) or found.get(UNSENT)


def _invalid(cells: Sequence[CellRow]) -> Iterator[str]:
    """The reasons that left trials without a result."""
    for cell in cells:
        yield from (f"{cell.arm}: {one.text}" for one in cell.reasons if one.status == "invalid")
