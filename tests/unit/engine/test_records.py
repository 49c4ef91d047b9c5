"""The records of single calls: the call log, the trace, the first reply."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from call_arrays import RECORD, calls_of
from httpdyno import engine
from httpdyno.call_log import COLUMNS, KEPT, CallLog, merge, outcomes, rows
from httpdyno.engine_plan import (
    CallLimit,
    ClosedLoad,
    EnginePlan,
    Expect,
    Request,
    Stop,
    Target,
    Text,
    TraceParts,
)
from httpdyno.measurement import Measurement

if TYPE_CHECKING:
    from collections.abc import Iterator

    from httpdyno import _engine

PAGES = [("/hello", "text/plain", b"Hello, World!")]


@pytest.fixture
def server() -> Iterator[_engine.Reference]:
    with engine.reference(pages=PAGES) as running:
        yield running


def _plan(server: _engine.Reference, *requests: Request, count: int = 300) -> EnginePlan:
    host, _, port = server.address.rpartition(":")
    return EnginePlan(
        target=Target(host=host, port=int(port)),
        requests=list(requests) or [Request(path="/hello")],
        load=ClosedLoad(connections=4),
        stop=Stop(count=count),
        call_log=CallLimit(),
    )


def test_the_call_log_has_the_times_that_the_histograms_summarise(
    server: _engine.Reference,
) -> None:
    with engine.start(_plan(server)) as running:
        measurement, log = running.result(), calls_of(running.call_log().records)
    assert len(log) == len(running.call_log()) == 300
    assert np.all(np.diff(log["done_ns"].astype(np.int64)) >= 0)
    for name, start in (("response", "due_ns"), ("service", "sent_ns")):
        took = log["done_ns"] - log[start]
        time = getattr(measurement.times, name)
        assert (int(took.min()), int(took.max())) == (time.min_ns, time.max_ns)
        assert took.mean() == pytest.approx(time.mean_ns)
    opened = log[log["connected_ns"] > 0]
    assert len(opened) == measurement.connections.opened == len(np.unique(log["connection"]))
    assert np.all(opened["connect_began_ns"] <= opened["connected_ns"])
    assert int(log["body_bytes"].sum()) == 300 * len("Hello, World!")
    assert measurement.replies is not None
    assert int(log["header_bytes"].sum()) == measurement.replies.header_bytes
    assert np.all(log["flags"] == KEPT)


def test_each_call_has_the_outcome_that_is_counted(server: _engine.Reference) -> None:
    requests = (
        Request(path="/hello"),
        Request(path="/hello", expect=Expect(status=[404])),
        Request(path="/hello", expect=Expect(body=Text(text="Hello, world!"))),
        Request(path="/hello?fault=reset"),
    )
    with engine.start(_plan(server, *requests)) as running:
        calls, log = running.result().calls, running.call_log()
    counted = Counter(outcomes(log))
    assert counted == {"ok": 75, "wrong_status": 75, "wrong_body": 75, "reset": 75}
    assert (calls.ok, calls.wrong_status, calls.wrong_body) == (75, 75, 75)
    assert calls.errors == {"reset": 75}
    assert Counter(log["request"]) == dict.fromkeys(range(4), 75)


def test_calls_in_flight_at_the_end_are_recorded_last(server: _engine.Reference) -> None:
    plan = _plan(server, Request(path="/hello?fault=never"), count=4)
    stop = Stop(count=4, duration_s=0.2, drain_s=0.1)
    with engine.start(replace(plan, stop=stop)) as running:
        assert running.result().calls.in_flight == 4
        assert outcomes(running.call_log()) == ["in_flight"] * 4


def test_a_run_without_records_has_none(server: _engine.Reference) -> None:
    plan = replace(_plan(server), call_log=None)
    with engine.start(plan) as running:
        assert len(running.call_log()) == 0
        assert running.trace() == []


def test_the_log_as_text_has_a_row_for_each_call(server: _engine.Reference) -> None:
    with engine.start(_plan(server, count=20)) as running:
        log = running.call_log()
    table = list(csv.DictReader(io.StringIO("".join(rows(log)), newline="")))
    assert len(table) == 20
    assert set(table[0]) == set(COLUMNS)
    for row, record in zip(table, calls_of(log.records), strict=True):
        assert row["outcome"] == "ok"
        assert row["status"] == "200"
        assert row["done_ns"] == str(record["done_ns"])
        assert (row["connected_ns"] == "") == (record["connected_ns"] == 0)


def test_every_code_of_the_engine_has_a_name() -> None:
    records = np.zeros(23, dtype=RECORD)
    records["error"][3:] = range(1, 21)
    records["flags"][:3] = [4, 1, 2]
    ends = outcomes(CallLog(records.tobytes()))
    assert ends[:4] == ["ok", "wrong_status", "wrong_body", "connect_timeout"]
    assert ends[-2:] == ["other", "in_flight"]
    assert len(set(ends)) == 23


def test_a_column_has_a_field_of_each_record_as_numpy_reads_it() -> None:
    records = np.random.default_rng(1).bytes(200 * RECORD.itemsize)
    log = CallLog(records)
    assert len(log) == 200
    for name in RECORD.names or ():
        assert log[name] == calls_of(records)[name].tolist()


def test_the_calls_of_several_machines_are_in_the_order_in_which_they_ended() -> None:
    """Of calls that ended at the same instant, those of the first machine come first."""
    parts = [np.zeros(count, dtype=RECORD) for count in (3, 0, 4)]
    parts[0]["done_ns"], parts[0]["connection"] = [1, 5, 5], [0, 2, 1]
    parts[2]["done_ns"], parts[2]["connection"] = [0, 5, 6, 7], [1, 0, 1, 0]
    parts[2]["request"] = [10, 11, 12, 13]
    merged = merge([part.tobytes() for part in parts])
    assert merged["done_ns"] == [0, 1, 5, 5, 5, 6, 7]
    assert merged["request"] == [10, 0, 0, 0, 11, 12, 13]
    assert merged["connection"] == [5, 0, 2, 1, 4, 5, 4]
    assert len(merge([])) == 0


def test_the_trace_has_the_bytes_of_each_call(server: _engine.Reference) -> None:
    wanted = TraceParts(requests="head", replies="whole")
    plan = _plan(server, Request(path="/hello?chunked=1"), count=2)
    with engine.start(replace(plan, trace=wanted)) as running:
        parts = running.trace()
    assert [(number, part) for number, part, _ in parts] == [
        (call, part) for call in (0, 1) for part in ("request_head", "reply_head", "reply_body")
    ]
    assert parts[0][2].startswith(b"GET /hello?chunked=1 HTTP/1.1\r\n")
    assert parts[2][2] == b"Hello, World!"


def test_the_first_reply_names_the_server_and_hides_credentials(
    server: _engine.Reference,
) -> None:
    measured = engine.measure(_plan(server))
    assert measured.first_reply is not None
    assert measured.first_reply.status == 200
    assert ("Content-Length", "13") in measured.first_reply.headers
    record = json.loads(measured.model_dump_json())
    record["first_reply"]["headers"] = [["Set-Cookie", "id=1"], ["Server", "x"]]
    shown = Measurement.model_validate(record).first_reply
    assert shown is not None
    assert shown.headers == [("Set-Cookie", "***"), ("Server", "x")]
