"""Numbers as a reader sees them: each with its unit, and its interval where it is an estimate."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from httpdyno import units
from httpdyno.metrics import COMPARED
from httpdyno.result import (
    CellRow,
    Comparison,
    DecisionOutcome,
    Estimate,
    RankedArm,
    Status,
    StudyResult,
    few_trials,
)
from httpdyno.statistics.claims.sentences import LEAST_DIFFERENCE

NO_RESULT = "no result"
REFUSED = "refused"
NO_INTERVAL = "no interval"
LEFT_OUT = "A ratio leaves out blocks in which one of the two arms has no result."
TONES: Mapping[DecisionOutcome, Status] = {
    "regression": "invalid",
    "no result": "invalid",
    "cannot tell": "suspect",
    "no regression shown": "valid",
}
"""The colours of decisions: those of these verdicts."""
Format = Callable[[float], str]


def ratio(value: float) -> str:
    """A ratio: `1.81×`."""
    return units.times(value)


def within(text: str, names: Iterable[str] = ()) -> str:
    """A text as the middle of a sentence: `Requests` becomes `requests`. `CPU` stays, and so does
    one of these names at its beginning."""
    if text.startswith(tuple(f"{name} " for name in names)) or not text[1:2].islower():
        return text
    return text[:1].lower() + text[1:]


def length(seconds: float) -> str:
    """Length of a run: `41.3 s`, `12 min`, `3 h 5 min`."""
    if not 120 <= seconds < 1e9:
        return units.duration(max(0.0, seconds))
    hours, minutes = divmod(round(seconds / 60), 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min"


def interval(estimate: Estimate, form: Format) -> str:
    """The 95 % confidence interval, a shared unit given once; or why there is none."""
    if estimate.low is None or estimate.high is None:
        return few_trials(estimate.trials)
    return units.span(form(estimate.low), form(estimate.high))


def without_interval(estimate: Estimate) -> str:
    """`no interval` for an estimate that has none; else empty."""
    return NO_INTERVAL if estimate.low is None or estimate.high is None else ""


def estimate(value: Estimate | None, form: Format) -> str:
    """An estimate with its interval, in one line of plain text."""
    return NO_RESULT if value is None else f"{form(value.value)} ({interval(value, form)})"


def in_table(value: Estimate, form: Format) -> str:
    """An estimate with its interval; alone where it has none, which a table does not repeat."""
    lacks = value.low is None or value.high is None
    return form(value.value) if lacks else estimate(value, form)


def note_on_intervals(estimates: Sequence[Estimate | None]) -> str:
    """The sentence of a table whose numbers have no interval, some of them or all."""
    found = [one for one in estimates if one is not None]
    lacking = [one for one in found if one.low is None or one.high is None]
    if not lacking:
        return ""
    if len(lacking) == len(found):
        return few_trials(max(one.trials for one in lacking))
    return "a number without small print has too few trials for an interval"


def without_result(cell: CellRow) -> str:
    """The words in place of a number: it has no result, or was refused before it was measured."""
    return REFUSED if is_refused(cell) else NO_RESULT


def is_refused(cell: CellRow) -> bool:
    """True for a cell that was left out because its server does not support the load."""
    return any(reason.code == "refused" for reason in cell.reasons)


def is_empty(result: StudyResult) -> bool:
    """True for a result of which nothing was measured."""
    return not any(
        cell.trials or cell.throughput_per_s is not None or cell.capacity is not None
        for cell in result.cells
    )


def outcome(row: Comparison) -> str:
    """The outcome of a comparison; without a difference, the smallest one it could have shown."""
    if row.outcome != "no difference shown":
        return row.outcome
    if row.smallest_detectable is not None and row.smallest_detectable < LEAST_DIFFERENCE:
        return "no difference shown"
    if row.smallest_detectable is None:
        return "no difference shown; too few trials to say how large one could have been"
    drop = COMPARED[row.metric].more_is_better
    least = units.detectable(row.smallest_detectable, "one of ", drop=drop)
    return f"no difference shown; {least} would probably have been detected"


def ranks(one: RankedArm) -> str:
    """The ranks that an arm can have: `1`, or `2 to 4`."""
    return f"{one.best:,}" if one.best == one.worst else f"{one.best:,} to {one.worst:,}"


def blocks_done(result: StudyResult) -> str:
    """The blocks of a result that is not complete: `3 of 10 blocks were measured`."""
    if is_empty(result):
        return "nothing was measured"
    done, planned = result.blocks_done, result.blocks_planned
    if done < planned:
        if done == 0:
            return "no block was measured whole"
        return f"{done} of {planned} blocks {'was' if done == 1 else 'were'} measured"
    return "some loads or arms were not measured in every block"


def levels(rows: Iterable[Comparison]) -> str:
    """The confidence levels of the intervals of these ratios: `95 %`, `97.5 to 99.2 %`; empty:
    there is no interval."""
    known = [one for one in rows if one.ratio is not None and one.ratio.low is not None]
    if not known:
        return ""
    found = sorted(one.level for one in known)
    low, high = units.confidence(found[0]), units.confidence(found[-1])
    return high if low == high else f"{low.removesuffix(' %')} to {high}"
