"""The summary of a job in Markdown: the answer, and what this runner can and cannot show."""

from __future__ import annotations

import json
from collections.abc import Iterator

from httpdyno.comparison.compare import CompareOutcome
from httpdyno.comparison.report import checks
from httpdyno.export.markdown import markdown
from httpdyno.listing import both
from httpdyno.metrics import COMPARED
from httpdyno.output.markdown_text import text
from httpdyno.result import Comparison, StudyResult
from httpdyno.statistics.claims.sentences import LEAST_DIFFERENCE
from httpdyno.units import counted, detectable

__all__ = [
    "FEWEST_PROCESSORS",
    "NO_OUTPUTS",
    "few_processors",
    "outputs",
    "summary",
]

FEWEST_PROCESSORS = 4
"""A server, the load generator, and what the runner itself does."""
NO_OUTPUTS = {"verdict": "error", "ratio": "", "interval": "", "report": ""}
"""The outputs of the step if the comparison could not be made."""


def summary(compared: CompareOutcome, result: StudyResult, processors: int) -> str:
    """The result as for a pull request, then the limits of this runner."""
    notes = [text(one) for one in _limits(compared, processors)]
    lines = "\n".join(f"- {one}" for one in notes)
    return f"{markdown(result, checks(compared))}\n**What this runner can show**\n\n{lines}\n"


def few_processors(processors: int) -> str | None:
    """The warning about a runner that is too small for narrow intervals; None: it is not."""
    if processors >= FEWEST_PROCESSORS:
        return None
    return (
        f"this runner has {counted(processors, 'processor')}: the server, the load generator and"
        " the runner's own programs disturb each other, so intervals are wider than on"
        f" {FEWEST_PROCESSORS} or more"
    )


def _limits(compared: CompareOutcome, processors: int) -> Iterator[str]:
    if (few := few_processors(processors)) is not None:
        yield f"{few[0].upper()}{few[1:]}."
    found = [
        f"{_detectable(row, row.smallest_detectable)} in {COMPARED[one.metric].noun}"
        for one in compared.decisions
        if (row := one.comparison) is not None
        and row.smallest_detectable is not None
        and row.smallest_detectable >= LEAST_DIFFERENCE
    ]
    if found:
        yield (
            f"By how much its {counted(compared.study.blocks, 'restart')} of each build differed,"
            f" {both(found)} would probably have been detected, and a smaller one"
            " perhaps not."
        )
    yield (
        "Both builds were measured here in turn, so a slow or busy runner affects both. The"
        " numbers themselves do not compare with those of another run, on another runner."
    )


def _detectable(row: Comparison, share: float) -> str:
    return detectable(share, "a change of ", drop=COMPARED[row.metric].more_is_better)


def outputs(compared: CompareOutcome) -> dict[str, str]:
    """The outputs of the step: of requests/s, the ratio of the changed build to its base and the
    interval of that as JSON; empty where there is no result."""
    row = next((one.comparison for one in compared.decisions if one.metric == "throughput"), None)
    ratio = None if row is None else row.ratio
    has_interval = ratio is not None and ratio.low is not None
    report = compared.ended.report
    return {
        "verdict": compared.decided,
        "ratio": f"{ratio.value:.4f}" if ratio is not None and has_interval else "",
        "interval": json.dumps([round(ratio.low or 0.0, 4), round(ratio.high or 0.0, 4)])
        if ratio is not None and has_interval
        else "",
        "report": "" if report is None else str(report.html),
    }
