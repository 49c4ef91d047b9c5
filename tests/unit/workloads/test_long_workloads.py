"""Workloads of 100,000 requests: sent whole, checked and stored in part."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from httpdyno.errors import UsageError
from httpdyno.run import study_of_values
from httpdyno.running.documents import identity, study_document
from httpdyno.running.measuring.ceiling import for_reference
from httpdyno.running.own import context_of
from httpdyno.servers import load_catalogue
from httpdyno.study import Study
from httpdyno.study.own.workload import MOST_REQUESTS, MOST_STORED


def study(number: int, *, weight: int = 1, changed: int | None = None) -> Study:
    requests: list[dict[str, object]] = [
        {"path": f"/items/{one}" if one != changed else "/other"} for one in range(number)
    ]
    requests[0] = {**requests[0], "weight": weight}
    keys = {
        "title": "t",
        "arms": [{"name": "mine", "url": "http://localhost:1"}],
        "workloads": {"many": {"requests": requests}},
        "loads": {"full": {"kind": "closed", "connections": 1, "duration": 1}},
    }
    return study_of_values(keys, "many", load_catalogue())


def test_a_long_workload_is_sent_whole_and_stored_in_part() -> None:
    long = study(3000)
    workload = context_of(long).workloads["many"]
    assert len(workload.measured) == 3000
    document = json.loads(study_document(long))
    assert len(study_document(long)) < 60_000
    stored = Study.model_validate(document).workloads["many"]
    assert len(stored.requests) == MOST_STORED
    assert stored.title == "many: the first 100 of 3,000 requests"
    assert "the first 100 of 3,000 requests" in long.text
    assert len(long.text) < 10_000
    # A run is resumed only by the same requests, also by those that are not stored.
    assert identity(long) != identity(study(3000, changed=2999))


def test_a_long_workload_is_checked_in_part_evenly() -> None:
    workload = context_of(study(2500)).workloads["many"]
    checked = [one.path for one in workload.sample.measured]
    assert len(checked) == 834
    assert checked[:2] + checked[-1:] == ["/items/0", "/items/3", "/items/2499"]
    assert len(for_reference(workload.sample, [10] * len(checked)).measured) == len(checked)
    short = context_of(study(1000)).workloads["many"]
    assert short.sample is short


def test_more_requests_than_the_engine_sends_in_turn_are_refused() -> None:
    with pytest.raises(UsageError, match="the weights of `many` add up to 10,001 after division"):
        study(10_000, weight=2)
    assert len(study(10_000).workloads["many"].requests) == 10_000
    with pytest.raises(UsageError) as raised:
        study(MOST_REQUESTS + 1)
    assert "expected at least one request and at most 100,000" in str(raised.value)
    assert len(str(raised.value)) < 500


def test_the_limit_is_that_of_the_engine() -> None:
    rotation = Path(__file__).parents[3] / "crates" / "engine" / "src" / "plan" / "rotation.rs"
    assert f"MOST_LISTED: u64 = {MOST_REQUESTS:_};" in rotation.read_text(encoding="utf-8")
