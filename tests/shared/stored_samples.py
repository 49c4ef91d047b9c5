"""A run and its trials, for tests of the store."""

from __future__ import annotations

from httpdyno.outcome import TrialOutcome
from httpdyno.result import Fact, Reason
from httpdyno.store import NewRun

RUN = NewRun(
    study="demo",
    identity="demo 1",
    study_text="title = 'x'",
    seed=4_000_000_000,
    command="httpdyno run demo",
    httpdyno_version="0.1.0",
    started_at=5.0,
    facts=[Fact(label="cores", value="2"), Fact(label="SMT", value="on", doubt="why")],
    folder="/results/demo",
    study_document='{"title": "x"}',
    servers_document="{}",
)


def outcome(index: int) -> TrialOutcome:
    reason = Reason(code="start", status="invalid", text="it did not start", hint="see its log")
    return TrialOutcome(
        index=index,
        block=index // 2,
        arm="a/1",
        load="closed",
        point="10 connections",
        started_at=1.5,
        ended_at=1.5,
        status="invalid",
        reasons=(reason,),
        measurement=None,
        server=None,
        ceiling_per_s=None,
    )
