"""The result of a comparison with its decision: in its report, and as checks for CI."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from httpdyno.comparison.answer import answer
from httpdyno.comparison.compare import CompareOutcome, doubts
from httpdyno.comparison.rows import decision_rows
from httpdyno.comparison.words import sentence
from httpdyno.export import Check, Outcome
from httpdyno.metrics import COMPARED
from httpdyno.report import write_report
from httpdyno.result import DecisionOutcome, StudyResult
from httpdyno.running.options import RunOptions
from httpdyno.running.stored_result import Conclusion, with_conclusion
from httpdyno.statistics.claims.changes import percent
from httpdyno.store import open_store


def with_answer(compared: CompareOutcome, options: RunOptions) -> StudyResult | None:
    """The result with the decision as its answer, stored, and its report written again; None: no
    result."""
    ended = compared.ended
    if ended.result is None:
        return None
    lead, *more = answer(compared, options)
    text = " ".join([lead, *more])
    found = Conclusion(answer=text, lead=lead, decisions=decision_rows(compared))
    result = with_conclusion(ended.result, found)
    if ended.run is not None:
        open_store(options.store_url).conclude(ended.run, found.model_dump_json())
    if ended.report is not None:
        write_report(result, Path(ended.report.html).parent)
    return result


def checks(compared: CompareOutcome) -> Sequence[Check]:
    """Each decision for reports of CI: only a shown pass is one. Of the endpoints, those that are
    regressions."""
    moved = f"; {compared.canary.text}" if compared.canary and compared.moved else ""
    return [
        Check(
            name=f"{COMPARED[one.metric].noun} of {compared.names[1]},"
            f" margin {percent(one.margin)}",
            outcome=_OUTCOMES[one.decided],
            text=("" if one.decided == "no result" else f"{one.decided}: ")
            + sentence(one, *compared.names)
            + (", suspect" if doubts(compared, one) else "")
            + (f"; {one.reserve}" if one.reserve else "")
            + moved,
        )
        for one in compared.decisions
    ] + [
        Check(
            name=f"{one.noun} of {compared.names[1]}, margin {percent(one.margin)}",
            outcome="failed",
            text=one.words,
        )
        for one in compared.endpoints
        if one.is_regression
    ]


_OUTCOMES: dict[DecisionOutcome, Outcome] = {
    "regression": "failed",
    "cannot tell": "cannot tell",
    "no result": "no result",
    "no regression shown": "passed",
}
