"""Published numbers beside the measurements, and the verdicts on their logs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from httpdyno import units
from httpdyno.report.charts.figure import Figure
from httpdyno.report.contents.rows.arms import ArmLabel, Labels
from httpdyno.report.text.log_verdicts import doubt, in_short, log_lines
from httpdyno.report.text.replay import Entry, ReplayRow, replay_groups
from httpdyno.result import PublishedRow, Reason, Status, StudyResult

_FEW_ROWS = 8
"""A table of so many rows is open when the page is."""


@dataclass(frozen=True)
class PublishedLine:
    """One published number of an arm."""

    number: str
    about: str
    doubt: str
    """The verdict on its log, unless that is valid or unknown."""


@dataclass(frozen=True)
class ReplayLine:
    """One arm: the published numbers, the same load rerun here, and the corrected loads."""

    arm: ArmLabel
    published: Sequence[PublishedLine]
    rerun: Sequence[Entry]
    corrected: Sequence[Entry]


@dataclass(frozen=True)
class ReplayTable:
    """The arms of one workload; None: the study has only one."""

    workload: str | None
    lines: Sequence[ReplayLine]


@dataclass(frozen=True)
class Replay:
    """The section of a study that replays a published comparison."""

    figures: Sequence[Figure]
    tables: Sequence[ReplayTable]

    @property
    def open(self) -> bool:
        """True if the tables are shown without a click."""
        return not self.figures or len(self.tables[0].lines) <= _FEW_ROWS


@dataclass(frozen=True)
class LogVerdictLine:
    """The verdict on the log of one published number."""

    arm: ArmLabel
    published: str
    status: Status
    reasons: Sequence[Reason]
    facts: str


@dataclass(frozen=True)
class LogVerdicts:
    """The verdicts on all logs that are known."""

    in_short: str
    lines: Sequence[LogVerdictLine]


def replay(result: StudyResult, figures: Sequence[Figure], labels: Labels) -> Replay | None:
    """The published numbers; None for a study that replays nothing."""
    tables = [
        ReplayTable(workload, [_line(row, labels) for row in rows])
        for workload, rows in replay_groups(result)
    ]
    return Replay([one for one in figures if one.section == "replay"], tables) if tables else None


def log_verdicts(result: StudyResult, labels: Labels) -> LogVerdicts | None:
    """The verdicts on the raw logs; None where no log is known."""
    lines = log_lines(result)
    if not lines:
        return None
    shown = [
        LogVerdictLine(
            arm=labels(line.row.arm),
            published=" · ".join(part for part in (line.published, line.row.source) if part),
            status=line.verdict.status,
            reasons=line.verdict.reasons,
            facts=line.facts,
        )
        for line in lines
    ]
    return LogVerdicts(in_short(lines), shown)


def _line(row: ReplayRow, labels: Labels) -> ReplayLine:
    published = [_published(one) for one in row.published]
    return ReplayLine(labels(row.arm), published, row.rerun, row.corrected)


def _published(row: PublishedRow) -> PublishedLine:
    number = units.rate(row.requests_per_s) if row.requests_per_s else "no number"
    return PublishedLine(number, "; ".join(t for t in (row.note, row.source) if t), doubt(row))
