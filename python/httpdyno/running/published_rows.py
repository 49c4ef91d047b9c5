"""The published numbers of a replay as rows, with the verdict on the raw log where there is one."""

from __future__ import annotations

from httpdyno.result import LogFacts, LogVerdict, PublishedRow
from httpdyno.study import PublishedNumber, Study
from httpdyno.study.model import RawLog
from httpdyno.verdict import Log, judge_log


def published_rows(study: Study) -> list[PublishedRow]:
    """One row for each published number, in the order of the file."""
    return [_row(number) for number in study.published]


def _row(number: PublishedNumber) -> PublishedRow:
    return PublishedRow(
        arm=number.arm or number.name or "",
        load=number.load,
        requests_per_s=number.requests_per_s,
        note=number.note,
        source=number.source,
        point=number.point,
        measured=number.arm is not None,
        verdict_of_log=None if number.log is None else _verdict(number.log, number.requests_per_s),
    )


def _verdict(log: RawLog, mean_per_s: float) -> LogVerdict:
    facts = log.model_dump()
    verdict = judge_log(Log(mean_per_s=mean_per_s, **facts))
    return LogVerdict(status=verdict.status, reasons=list(verdict.reasons), facts=LogFacts(**facts))
