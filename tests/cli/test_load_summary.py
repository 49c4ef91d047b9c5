"""The output of `load`: the summary, the progress, the charts in text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import pytest
from httpdyno.cli.load.output.summary import summary
from httpdyno.engine_plan import EnginePlan
from httpdyno.limits.thresholds import ThresholdCheck, parse_threshold
from httpdyno.measurement import Measurement
from httpdyno.result import Reason
from httpdyno.verdict import Verdict

from .conftest import Program
from .measurements import CALLS, MS, measurement, time, validity
from .plans import OPEN, plan

if TYPE_CHECKING:
    from httpdyno import _engine

VALID = Verdict("valid", ())
CLOSED = {"kind": "closed", "connections": 1}


def quantiles(_hdr: str, at: Sequence[float]) -> list[int]:
    """A histogram in which the value at quantile q is 10 ms ÷ (1 - q), cut at 40 ms."""
    return [min(40 * MS, round(MS / (1 - q))) for q in at]


def shown(
    one: EnginePlan,
    seen: Measurement,
    verdict: Verdict = VALID,
    thresholds: Sequence[ThresholdCheck] = (),
    width: int = 80,
) -> str:
    """The summary on a terminal of `width` columns."""
    return summary("http://h/", one, seen, verdict, thresholds, quantiles, width)


def test_the_summary_of_a_sound_run_reads_as_this() -> None:
    assert shown(plan(), measurement()) == EXPECTED


def test_connections_that_the_server_reset_are_beside_those_that_it_closed() -> None:
    found = measurement()
    reset = found.connections.model_copy(update={"errors": {"reset": 52}})
    page = shown(plan(), found.model_copy(update={"connections": reset}), width=120)
    assert "0 failed, 0 closed by the server, 52 reset by it\n" in page


EXPECTED = """\
VALID: 500 of 500 requests/s, p99 10.0 ms, none failed
http://h/
open load, 500/s exponential requests, at most 100 connections, HTTP/1.1

milliseconds      min    mean     p50     p90     p95     p99   p99.9     max
response        0.500    1.10    1.00    3.00    10.0    10.0    20.0    40.0
service         0.500    1.10    1.00    3.00    10.0    10.0    20.0    40.0
first byte      0.250   0.550   0.500    1.50    5.00    5.00    10.0    20.0
connect        0.0200  0.0440  0.0400   0.120   0.400   0.400   0.800    1.60

shape             ▅██▇▇▆▆▆▆▅▅▅▅▄▄▄▄▄▃▃▃▃▃▃▃▃▃▂▂▂▅  500 µs to 40.0 ms (log)
by second    ▇█                                    480/s to 520/s

