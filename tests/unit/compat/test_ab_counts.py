"""The counts and the end of a test of ab, from records of calls."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from call_arrays import RECORD
from httpdyno.call_log import ERRORS, CallLog
from httpdyno.compat.ab.abort import find_abort
from httpdyno.compat.ab.options import Options
from httpdyno.compat.ab.results import CONNECTING, RECEIVING, failures_of, times_of
from httpdyno.compat.ab.url import Url

MS = 1_000_000
URL = Url("http://h/", "h", 80, "/")


def log(*errors: str, **fields: Sequence[int]) -> CallLog:
    """The log of calls that ended so; "" is a good reply."""
    records = np.zeros(len(errors), dtype=RECORD)
    records["error"] = [ERRORS.index(name) + 1 if name else 0 for name in errors]
    records["body_bytes"] = [0 if name else 4 for name in errors]
    for name, values in fields.items():
        records[name] = values
    return CallLog(records.tobytes())


def test_every_error_of_a_connection_has_one_class() -> None:
    counted = {name: failures_of(log(name), 4, any_length=False) for name in ERRORS[:-1]}
    assert all(one.total == 1 for one in counted.values())
    assert {name for name, one in counted.items() if one.connect} == CONNECTING
    assert {name for name, one in counted.items() if one.receive} == RECEIVING
    assert [name for name, one in counted.items() if one.length] == ["early_close"]
    assert [name for name, one in counted.items() if one.exceptions] == ["protocol"]


def test_another_length_than_the_first_fails_unless_any_may_come() -> None:
    calls = log("", "", "", body_bytes=[4, 5, 4])
    assert failures_of(calls, 4, any_length=False).length == 1
    assert failures_of(calls, 4, any_length=True).total == 0


def test_the_first_call_of_a_connection_connects_and_the_others_begin_at_once() -> None:
    calls = log(
        "",
        "",
        due_ns=[1 * MS, 9 * MS],
        connect_began_ns=[1 * MS, 0],
        connected_ns=[3 * MS, 0],
        sent_ns=[3 * MS, 9 * MS],
        first_byte_ns=[7 * MS, 10 * MS],
        done_ns=[9 * MS, 11 * MS],
    )
    times = times_of(calls, 100.0, each=True)
    began, *columns = zip(*times.each, strict=True)
    assert columns == [(0, 2000), (2000, 6000), (2000, 8000), (1000, 4000)]
    assert began == pytest.approx((100.009, 100.001)), "sorted by the total time"
    spreads = (times.connect, times.processing, times.total, times.waiting)
    assert [(one[0], one[1]) for one in spreads] == columns
    assert times_of(calls, 100.0).each == []


def test_the_first_error_of_a_connection_ends_the_test_without_r() -> None:
    ended = find_abort(Options(URL), log("", "", "reset", ""))
    assert ended is not None
    assert (ended.message, ended.exit_code, ended.done) == (
        "apr_socket_recv: Connection reset by peer (104)",
        104,
        2,
    )
    assert find_abort(Options(URL, goes_on=True), log("", "", "reset", "")) is None
    assert find_abort(Options(URL), log("", "early_close", "protocol")) is None


def test_more_than_ten_failed_connections_in_a_row_end_every_test() -> None:
    options = Options(URL, goes_on=True)
    assert find_abort(options, log(*["refused"] * 10, "", *["refused"] * 10)) is None
    ended = find_abort(options, log("", *["refused"] * 11))
    assert ended is not None
    assert (ended.exit_code, ended.done) == (111, 11)
    assert "Test aborted after 10 failures" in ended.message


def test_a_timeout_has_the_exit_code_of_apr_s_number() -> None:
    ended = find_abort(Options(URL), log("first_byte_timeout"))
    assert ended is not None
    assert ended.message == "apr_pollset_poll: The timeout specified has expired (70007)"
    assert ended.exit_code == 119
