"""The page of a load: `--report`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from httpdyno import units
from httpdyno.cli.load.output.answer import answer
from httpdyno.cli.load.output.counts import Line, counts
from httpdyno.cli.load.output.doubts import doubted_columns, doubted_of_parts
from httpdyno.cli.load.output.endpoint_steps import first_to_rise, step_tables
from httpdyno.cli.load.output.endpoints import COLUMNS as ENDPOINT_COLUMNS
from httpdyno.cli.load.output.endpoints import most_called
from httpdyno.cli.load.output.notes import notes
from httpdyno.cli.load.output.page_parts import conditions, numbers_table, request_line
from httpdyno.cli.load.output.steps import COLUMNS as STEP_COLUMNS
from httpdyno.cli.load.output.steps import STEPS_NOTE, steps_of
from httpdyno.cli.load.output.times import COLUMNS as TIME_COLUMNS
from httpdyno.cli.load.output.times import rows as time_rows
from httpdyno.cli.load.output.words import describe_load, describe_stop
from httpdyno.doubts import suspect_numbers
from httpdyno.engine import quantiles
from httpdyno.engine_plan import EnginePlan
from httpdyno.export import Check
from httpdyno.measurement import Measurement, SlowCall
from httpdyno.output.printable import printable
from httpdyno.report.charts.drawing.sheet import make_figure
from httpdyno.report.charts.figure import Figure
from httpdyno.report.charts.figures.endpoints import EndpointTimes, by_endpoint
from httpdyno.report.charts.figures.over_time import OverTime
from httpdyno.report.contents.load import LoadPage, NumbersTable
from httpdyno.report.page import load_page
from httpdyno.report.text.safe_texts import make_safe
from httpdyno.statistics.median_trial import spectrum
from httpdyno.verdict import Verdict

__all__ = ["page"]


def page(
    url: str,
    plan: EnginePlan,
    m: Measurement,
    verdict: Verdict,
    checks: Sequence[Check],
    server_cpus: float | None,
) -> str:
    """The page as text. `url` and `plan` are without secrets."""
    sentences = [STEPS_NOTE] if steps_of(plan, m) else []
    sentences += [first_to_rise(m, verdict), *notes(plan, m, verdict, server_cpus)]
    return load_page(
        LoadPage(
            verb="load",
            url=printable(url),
            load=f"{describe_load(plan)}, {describe_stop(plan)}",
            status=verdict.status,
            lead=printable(answer(m, verdict)),
            thresholds=[(one.name, one.outcome, one.text) for one in checks],
            reasons=make_safe(list(verdict.reasons)),
            tables=list(_tables(plan, m, verdict)),
            charts=_charts(m, verdict),
            by_endpoint=_by_endpoint(m, verdict),
            slowest=_slowest(plan, m),
            counts=_join(counts(plan, m)),
            notes=[one for one in sentences if one],
            measured=conditions(plan, m.started_at),
        )
    )


def _charts(m: Measurement, verdict: Verdict) -> list[Figure]:
    if not m.over_time:
        return []
    suspect = frozenset(suspect_numbers(verdict.status, verdict.reasons))
    sheets = OverTime(m.over_time, m.window_s, m.is_open, suspect).sheets()
    return [make_figure(sheet, sheet.slug) for sheet in sheets]


def _by_endpoint(m: Measurement, verdict: Verdict) -> Figure | None:
    """The times of each endpoint that has some, of those with a row in the summary."""
    shown = most_called(m)
    each = [
        EndpointTimes(printable(one.name), percentiles)
        for one in shown
        if one.response.count and (percentiles := spectrum(one.response, quantiles))
    ]
    if not each:
        return None
    suspect = frozenset(suspect_numbers(verdict.status, verdict.reasons))
    sheet = by_endpoint(each, suspect, len(m.endpoints) - len(shown))
    return make_figure(sheet, sheet.slug)


def _tables(plan: EnginePlan, m: Measurement, verdict: Verdict) -> Iterator[NumbersTable]:
    found = time_rows(m, quantiles)
    if found:
        yield numbers_table("Times in milliseconds", TIME_COLUMNS, found, doubted_columns(verdict))
    if m.endpoints:
        yield numbers_table("By endpoint", ENDPOINT_COLUMNS, m.endpoints, doubted_of_parts(verdict))
    steps = steps_of(plan, m)
    if any(step.seconds for step in steps):
        yield numbers_table("By step of the rate", STEP_COLUMNS, steps, doubted_of_parts(verdict))
    for columns in step_tables(m, doubted_of_parts(verdict)):
        title = "By endpoint and step of the rate"
        yield numbers_table(title, columns, m.endpoints, frozenset())


def _slowest(plan: EnginePlan, m: Measurement) -> NumbersTable | None:
    """The slowest calls with what was sent; None without any."""
    if not m.slowest:
        return None
    head = ("response", "request", "outcome", "due at", "waited", "first byte", "connection")
    return NumbersTable(
        f"{len(m.slowest)} of {units.counted(m.calls.sent, 'call')}",
        head,
        [_slow_call(plan, call) for call in m.slowest],
        "Waited: due → sent. First byte: sent → first byte of the reply. A call that failed counts"
        " until it did.",
        texts={0, 1, 2},
    )


def _slow_call(plan: EnginePlan, call: SlowCall) -> Sequence[str]:
    def since(ns: int | None) -> str:
        return "–" if ns is None else units.duration(ns * 1e-9)

    status = "" if call.status is None else f"{call.status} "
    end = "" if call.end == "ok" else call.end.replace("_", " ")
    return (
        since(call.response_ns),
        request_line(plan.requests[call.request]) if call.request < len(plan.requests) else "–",
        f"{status}{end}".strip(),
        f"{call.due_ns * 1e-9:,.2f} s",
        since(call.waited_ns),
        since(call.first_byte_ns),
        f"{call.connection:,}",
    )


def _join(lines: Sequence[Line]) -> list[tuple[str, str]]:
    """The lines of one label as one."""
    found: list[tuple[str, str]] = []
    for label, text in lines:
        if label or not found:
            found.append((label, text))
        else:
            found[-1] = (found[-1][0], f"{found[-1][1]}; {text}")
    return found
