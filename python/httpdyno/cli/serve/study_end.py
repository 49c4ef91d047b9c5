"""The end of a study, as its page shows it."""

from __future__ import annotations

from httpdyno.report.contents.answer import answer
from httpdyno.report.contents.banners import banners
from httpdyno.report.contents.rows.arms import labels
from httpdyno.report.text.safe_texts import make_safe
from httpdyno.run import RunOutcome
from httpdyno.running.live.events import Outcome, RunEnds

__all__ = ["end_of"]


def end_of(ended: RunOutcome) -> RunEnds:
    """The end of a study, with its answer and the limits of that, as its report has them."""
    outcome: Outcome = "interrupted" if ended.interrupted else "complete"
    report = None if ended.report is None else str(ended.report.html)
    if ended.result is None:
        return RunEnds(outcome, stored=ended.stored, planned=ended.planned, report=report)
    shown = make_safe(ended.result)
    return RunEnds(
        outcome,
        answer=answer(shown, labels(shown)).lead,
        limits=[(one.severity, one.sentence, one.section) for one in banners(shown)],
        stored=ended.stored,
        planned=ended.planned,
        report=report,
    )
