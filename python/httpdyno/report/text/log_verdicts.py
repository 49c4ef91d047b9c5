"""Verdicts on the raw logs of published runs, by the rules for our own measurements."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from httpdyno import units
from httpdyno.result import LogFacts, LogVerdict, PublishedRow, Status, StudyResult

_WORST_FIRST: Sequence[Status] = ("invalid", "suspect", "valid")


@dataclass(frozen=True)
class LogLine:
    """One published number with the verdict on its log."""

    row: PublishedRow
    verdict: LogVerdict
    published: str
    facts: str


def log_lines(result: StudyResult) -> list[LogLine]:
    """The published numbers whose raw log is known; invalid ones first."""
    lines = [
        LogLine(row, verdict, units.rate(row.requests_per_s), _facts(verdict.facts))
        for row in result.published
        if (verdict := row.verdict_of_log) is not None
    ]
    return sorted(lines, key=lambda line: _WORST_FIRST.index(line.verdict.status))


def in_short(lines: Sequence[LogLine]) -> str:
    """The number of verdicts of each kind, in a sentence."""
    statuses = [line.verdict.status for line in lines]
    invalid, suspect = statuses.count("invalid"), statuses.count("suspect")
    total = f"{len(lines)} published number{'s' if len(lines) != 1 else ''}"
    return (
        f"The raw log is known for {total}: {invalid or 'none'} would be invalid and "
        f"{suspect or 'none'} suspect by the rules of this report."
    )


def doubt(row: PublishedRow) -> str:
    """The verdict on the log of a published number with its worst reason; empty for `valid`."""
    verdict = row.verdict_of_log
    if verdict is None or verdict.status == "valid":
        return ""
    why = f": {verdict.reasons[0].text}" if verdict.reasons else ""
    return f"{verdict.status} by our rules{why}"


def _facts(facts: LogFacts) -> str:
    text = (
        f"{units.counted(facts.replies, 'reply', 'replies')} to "
        f"{units.counted(facts.asked, 'request')}, {facts.wrong:,} of them wrong; "
        f"{units.counted(facts.failed_connections, 'connection')} failed; "
        f"{units.duration(facts.seconds)}, {units.counted(facts.samples, 'sample')}"
    )
    if facts.stdev_per_s is None:
        return text
    return f"{text} with a standard deviation of {units.rate(facts.stdev_per_s)}"
