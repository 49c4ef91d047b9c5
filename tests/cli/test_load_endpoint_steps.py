"""A load of several endpoints whose rate changes has the numbers of each endpoint in each step."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import pytest
from httpdyno.cli.load.output.endpoint_steps import tables
from httpdyno.cli.load.output.record import LoadRecord
from httpdyno.result import Reason
from httpdyno.verdict import Verdict

from .conftest import Program
from .measurements import endpoint, endpoint_step, measurement
from .plans import plan
from .test_load_summary import shown

if TYPE_CHECKING:
    from httpdyno import _engine

ITEMS = endpoint(
    "GET /items", steps=[endpoint_step(0, 500, (3, 3, 4)), endpoint_step(10, 1000, (3, 3, 4))]
)
ORDERS = endpoint(
    "POST /orders",
    steps=[endpoint_step(0, 500, (5, 6, 7)), endpoint_step(10, 1000, (38, 41, 45))],
)
SEEN = measurement(endpoints=[ITEMS, ORDERS])
SENTENCE = (
    "p99 of POST /orders rises first: from 6.00 ms (5.00 ms to 7.00 ms) at 500/s to 41.0 ms (38.0"
    " ms to 45.0 ms) at 1,000/s. Up to that rate, that of the other endpoint stays below twice the"
    " value at 500/s."
)


def test_the_summary_has_p99_of_each_endpoint_in_each_step_and_says_which_rises_first() -> None:
    text = shown(plan(), SEEN)
    assert TABLE in text
    assert SENTENCE in " ".join(text.split())
    assert max(map(len, text.splitlines())) <= 80


TABLE = """
p99 by step     500/s  1,000/s
GET /items    3.00 ms  3.00 ms
POST /orders  6.00 ms  41.0 ms

"""


def test_failures_have_a_table_if_there_are_any_and_a_step_without_seconds_has_dashes() -> None:
    silent = endpoint_step(20, 1000, None, to_per_s=2000, seconds=0, ok=0)
    failing = endpoint_step(10, 1000, (38, 41, 45), ok=4900, failed=100)
    first = endpoint_step(0, 500, (5, 6, 7))
    seen = measurement(
        endpoints=[
            ITEMS | {"steps": [*ITEMS["steps"], silent]},
            ORDERS | {"steps": [first, failing, silent]},
        ]
    )
    text = shown(plan(), seen)
    assert FAILURES in text
    assert "\nfailed by step" not in shown(plan(), SEEN)
    assert SENTENCE.partition(" at 500/s")[0] in " ".join(text.split())


FAILURES = """
failed by step  500/s  1,000/s  1,000 to 2,000/s
GET /items       none     none                 –
POST /orders     none   2.00 %                 –

"""


def test_a_narrow_terminal_keeps_the_first_and_the_last_step() -> None:
    many = [endpoint_step(10 * n, 100.0 * (n + 1), (3, 3, 4)) for n in range(9)]
    seen = measurement(endpoints=[ITEMS | {"steps": many}, ORDERS | {"steps": many}])
    (table,) = tables(seen, 52)
    assert table.lines()[0].split() == ["p99", "by", "step", "100/s", "200/s", "800/s", "900/s"]
    text = " ".join(shown(plan(), seen, width=54).split())
    assert "Not shown: 300/s, 400/s, 500/s, 600/s, 700/s; a wider terminal has them." in text


@pytest.mark.parametrize("status", ["suspect", "invalid"])
def test_a_doubtful_p99_is_marked_and_no_endpoint_is_the_first(
    status: Literal["suspect", "invalid"],
) -> None:
    late = Reason(code="late", status=status, text="late", hint="wait", doubts=("p99",))
    text = shown(plan(), SEEN, Verdict(status, (late,)))
    assert "rises first" not in text
    if status == "suspect":
        assert "\np99? by step" in text


def test_a_server_that_fell_behind_in_the_last_step_has_a_first_endpoint_to_rise() -> None:
    behind = Reason(code="overload", status="suspect", text="behind", hint="x", doubts=("p99",))
    text = " ".join(shown(plan(), SEEN, Verdict("suspect", (behind,))).split())
    assert SENTENCE in text


def test_a_steady_rate_and_a_load_of_one_endpoint_have_no_such_table() -> None:
    assert tables(measurement(endpoints=[endpoint("a"), endpoint("b")]), 80) == []
    assert tables(measurement(), 80) == []


def test_a_real_load_has_them_in_its_files(
    httpdyno: Program, server: _engine.Reference, tmp_path: Path
) -> None:
    host = f"http://{server.address}"
    (tmp_path / "urls.txt").write_text(f"{host}/pong\n{host}/hello\n{host}/pong?a=2\n")
    done = httpdyno(
        *("load", "--urls", "urls.txt", "--rate", "150x2s,300x2s", "--json", "out.json"),
        *("--export", "csv-endpoints=out.csv", "--report", "out.html"),
    )
    assert "\np99 by step" in done.stdout.replace("?", "")
    record = LoadRecord.model_validate(json.loads((tmp_path / "out.json").read_text()))
    pong, hello = record.measurement.endpoints
    for whole, first, second in zip(record.steps, pong.steps, hello.steps, strict=True):
        assert (first.begins_s, first.ends_s) == (whole.begins_s, whole.ends_s)
        assert (first.seconds, second.seconds) == (whole.seconds, whole.seconds) == (2, 2)
        assert first.ok + second.ok == whole.ok
        assert first.ok == pytest.approx(2 * second.ok, abs=12)
        assert second.body_bytes == second.ok * len(b"Hello, world!")
        p99 = first.percentile(0.99)
        assert p99 is not None
        assert 0 < p99.value_ns <= 1.01 * pong.response.max_ns
    with (tmp_path / "out.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [(row["endpoint"], row["step_begins_s"], row["step_to_per_s"]) for row in rows] == [
        ("GET /pong", "", ""),
        ("GET /pong", "0.0", "150.0"),
        ("GET /pong", "2.0", "300.0"),
        ("GET /hello", "", ""),
        ("GET /hello", "0.0", "150.0"),
        ("GET /hello", "2.0", "300.0"),
    ]
    assert int(rows[0]["calls"]) == pong.calls.ended + pong.calls.in_flight
    assert int(rows[2]["calls"]) == pong.steps[1].ok
    assert int(rows[2]["body_bytes"]) == pong.steps[1].body_bytes
    assert "By endpoint and step of the rate" in (tmp_path / "out.html").read_text()
