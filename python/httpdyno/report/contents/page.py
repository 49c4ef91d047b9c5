"""The page as a whole: its sections in order."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass

from httpdyno.doubts import in_words
from httpdyno.report.charts.drawing.rows import MOST_UNSORTED
from httpdyno.report.charts.figure import Figure
from httpdyno.report.contents.arms import ArmLabel, Labels, colours_note, labels
from httpdyno.report.contents.banners import Banner, banners, caveats, is_summary
from httpdyno.report.contents.capacity import Capacity, capacity
from httpdyno.report.contents.ranks import RankTable, rank_tables
from httpdyno.report.contents.replay import LogVerdicts, Replay, log_verdicts, replay
from httpdyno.report.contents.tables import (
    CellLine,
    ComparisonLine,
    LoadTable,
    cell_tables,
    comparison_tables,
)
from httpdyno.report.text import words
from httpdyno.report.text.conformance_table import ProbedServer, probe_names, probed_servers
from httpdyno.report.text.drawable import drawable
from httpdyno.report.text.explanations import (
    EXPLANATIONS,
    Explanation,
    Feature,
    kind_words,
    restart_words,
)
from httpdyno.result import ArmInfo, CellRow, FailureRow, Reason, Status, StudyResult


@dataclass(frozen=True)
class Page:
    """Everything that the template shows. A section that is None is left out."""

    result: StudyResult
    """For texts that are shown as they are: title, question, answer, command, machine."""
    banners: Sequence[Banner]
    caveats: Sequence[str]
    replay: Replay | None
    log_verdicts: LogVerdicts | None
    setup: Setup
    capacity: Capacity | None
    charts: Sequence[ChartSection]
    numbers: Sequence[LoadTable[CellLine]]
    verdicts: Verdicts
    conformance: Conformance | None
    failures: Sequence[FailureLine]
    restarts: str
    """The servers that each trial starts anew."""
    started: str
    took: str
    has_trials: bool


@dataclass(frozen=True)
class Setup:
    """The arms and loads of the study."""

    colours_note: str
    arms: Sequence[tuple[ArmLabel, ArmInfo]]
    loads: Sequence[LoadLine]


@dataclass(frozen=True)
class LoadLine:
    """A load in words."""

    title: str
    description: str
    kind: str
    note: str


@dataclass(frozen=True)
class ChartSection:
    """A section of charts; without charts, `explanation` says that there are none."""

    section: str
    heading: str
    explanation: str
    charts: Sequence[Figure]
    comparisons: Sequence[LoadTable[ComparisonLine]]
    """The tables of the section that compares arms; empty elsewhere."""
    ranks: Sequence[RankTable]
    """Also of that section."""


@dataclass(frozen=True)
class ReasonLine:
    """A reason, and the numbers that it doubts; empty: there is no result."""

    numbers: str
    reason: Reason


@dataclass(frozen=True)
class VerdictLine:
    """A cell or a trial with a doubt."""

    arm: ArmLabel
    where: str
    status: Status
    reasons: Sequence[ReasonLine]
    block: int | None = None
    """None: the whole cell."""


@dataclass(frozen=True)
class Verdicts:
    """The cells with a doubt, and the trials with one in the other cells."""

    cells: int
    doubtful: Sequence[VerdictLine]
    doubtful_trials: Sequence[VerdictLine]


@dataclass(frozen=True)
class Conformance:
    """The conformance table: servers × probes."""

    probes: Sequence[str]
    servers: Sequence[ProbedServer]


@dataclass(frozen=True)
class FailureLine:
    """An arm that could not be measured."""

    arm: ArmLabel
    failure: FailureRow


def page(result: StudyResult, charts: Sequence[Figure]) -> Page:
    """The page of a result with these charts."""
    named = labels(result)
    probed = probed_servers(result)
    return Page(
        result=result,
        banners=banners(result),
        caveats=caveats(result),
        replay=replay(result, charts, named),
        log_verdicts=log_verdicts(result, named),
        setup=_setup(result, named),
        capacity=capacity(result, charts, named),
        charts=_chart_sections(result, charts, named),
        numbers=cell_tables(result, named),
        verdicts=_verdicts(result, named),
        conformance=Conformance(probe_names(result), probed) if probed else None,
        failures=[FailureLine(named(failure.arm), failure) for failure in result.failures],
        restarts=restart_words(result.arms),
        started=words.moment(result.started_at),
        took=words.length(result.ended_at - result.started_at),
        has_trials=not is_summary(result),
    )


def _setup(result: StudyResult, named: Labels) -> Setup:
    return Setup(
        colours_note=colours_note(result),
        arms=[(named(arm.name), arm) for arm in result.arms],
        loads=[
            LoadLine(one.title, one.description, kind_words(one), one.note) for one in result.loads
        ],
    )


def _chart_sections(
    result: StudyResult, charts: Sequence[Figure], named: Labels
) -> list[ChartSection]:
    compared, ranked = comparison_tables(result, named), rank_tables(result, named)
    return [
        _chart_section(
            result, one, [c for c in charts if c.section == one.section], compared, ranked
        )
        for one in EXPLANATIONS
        if _has_section(result, one.section, charts)
        and (len(result.arms) > 1 if one.section == "ratio" else _has_other_loads(result))
    ]


def _has_section(result: StudyResult, section: str, charts: Sequence[Figure]) -> bool:
    """False for a section without charts that another one makes up for."""
    drawn = {chart.section for chart in charts}
    if section in drawn:
        return True
    if section in ("rates", "timeline") or (section == "errors" and "rates" in drawn):
        return False
    if section in ("throughput", "latency"):
        return "rates" not in drawn
    # A summary has no distributions, and says so once at the top.
    return section != "spectrum" or not is_summary(result)


def _has_other_loads(result: StudyResult) -> bool:
    """False for a study that only searches for capacities: its numbers have a section."""
    return any(load.kind != "capacity" for load in result.loads) or not result.loads


def _chart_section(
    result: StudyResult,
    one: Explanation,
    charts: Sequence[Figure],
    compared: Sequence[LoadTable[ComparisonLine]],
    ranked: Sequence[RankTable],
) -> ChartSection:
    text = one.text(_features(result, charts)) if charts else one.without
    tables, ranks = (compared, ranked) if one.section == "ratio" else ((), ())
    return ChartSection(one.section, one.heading, text, charts, tables, ranks)


def _features(result: StudyResult, charts: Sequence[Figure]) -> Set[Feature]:
    found: set[Feature] = {"log" if chart.is_log else "linear" for chart in charts}
    if any(chart.section == "rates" for chart in charts):
        found.add("curves")
        calls = {load.name: load.calls_per_arrival for load in result.loads}
        if any(_above(cell, calls.get(cell.load, 1)) for cell in result.cells):
            found.add("above")
    rows = [chart for chart in charts if chart.section != "rates"]
    if rows and not is_summary(result):
        found.add("trials")
        if all(arm.restarted for arm in result.arms):
            found.add("restarts")
    if any(len(chart.table.rows) > MOST_UNSORTED for chart in rows):
        found.add("many")
    return found


def _above(cell: CellRow, calls: int) -> bool:
    """True if a cell answered clearly more than was offered."""
    if cell.status == "invalid" or cell.throughput_per_s is None:
        return False
    offered = drawable(cell.rate_per_s, calls)
    return offered is not None and cell.throughput_per_s.value > 1.02 * offered


def _verdicts(result: StudyResult, named: Labels) -> Verdicts:
    doubtful, trials = [], []
    for cell in result.cells:
        arm, where = named(cell.arm), _where(cell)
        if cell.status != "valid" or cell.doubted:
            doubtful.append(VerdictLine(arm, where, cell.status, _reason_lines(cell.reasons)))
            continue
        for one in cell.trials:
            if one.status != "valid" or one.reasons:
                told = _reason_lines(one.reasons)
                trials.append(VerdictLine(arm, where, one.status, told, one.block))
    return Verdicts(len(result.cells), doubtful, trials)


def _reason_lines(reasons: Sequence[Reason]) -> list[ReasonLine]:
    return [
        ReasonLine("" if one.status == "invalid" else in_words(one.doubts), one) for one in reasons
    ]


def _where(cell: CellRow) -> str:
    return f"{cell.load}, {cell.point}"
