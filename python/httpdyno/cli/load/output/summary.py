"""The summary of a load, which a person reads in ten seconds."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from httpdyno import units
from httpdyno.cli.lines import lines_of
from httpdyno.cli.load.output.counts import Line, counts
from httpdyno.cli.load.output.doubts import doubted_columns, doubted_of_parts, mark_threshold
from httpdyno.cli.load.output.endpoint_steps import first_to_rise
from httpdyno.cli.load.output.endpoint_steps import tables as endpoint_steps_tables
from httpdyno.cli.load.output.endpoints import endpoints_note
from httpdyno.cli.load.output.endpoints import table as endpoints_table
from httpdyno.cli.load.output.notes import notes
from httpdyno.cli.load.output.steps import STEPS_NOTE, steps_of
from httpdyno.cli.load.output.steps import table as steps_table
from httpdyno.cli.load.output.times import LABEL, bound, pictures, table
from httpdyno.cli.load.output.words import describe_load
from httpdyno.doubts import MARKS, in_words, mark, why_invalid
from httpdyno.engine_plan import EnginePlan
from httpdyno.limits.thresholds import ThresholdCheck
from httpdyno.measurement import Measurement, Quantiles
from httpdyno.verdict import Verdict

__all__ = ["summary"]

_MOST_WIDTH = 120
"""Longer lines are hard to read."""
NOT_A_RESULT = "seen, not a result (the reasons are below):"
"""Stands above the numbers of an invalid measurement."""
_WHOLE = re.compile(r"`[^`]+`|[0-9] (%( CI)?|(ns|µs|ms|s|B|KiB|MiB|GiB)\b)")


def summary(
    url: str,
    plan: EnginePlan,
    measurement: Measurement,
    verdict: Verdict,
    thresholds: Sequence[ThresholdCheck],
    quantiles: Quantiles,
    width: int,
    server_cpus: float | None = None,
) -> str:
    """The whole text, for a terminal of `width` columns.

    `server_cpus`: the processors that the server used; None: not known.
    """
    width = min(width, _MOST_WIDTH) - 2
    head = (_headline(measurement, verdict), url, describe_load(plan))
    times = table(measurement, quantiles, width, doubted_columns(verdict))
    steps = steps_table(steps_of(plan, measurement), width, doubted_of_parts(verdict))
    endpoints = endpoints_table(measurement, width, doubted_of_parts(verdict))
    of_both = endpoint_steps_tables(measurement, width, doubted_of_parts(verdict))
    about = [
        times.not_shown if measurement.times.response.count else "",
        *_about_marks(verdict),
        *notes(plan, measurement, verdict, server_cpus),
        endpoints_note(measurement),
        f"{STEPS_NOTE} {steps.not_shown}" if steps.lines() else "",
        of_both[0].not_shown if of_both else "",
        first_to_rise(measurement, verdict),
    ]
    blocks = [
        [line for text in head for line in _wrap(text, width)],
        [NOT_A_RESULT] if verdict.status == "invalid" else [],
        times.lines(),
        endpoints,
        steps.lines(),
        *(one.lines() for one in of_both),
        pictures(measurement, quantiles, width),
        _with_labels(counts(plan, measurement), width),
        [line for note in about for line in _wrap(note, width)],
        _with_labels(_judgement(verdict, thresholds), width),
    ]
    return "\n\n".join("\n".join(block) for block in blocks if block)


def _headline(m: Measurement, verdict: Verdict) -> str:
    """The status and the result; an invalid measurement has a reason, and no result."""
    invalid = why_invalid(verdict.reasons)
    parts = [f"no result: {invalid}"] if invalid else _numbers(m, verdict)
    if m.stopped_by == "interrupt":
        parts.append(f"interrupted after {units.duration(m.window_s)}")
    return f"{verdict.status.upper()}: {', '.join(parts)}"


def _numbers(m: Measurement, verdict: Verdict) -> list[str]:
    offered = "" if m.offered_per_s is None else f" of {units.significant(m.offered_per_s)}"
    throughput = units.significant(m.throughput_per_s) + mark(verdict, "throughput")
    parts = [f"{throughput}{offered} requests/s"]
    seen = m.times.response
    p99 = f"p99 {bound(seen, 0.99, seen.p99_ns)}{units.duration(seen.p99_ns * 1e-9)}"
    parts.append(p99 + mark(verdict, "p99") if seen.count else "no times")
    lost = m.calls.failed + m.calls.in_flight
    doubt = mark(verdict, "errors")
    parts.append(f"{units.percent(m.error_share)}{doubt} failed" if lost else f"none failed{doubt}")
    # Sessions under way at the stop leave calls unsent, which is no failure.
    if not m.is_closed and not m.in_sessions and m.calls.unsent:
        parts.append(f"{units.percent(m.calls.unsent / m.calls.due)} unsent")
    return parts


def _about_marks(verdict: Verdict) -> Iterable[str]:
    if mark(verdict, "throughput", "p50", "p99", "errors"):
        yield f"{MARKS['suspect']} suspect number: the reasons are below"


def _judgement(verdict: Verdict, thresholds: Sequence[ThresholdCheck]) -> Iterable[Line]:
    for reason in verdict.reasons:
        invalid = reason.status == "invalid"
        numbers = "" if invalid else f"{in_words(reason.doubts)}: "
        yield reason.status, numbers + reason.text
        yield "", f"hint: {reason.hint}"
    for checked in thresholds:
        outcome = "passed" if checked.passed else "failed"
        doubt = mark_threshold(verdict, checked.threshold)
        yield "threshold", f"{outcome}: {checked.comparison}{doubt}"


def _with_labels(lines: Iterable[Line], width: int) -> list[str]:
    """Each label, and its text wrapped beside it."""
    indent = " " * LABEL
    rows = []
    for label, text in lines:
        wrapped = _wrap(text, width - LABEL) or [""]
        # A label as wide as the column still has a space after it.
        separator = " " * max(1, LABEL - len(label))
        rows += [f"{label}{separator}{wrapped[0]}", *(indent + line for line in wrapped[1:])]
    return rows


def _wrap(text: str, width: int) -> list[str]:
    """Wrap a text, but neither between a number and its unit nor within a command to paste."""
    kept = _WHOLE.sub(lambda whole: whole[0].replace(" ", "\xa0"), text)
    return [line.replace("\xa0", " ") for line in lines_of(kept, width)]
