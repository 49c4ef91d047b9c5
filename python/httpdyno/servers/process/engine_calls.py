"""Sends requests through the engine, each once and in order, and shows what came back.

The engine speaks every version of HTTP, and keeps values of replies for later requests.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from time import monotonic
from typing import NamedTuple

from httpdyno.call_log import CallLog, outcomes
from httpdyno.choices import HttpVersion
from httpdyno.compiled import call, compiled
from httpdyno.engine_plan import (
    CallLimit,
    DataFile,
    EnginePlan,
    Request,
    ScriptStep,
    SessionsLoad,
    Stop,
    Target,
    Timeouts,
    to_json,
)
from httpdyno.errors import TargetError
from httpdyno.output.printable import printable

WITHIN_S = 5.0
"""The longest wait for a connection, and for each reply."""
SIGNAL_S = 0.25
"""The longest wait without a look for signals."""
NOT_SENT = "not sent, because the session ended before it"


class EngineCall(NamedTuple):
    """A call, and its reply."""

    fault: str
    """Empty: the reply is right."""
    status: int = 0
    body_bytes: int = 0
    headers: Mapping[str, str] = {}
    """Those of the first reply, with names in small letters; empty for the others."""
    outcome: str = ""
    """The class of the call, as a call log has it; empty: it was not sent."""


def called_in_order(
    at: Target,
    requests: Sequence[Request],
    *,
    data: Sequence[DataFile] = (),
    http: HttpVersion = "1.1",
    within_s: float = WITHIN_S,
) -> list[EngineCall]:
    """Sends the requests on one connection, as a session. A wrong reply, or none, raises nothing.

    Raises UsageError for a session that cannot be sent, such as one with a value that no call
    before keeps.
    """
    found = [EngineCall(NOT_SENT)] * len(requests)
    try:
        run = call(compiled().start, to_json(_plan(at, requests, data, http, within_s)), None)
        ends_at = monotonic() + within_s * (len(found) + 2)
        while not call(run.wait, "done", min(SIGNAL_S, within_s)):
            if monotonic() > ends_at:
                call(run.stop)
        log, measured = CallLog(bytes(call(run.call_log))), json.loads(call(run.result))
    except TargetError as error:
        return [EngineCall(error.message), *found[1:]]
    failure = printable(measured.get("first_failure") or "")
    columns = (log["request"], log["status"], log["body_bytes"], outcomes(log))
    for index, status, body_bytes, outcome in zip(*columns, strict=True):
        fault = "" if outcome == "ok" else failure or outcome
        failure = "" if fault else failure
        found[index] = EngineCall(fault, status, body_bytes, outcome=outcome)
    first = measured.get("first_reply") or {"headers": []}
    headers = {name.lower(): printable(value) for name, value in first["headers"]}
    return [found[0]._replace(headers=headers), *found[1:]]


def _plan(
    at: Target,
    requests: Sequence[Request],
    data: Sequence[DataFile],
    http: HttpVersion,
    within_s: float,
) -> EnginePlan:
    return EnginePlan(
        target=at,
        http=http,
        requests=list(requests),
        data=list(data),
        load=SessionsLoad(arrivals=None),
        scripts=[[ScriptStep(requests=[index]) for index in range(len(requests))]],
        timeouts=Timeouts(connect_s=within_s, reply_s=within_s),
        stop=Stop(count=1, drain_s=within_s),
        call_log=CallLimit(),
    )
