"""Our rules of validity held against the raw logs of published runs: which would be refused."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from httpdyno import units
from httpdyno.result import LogVerdict, PublishedRow, Status, StudyResult

_SAID: dict[Status, str] = {
    "invalid": "would be refused",
    "suspect": "would be shown with a doubt",
    "valid": "would be shown",
}


@dataclass(frozen=True)
class LogLine:
    """One published number with what its own log says of it."""

    row: PublishedRow
    published: str
    status: Status
    said: str
    facts: str


def log_lines(result: StudyResult) -> list[LogLine]:
    """The published numbers that have a raw log; the refused ones first."""
    lines = [
        _line(row, verdict)
        for row in result.published
        if (verdict := row.verdict_of_log) is not None
    ]
    worst: Sequence[Status] = ("invalid", "suspect", "valid")
    return sorted(lines, key=lambda line: worst.index(line.status))


def in_short(lines: Sequence[LogLine]) -> str:
    """How many of them would be refused, in a sentence."""
    refused = sum(line.status == "invalid" for line in lines)
    suspect = sum(line.status == "suspect" for line in lines)
    total = len(lines)
    return (
        f"Of {total} published number{'s' if total != 1 else ''} whose raw log is known, "
        f"{refused or 'none'} would be refused and {suspect or 'none'} would be shown with a doubt."
    )


def refusal(row: PublishedRow) -> str:
    """What to say beside a published number that would be refused or doubted; else empty."""
    verdict = row.verdict_of_log
    if verdict is None or verdict.status == "valid":
        return ""
    return f"{_SAID[verdict.status]}: {verdict.reasons[0].text}"


def _line(row: PublishedRow, verdict: LogVerdict) -> LogLine:
    facts = verdict.facts
    text = (
        f"{facts.replies:,} replies of {facts.asked:,} calls asked for, {facts.wrong:,} of them "
        f"wrong; {facts.failed_connections:,} connections failed; "
        f"{units.duration(facts.seconds)}, {facts.samples:,} samples"
    )
    if facts.stdev_per_s is not None:
        text += f" with a spread of {units.rate(facts.stdev_per_s)}"
    return LogLine(row, units.rate(row.requests_per_s), verdict.status, _SAID[verdict.status], text)
