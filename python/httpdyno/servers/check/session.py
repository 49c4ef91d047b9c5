"""Checks a session: the engine sends each of its calls once, in order, with the values that earlier
replies have."""

from __future__ import annotations

import json
from collections.abc import Set
from dataclasses import replace
from time import monotonic
from typing import NamedTuple

from httpdyno.call_log import CallLog, outcomes
from httpdyno.compiled import call, compiled
from httpdyno.engine_plan import (
    CallLimit,
    EnginePlan,
    ScriptStep,
    SessionsLoad,
    Stop,
    Target,
    Timeouts,
    literal,
    parse_data,
    to_json,
)
from httpdyno.errors import TargetError
from httpdyno.output.printable import printable
from httpdyno.servers.check.requests import request
from httpdyno.workloads import Exchange, Workload

__all__ = ["Called", "called_in_session", "without_kept"]

WITHIN_S = 5.0
"""The longest wait for a connection, and for each reply."""
SIGNAL_S = 0.25
"""The longest wait without a look for signals."""
NOT_SENT = "not sent, because the session ended before it"


class Called(NamedTuple):
    """A call of a session, and its reply."""

    fault: str
    """Empty: the reply is right."""
    status: int = 0
    body_bytes: int = 0


def called_in_session(at: Target, workload: Workload) -> list[Called]:
    """Sends each request of a session once. A wrong reply, or none, raises nothing.

    Raises UsageError for a session that cannot be sent, such as one with a value that no call
    before keeps.
    """
    found = [Called(NOT_SENT)] * len(workload.measured)
    try:
        run = call(compiled().start, to_json(_plan(at, workload)), None)
        ends_at = monotonic() + WITHIN_S * (len(found) + 2)
        while not call(run.wait, "done", SIGNAL_S):
            if monotonic() > ends_at:
                call(run.stop)
        log, first = CallLog(bytes(call(run.call_log))), json.loads(call(run.result))
    except TargetError as error:
        return [Called(error.message), *found[1:]]
    failure = printable(first.get("first_failure") or "")
    columns = (log["request"], log["status"], log["body_bytes"], outcomes(log))
    for index, status, body_bytes, outcome in zip(*columns, strict=True):
        fault = "" if outcome == "ok" else failure or outcome
        failure = "" if fault else failure
        found[index] = Called(fault, status, body_bytes)
    return found


def _plan(at: Target, workload: Workload) -> EnginePlan:
    steps = [ScriptStep(requests=[index]) for index in range(len(workload.measured))]
    return EnginePlan(
        target=at,
        requests=[request(one) for one in workload.measured],
        data=[parse_data(one) for one in workload.data],
        load=SessionsLoad(arrivals=None),
        scripts=[steps],
        timeouts=Timeouts(connect_s=WITHIN_S, reply_s=WITHIN_S),
        stop=Stop(count=1, drain_s=WITHIN_S),
        call_log=CallLimit(),
    )


def without_kept(workload: Workload) -> Workload:
    """The workload with the text of its placeholder in place of each kept value, for a server whose
    replies have none."""
    kept = {name for one in workload.measured for name, _, _ in one.keep}
    if not kept:
        return workload
    return replace(workload, measured=tuple(_without(one, kept) for one in workload.measured))


def _without(exchange: Exchange, kept: Set[str]) -> Exchange:
    def text(given: str) -> str:
        return literal(given) if any(f"{{{name}}}" in given for name in kept) else given

    body = exchange.body
    return replace(
        exchange,
        keep=(),
        path=text(exchange.path),
        headers=tuple((name, text(value)) for name, value in exchange.headers),
        body=text(body.decode()).encode() if body and exchange.body_varies else body,
    )
