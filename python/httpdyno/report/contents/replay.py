"""Published numbers beside the measurements, and the verdicts on their logs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from httpdyno import units
from httpdyno.report.charts.figure import Figure
from httpdyno.report.contents.rows.arms import ArmLabel, Labels
from httpdyno.report.text.log_verdicts import LogLine, doubt, in_short, log_lines
from httpdyno.report.text.replay import ReplayRow, replay_groups
from httpdyno.result import PublishedRow, StudyResult

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
class ReplayTable:
    """The arms of one workload; None: the study has only one."""

    workload: str | None
    lines: Sequence[tuple[ArmLabel, ReplayRow, Sequence[PublishedLine]]]


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
class LogVerdicts:
    """The verdicts on all logs that are known."""

    in_short: str
    lines: Sequence[tuple[ArmLabel, LogLine]]


def replay(result: StudyResult, figures: Sequence[Figure], labels: Labels) -> Replay | None:
    """The published numbers; None for a study that replays nothing."""
    tables = [
        ReplayTable(workload, [(labels(row.arm), row, _published_lines(row)) for row in rows])
        for workload, rows in replay_groups(result)
    ]
    return Replay([one for one in figures if one.section == "replay"], tables) if tables else None


def log_verdicts(result: StudyResult, labels: Labels) -> LogVerdicts | None:
    """The verdicts on the raw logs; None where no log is known."""
    lines = log_lines(result)
    if not lines:
        return None
    return LogVerdicts(in_short(lines), [(labels(line.row.arm), line) for line in lines])


def _published_lines(row: ReplayRow) -> list[PublishedLine]:
    return [PublishedLine(*published_words(one), doubt(one)) for one in row.published]


def published_words(row: PublishedRow) -> tuple[str, str]:
    """A published number, and what it is."""
    number = units.rate(row.requests_per_s) if row.requests_per_s else "no number"
    return number, "; ".join(part for part in (row.note, row.source) if part)