calls        1,000 due = 1,000 sent = 1,000 ok, in 2.00 s
statuses     1,000 × 200
checked      status only
connections  10 opened (peak 10), 0 failed, 0 closed by the server
bytes        1.91 MiB received (977 KiB/s), 97.7 KiB sent
generator    1 thread, 15.0 % busy, lag p99 20.0 µs; epoll (io_uring is
             forbidden here)"""


@pytest.mark.parametrize(
    ("load", "server_cpus", "is_said"),
    [
        ({"kind": "closed", "connections": 10}, 0.04, True),
        ({"kind": "closed", "connections": 10}, 0.5, False),
        ({"kind": "closed", "connections": 10}, None, False),
        (OPEN, 0.04, False),
    ],
)
def test_a_closed_load_of_a_server_that_mostly_waits_proposes_more_connections(
    load: object, server_cpus: float | None, is_said: bool
) -> None:
    of = plan(load=load)
    text = summary("http://h/", of, measurement(), VALID, (), quantiles, 80, server_cpus)
    note = (
        "10 connections may limit the throughput: the process that listens there used"
        " 4.00 % of a processor. `-c 100` shows whether it can do more."
    )
    assert (note in text.replace("\n", " ")) == is_said


def test_a_wide_terminal_also_shows_what_the_times_mean() -> None:
    wide = shown(plan(), measurement(), width=120)
    assert "   40.0   due → last byte\n" in wide
    assert "   1.60   per connection\n" in wide
    assert max(map(len, wide.splitlines())) <= 120
    assert max(map(len, shown(plan(), measurement()).splitlines())) <= 80


def test_the_kernel_s_times_stand_under_the_engine_s_with_how_many_calls_have_them() -> None:
    times = measurement().times.model_dump()
    times |= {"kernel": time(p50_ns=MS // 2), "kernel_gap": time(p50_ns=MS // 100)}
    counts = {"stamped": 990, "unstamped": 10, "clock_set_ns": None}
    text = shown(plan(), measurement(times=times, kernel=counts), width=120)
    assert "\nkernel          0.250   0.550   0.500    1.50" in text
    assert "\nkernel gap     0.0050  0.0110  0.0100  0.0300" in text
    assert "left → arrived\n" in text
    assert text.endswith("kernel       990 of 1,000 right calls have kernel timestamps")
    assert "kernel" not in shown(plan(), measurement())


@pytest.mark.parametrize(
    ("set_ns", "told"), [(1500 * MS, "forward by 1.50 s"), (-20 * MS, "back by 20.0 ms")]
)
def test_a_wall_clock_that_was_set_leaves_no_kernel_times(set_ns: int, told: str) -> None:
    counts = {"stamped": 700, "unstamped": 300, "clock_set_ns": set_ns}
    text = shown(plan(), measurement(kernel=counts))
    assert f"kernel       no times: the wall clock was set {told} during the run" in text


def test_the_interval_of_p99_stands_under_the_counts() -> None:
    text = shown(plan(), measurement(validity=validity()))
    assert text.endswith("p99          10.0 ms, 95 % CI 9.00 ms to 11.0 ms (±10.0 %)")
    text = shown(plan(), measurement(validity=validity(high_ns=None)))
    assert text.endswith("p99          10.0 ms, 95 % CI 9.00 ms or more")


@pytest.mark.parametrize(
    ("stopped_by", "answer"), [("precision", "reached"), ("duration", "not reached")]
)
def test_a_run_until_a_precision_says_whether_it_was_reached(stopped_by: str, answer: str) -> None:
    until = plan(stop={"duration_s": 60, "until": {"quantile": 0.99, "within": 0.02}})
    seen = measurement(validity=validity(), stopped_by=stopped_by)
    text = " ".join(shown(until, seen).split())
    known = "p99 10.0 ms, 95 % CI 9.00 ms to 11.0 ms (±10.0 %)"
    assert f"precision {answer}: {known}; requested ±2 %" in text
    without = shown(until, measurement(stopped_by=stopped_by))
    assert f"precision    {answer}: p99 was not measured; requested ±2 %" in without


def test_what_was_granted_of_low_latency_stands_under_the_generator() -> None:
    engine = measurement().engine.model_dump() | {
        "low_latency": {
            "shallow_idle": {"granted": False, "reason": "`/dev/cpu_dma_latency`: denied"},
            "real_time": {"granted": True, "reason": None},
        }
    }
    text = shown(plan(), measurement(engine=engine))
    assert (
        "low latency  no shallow idle states (`/dev/cpu_dma_latency`: denied),\n"
        "             real-time priority; `httpdyno doctor` shows how to allow it\n"
    ) in text + "\n"
    assert "low latency" not in shown(plan(), measurement())


def test_what_this_machine_refused_leads_to_the_doctor_and_what_was_given_up_does_not() -> None:
    engine = measurement().engine.model_dump()
    refused = {"driver_reason": "io_uring is unavailable: Operation not permitted"}
    assert "`httpdyno doctor`" in shown(plan(), measurement(engine=engine | refused))
    asked = {"driver_reason": "requested"}
    given_up = {"granted": False, "reason": "given up: an engine thread used over 80 %"}
    kept = {"shallow_idle": {"granted": True, "reason": None}, "real_time": given_up}
    text = shown(plan(), measurement(engine=engine | asked | {"low_latency": kept}))
    assert "no real-time priority (given up" in text
    assert "doctor" not in text


def test_tls_has_a_row_of_times_and_a_line_of_what_was_agreed() -> None:
    times = measurement().times.model_dump() | {"tls": time(p50_ns=MS, count=10)}
    made = {"full": 4, "resumed": 6, "version": "1.3", "cipher": "TLS_AES_256_GCM_SHA384"}
    secure = plan(target={"host": "h", "port": 443, "tls": {"insecure": True}})
    text = shown(secure, measurement(times=times, handshakes=made), width=120)
    assert "\nTLS             0.500    1.10    1.00    3.00" in text
    assert "per handshake\n" in text
    agreed = "4 full handshakes, 6 resumed; TLS 1.3, TLS_AES_256_GCM_SHA384"
    assert agreed in " ".join(text.split())
    assert "TLS, certificate not checked" in text
    assert "TLS" not in shown(plan(), measurement())


def test_failures_are_told_by_class_in_plain_words_with_the_first_of_them() -> None:
    calls = {**CALLS, "ok": 900, "wrong_status": 50, "errors": {"reset": 20, "refused": 30}}
    statuses = {"200": 900, "503": 40, "other": 10}
    seen = measurement(calls=calls, statuses=statuses, first_failure="GET / answered 503")
    text = shown(plan(), seen)
    assert "10.0 % failed" in text
    assert "1,000 sent = 900 ok + 50 wrong status + 50 errors" in text
    assert "statuses     900 × 200, 40 × 503, 10 × outside 100 to 599" in text
    assert text.index("30 refused: the server refused") < text.index("20 reset: the server reset")
    assert "first failure GET / answered 503" in text


def test_calls_that_were_never_sent_stand_in_the_headline() -> None:
    calls = {**CALLS, "sent": 240, "ok": 240, "unsent": 760}
    text = shown(plan(), measurement(calls=calls))
    assert "none failed, 76.0 % unsent\n" in text
    assert "1,000 due = 240 sent + 760 unsent" in text
    sessions = shown(plan(), measurement(calls=calls, load="sessions"))
    assert "76.0 %" not in sessions


def test_reasons_and_thresholds_close_the_summary() -> None:
    reason = Reason(code="x", status="invalid", text="it was late", hint="pin it")
    limit = parse_threshold("p99>1ms")
    thresholds = [
        ThresholdCheck(limit, False, "10 ms", "p99 10 ms > 1 ms"),
        ThresholdCheck(limit, True, "847 µs", "p99 847 µs ≤ 1 ms"),
    ]
    text = shown(plan(), measurement(), Verdict("invalid", (reason,)), thresholds)
    assert text.startswith("INVALID: ")
    assert text.endswith(
        "invalid      it was late\n             hint: pin it\n"
        "threshold    failed: p99 10 ms > 1 ms (not a result)\n"
        "threshold    passed: p99 847 µs ≤ 1 ms (not a result)"
    )


@pytest.mark.parametrize(
    ("text", "clause"),
    [
        ("98.6 % of calls failed (limit 1 %): 493 reset", "98.6 % of calls failed"),
        (
            "the server stopped answering after about 7 s: no correct reply in the last 2 s",
            "the server stopped answering after about 7 s",
        ),
        ("4 of 500 replies had a wrong body; first: GET /: x", "4 of 500 replies had a wrong body"),
        (
            "all 9 replies had status 404 (expected 2xx or 3xx)",
            "all 9 replies had status 404 (expected 2xx or 3xx)",
        ),
    ],
)
def test_an_invalid_measurement_has_a_reason_in_its_first_line_and_no_number_as_a_result(
    text: str, clause: str
) -> None:
    mild = Reason(code="busy", status="suspect", text="busy: yes", hint="wait")
    wrong = Reason(code="x", status="invalid", text=text, hint="fix it")
    said = shown(plan(), measurement(), Verdict("invalid", (wrong, mild)))
    assert said.startswith(f"INVALID: no result: {clause}\nhttp://h/")
    above, title, below = said.partition("seen, not a result (the reasons are below):\n\n")
    assert title
    assert below.startswith("milliseconds ")
    assert "p99" not in above
    assert "requests/s" not in above
    assert "not a result" not in shown(plan(), measurement(), Verdict("suspect", (mild,)))


def test_a_cause_stands_in_the_first_line_rather_than_that_no_correct_reply_came() -> None:
    none = Reason(code="no_reply", status="invalid", text="no correct reply in 1 s: x", hint="")
    wrong = Reason(code="wrong_replies", status="invalid", text="all were wrong: y", hint="")
    for found, told in (((none, wrong), "all were wrong"), ((none,), "no correct reply in 1 s")):
        said = shown(plan(), measurement(), Verdict("invalid", found))
        assert said.startswith(f"INVALID: no result: {told}\n")


def test_an_interrupted_run_without_a_result_says_both() -> None:
    wrong = Reason(code="x", status="invalid", text="it broke: badly", hint="fix it")
    said = shown(plan(), measurement(stopped_by="interrupt"), Verdict("invalid", (wrong,)))
    assert said.startswith("INVALID: no result: it broke, interrupted after 2.00 s\n")


def test_neither_a_quantity_nor_a_command_is_broken_into_lines() -> None:
    hint = "measure again, with all that takes part in it left alone, with `--duration 36s -c 10`"
    reason = Reason(code="x", status="suspect", text="late " * 11 + "of all 99 % left", hint=hint)
    text = shown(plan(), measurement(), Verdict("suspect", (reason,)))
    assert "99 % left" in text
    assert "`--duration 36s -c 10`" in text


def test_a_closed_load_is_called_closed_and_says_what_its_times_leave_out() -> None:
    seen = measurement(load="closed", offered_per_s=None)
    text = shown(plan(load=CLOSED), seen)
    assert "closed load, 1 connection, HTTP/1.1" in text
    assert "coordinated omission" in text
    assert text.startswith("VALID: 500 requests/s, ")
    assert "coordinated" not in shown(plan(), measurement())


def test_an_interrupted_run_says_so() -> None:
    text = shown(plan(), measurement(stopped_by="interrupt"))
    assert "in 2.00 s (interrupted)\n" in text
    assert ", interrupted after 2.00 s " in " ".join(text.split())


def test_a_run_without_any_reply_is_shown_too() -> None:
    nothing = {**CALLS, "ok": 0, "errors": {"refused": 1000}}
    empty = dict.fromkeys(measurement().times.response.model_dump(), 0) | {"hdr": ""}
    times = dict.fromkeys(("response", "service", "first_byte", "lag", "connect"), empty)
    seen = measurement(calls=nothing, times=times, intervals=[], throughput_per_s=0.0)
    text = shown(plan(), seen)
    assert "0 of 500 requests/s, no times, 100 % failed" in text
    assert "milliseconds" not in text


def test_a_measurement_by_hand_is_one_that_the_engine_could_have_made() -> None:
    made: Measurement = measurement()
    assert made.calls.due == made.calls.sent + made.calls.unsent


def test_a_suspect_number_is_marked_and_its_reason_says_which_it_is() -> None:
    reason = Reason(code="x", status="suspect", text="late", hint="stop", doubts=("p99",))
    text = shown(plan(), measurement(), Verdict("valid", (reason,)))
    assert text.startswith("VALID: 500 of 500 requests/s, p99 10.0 ms?, none failed\n")
    assert "     p50    p90?    p95?    p99?  p99.9?    max?\n" in text
    assert "\n? suspect number: the reasons are below\n" in text
    assert text.endswith("suspect      p99: late\n             hint: stop")


def test_a_doubt_about_the_throughput_and_the_failures_marks_them_and_no_time() -> None:
    reason = Reason(code="x", status="suspect", text="t", hint="h", doubts=("throughput", "errors"))
    text = shown(plan(), measurement(), Verdict("suspect", (reason,)))
    assert text.startswith("SUSPECT: 500? of 500 requests/s, p99 10.0 ms, none failed?\n")
    assert "     p50     p90     p95     p99   p99.9     max\n" in text
    assert "suspect      throughput, errors: t\n" in text


def test_an_invalid_run_has_no_marks_besides() -> None:
    reason = Reason(code="x", status="invalid", text="nothing came", hint="h")
    text = shown(plan(), measurement(), Verdict("invalid", (reason,)))
    assert "?" not in text
    assert "invalid      nothing came\n" in text


@pytest.mark.parametrize(
    ("threshold", "suspect"),
    [
        ("p99>20ms", True),
        ("service_p99.9>20ms", True),
        ("mean>20ms", True),
        ("max>1s", True),
        ("p50>20ms", False),
        ("lag_p99>1ms", False),
        ("rate<400", False),
        ("errors>0.1%", False),
    ],
)
def test_a_threshold_on_a_suspect_number_says_so(threshold: str, suspect: bool) -> None:
    reason = Reason(code="x", status="suspect", text="late", hint="stop", doubts=("p99",))
    checked = [ThresholdCheck(parse_threshold(threshold), True, "1", "1 ≤ 2")]
    text = shown(plan(), measurement(), Verdict("valid", (reason,)), checked)
    assert text.endswith("passed: 1 ≤ 2 (suspect)") == suspect


def test_fewer_threads_than_requested_are_told_with_the_reason() -> None:
    words = "1 thread instead of 999 (at most one per connection), "
    assert words in shown(plan(threads=999), measurement())
    assert "instead of" not in shown(plan(), measurement())


def test_a_summary_in_a_file_has_the_columns_that_are_given(
    shell: Program, server: _engine.Reference
) -> None:
    line = f"$httpdyno load http://{server.address}/hello -n 20 -c 1 2>&1"
    narrow = shell(line, COLUMNS="60").stdout.splitlines()
    wide = shell(line, COLUMNS="110").stdout.splitlines()
    assert max(map(len, narrow)) <= 60
    assert any(one.endswith("due → last byte") for one in wide)
    assert not any(one.endswith("due → last byte") for one in narrow)
