"""What `load` shows: the summary, the progress, the pictures in text."""

from __future__ import annotations

import pytest
from httpdyno.cli.load.arguments.thresholds import Crossing
from httpdyno.cli.load.output import progress as view
from httpdyno.cli.load.output.sparkline import bars, shape
from httpdyno.cli.load.output.summary import summary
from httpdyno.cli.load.output.words import describe_error, describe_load, describe_stop
from httpdyno.engine import Progress
from httpdyno.engine_plan import EnginePlan
from httpdyno.measurement import Measurement
from httpdyno.result import Reason
from httpdyno.verdict import Verdict

from .measurements import CALLS, MS, measurement, time, validity

VALID = Verdict("valid", ())
OPEN = {
    "kind": "requests",
    "arrivals": {"spacing": "exponential", "segments": [{"from_per_s": 500, "to_per_s": 500}]},
    "connections": 100,
}
CLOSED = {"kind": "closed", "connections": 1}


def plan(**changed: object) -> EnginePlan:
    """A plan of ten seconds."""
    plain = {"target": {"host": "h", "port": 80}, "load": OPEN, "stop": {"duration_s": 10}}
    return EnginePlan.model_validate(plain | changed)


def test_the_summary_of_a_sound_run_reads_as_this() -> None:
    text = summary(plan(), measurement(), VALID, [], [MS] * 50 + [2 * MS] * 10 + [10 * MS])
    assert text == EXPECTED


EXPECTED = """\
VALID: 500/s of 500/s offered, p99 10.0 ms, none failed, in 2.00 s
open load, 500/s exponential requests, at most 100 connections, HTTP/1.1

                   p50      p90      p99    p99.9      max
response       1.00 ms  3.00 ms  10.0 ms  20.0 ms  40.0 ms   due → last byte
service        1.00 ms  3.00 ms  10.0 ms  20.0 ms  40.0 ms   sent → last byte
first byte      500 µs  1.50 ms  5.00 ms  10.0 ms  20.0 ms   sent → first byte
connect        40.0 µs   120 µs   400 µs   800 µs  1.60 ms   per connection

shape              █     ▄             ▂           500 µs to 30.0 ms (log)
by second    ▇█                                    480 to 520 a second

calls        1,000 due = 1,000 sent
             1,000 sent = 1,000 ok
connections  10 opened, 0 failed, 0 closed by the server, at most 10 open
bytes        1.91 MiB in (977 KiB/s), 97.7 KiB out
generator    1 thread, 15.0 % busy, lag p99 20.0 µs; epoll (io_uring is
             forbidden here)"""


def test_the_kernel_s_times_stand_under_the_engine_s_with_how_many_calls_have_them() -> None:
    times = measurement().times.model_dump()
    times |= {"kernel": time(p50_ns=MS // 2), "kernel_gap": time(p50_ns=MS // 100)}
    counts = {"stamped": 990, "unstamped": 10, "clock_set_ns": None}
    text = summary(plan(), measurement(times=times, kernel=counts), VALID, [], [])
    assert "\nkernel          500 µs  1.50 ms  5.00 ms  10.0 ms  20.0 ms   left → arrived\n" in text
    assert "\nkernel gap     10.0 µs  30.0 µs   100 µs   200 µs   400 µs   rest of serv" in text
    assert text.endswith("kernel       990 of 1,000 right calls have its stamps")
    assert max(map(len, text.splitlines())) <= 80
    assert "kernel" not in summary(plan(), measurement(), VALID, [], [])


@pytest.mark.parametrize(
    ("set_ns", "told"), [(1500 * MS, "forward by 1.50 s"), (-20 * MS, "back by 20.0 ms")]
)
def test_a_wall_clock_that_was_set_leaves_no_kernel_times(set_ns: int, told: str) -> None:
    counts = {"stamped": 700, "unstamped": 300, "clock_set_ns": set_ns}
    text = summary(plan(), measurement(kernel=counts), VALID, [], [])
    assert f"kernel       no times: the wall clock was set {told} during the run" in text


def test_the_interval_of_p99_stands_under_the_counts() -> None:
    text = summary(plan(), measurement(validity=validity()), VALID, [], [])
    assert text.endswith("p99 is       10.0 ms ± 10.0 % (9.00 ms to 11.0 ms), at 95 %")
    open_above = measurement(validity=validity(high_ns=None))
    text = summary(plan(), open_above, VALID, [], [])
    assert text.endswith("p99 is       10.0 ms (9.00 ms to unknown), at 95 %")


@pytest.mark.parametrize(
    ("stopped_by", "answer"), [("precision", "reached"), ("duration", "not reached")]
)
def test_a_run_until_a_precision_tells_whether_it_got_there(stopped_by: str, answer: str) -> None:
    until = plan(stop={"duration_s": 60, "until": {"quantile": 0.99, "within": 0.02}})
    seen = measurement(validity=validity(), stopped_by=stopped_by)
    text = " ".join(summary(until, seen, VALID, [], []).split())
    assert f"until {answer}: p99 = 10.0 ms ± 10.0 % (9.00 ms to 11.0 ms) (asked for ± 2 %)" in text
    assert f"{answer}: p99 was not measured" in summary(
        until, measurement(stopped_by=stopped_by), VALID, [], []
    )


def test_what_was_granted_of_low_latency_stands_under_the_generator() -> None:
    engine = measurement().engine.model_dump() | {
        "low_latency": {
            "shallow_idle": {"granted": False, "reason": "`/dev/cpu_dma_latency`: denied"},
            "real_time": {"granted": True, "reason": None},
        }
    }
    text = summary(plan(), measurement(engine=engine), VALID, [], [])
    assert (
        "low latency  no shallow idle states (`/dev/cpu_dma_latency`: denied),\n"
        "             real-time priority\n"
    ) in text + "\n"
    assert "low latency" not in summary(plan(), measurement(), VALID, [], [])


def test_tls_has_a_row_of_times_and_a_line_of_what_was_agreed() -> None:
    times = measurement().times.model_dump() | {"tls": time(p50_ns=MS, count=10)}
    made = {"full": 4, "resumed": 6, "version": "1.3", "cipher": "TLS_AES_256_GCM_SHA384"}
    secure = plan(target={"host": "h", "port": 443, "tls": {"insecure": True}})
    text = summary(secure, measurement(times=times, handshakes=made), VALID, [], [])
    row = "TLS            1.00 ms  3.00 ms  10.0 ms  20.0 ms  40.0 ms   per handshake\n"
    assert row in text
    agreed = "4 full handshakes, 6 resumed; TLS 1.3, TLS_AES_256_GCM_SHA384"
    assert agreed in " ".join(text.split())
    assert "TLS with anybody (--insecure)" in text
    assert "TLS" not in summary(plan(), measurement(), VALID, [], [])


def test_percentiles_among_calls_that_were_given_up_are_lower_bounds() -> None:
    times = measurement().times.model_dump()
    # 5 of 1,000 were given up, after 10 ms at least.
    times["response"] = time(p50_ns=MS) | {"censored": 5, "censored_min_ns": 10 * MS}
    text = summary(plan(), measurement(times=times), VALID, [], [])
    assert "response       1.00 ms  3.00 ms ≥10.0 ms ≥20.0 ms ≥40.0 ms   due" in text
    assert "service        1.00 ms  3.00 ms  10.0 ms  20.0 ms  40.0 ms   sent" in text
    assert "p99 ≥10.0 ms, none failed" in text
    assert "≥: 5 calls were given up; they count with the age they had then" in text
    assert "≥" not in summary(plan(), measurement(), VALID, [], [])


def test_failures_are_told_by_class_in_plain_words_with_the_first_of_them() -> None:
    calls = {**CALLS, "ok": 900, "wrong_status": 50, "errors": {"reset": 20, "refused": 30}}
    seen = measurement(
        calls=calls, statuses={"200": 900, "503": 50}, first_failure="GET / answered 503"
    )
    text = summary(plan(), seen, VALID, [], [])
    assert "10.0 % failed" in text
    assert "1,000 sent = 900 ok + 50 wrong status + 50 errors" in text
    assert "statuses     900 × 200, 50 × 503" in text
    assert text.index("30 refused: the server refused") < text.index("20 reset: the server reset")
    assert "first failure GET / answered 503" in text


def test_reasons_and_crossed_thresholds_close_the_summary() -> None:
    reason = Reason(code="x", status="invalid", text="it was late", hint="pin it")
    verdict = Verdict("invalid", (reason,))
    text = summary(plan(), measurement(), verdict, [Crossing("p99>1ms", "10 ms")], [])
    assert text.startswith("INVALID: ")
    assert text.endswith(
        "invalid      it was late\n             hint: pin it\ncrossed      p99>1ms: 10 ms"
    )


def test_a_closed_load_is_called_closed_and_says_what_its_times_leave_out() -> None:
    seen = measurement(load="closed", offered_per_s=None)
    text = summary(plan(load=CLOSED), seen, VALID, [], [])
    assert "closed load, 1 connection, HTTP/1.1" in text
    assert "coordinated omission" in text
    assert "offered" not in text
    assert "coordinated" not in summary(plan(), measurement(), VALID, [], [])


def test_a_run_without_any_reply_is_shown_too() -> None:
    nothing = {**CALLS, "ok": 0, "errors": {"refused": 1000}}
    empty = dict.fromkeys(measurement().times.response.model_dump(), 0) | {"hdr": ""}
    times = dict.fromkeys(("response", "service", "first_byte", "lag", "connect"), empty)
    seen = measurement(calls=nothing, times=times, intervals=[], throughput_per_s=0.0)
    text = summary(plan(), seen, VALID, [], [])
    assert "0/s of 500/s offered, no times, 100 % failed" in text


def test_each_error_class_of_the_engine_has_its_words() -> None:
    classes = (
        "connect_timeout first_byte_timeout reply_timeout socket_timeout refused reset early_close"
        " protocol unreachable descriptors addresses file_table other"
    )
    words = {describe_error(name) for name in classes.split()}
    assert len(words) == len(classes.split())
    assert describe_error("unheard_of") not in words


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"keep_alive": False}, "without keep-alive"),
        ({"burst": 5, "think_s": 1.0}, "5 pipelined together, 1.00 s think time"),
        (
            {"load": {**OPEN, "kind": "sessions", "calls": 10, "connections": None}},
            "open load, 500/s exponential sessions, 10 calls each",
        ),
    ],
)
def test_a_load_is_told_in_words(changed: dict[str, object], words: str) -> None:
    if isinstance(load := changed.get("load"), dict):
        load.pop("connections", None)
    assert words in describe_load(plan(**changed))


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({}, "10.0 s"),
        ({"stop": {"count": 200_000}}, "200,000 requests"),
        ({"stop": {"count": 1, "duration_s": 2}}, "1 request or 2.00 s"),
        ({"warm_up_s": 3.0}, "10.0 s after 3.00 s of warm-up"),
        (
            {"stop": {"duration_s": 60, "until": {"quantile": 0.999, "within": 0.025}}},
            "until p99.9 is known to ± 2.5 %, at most 60.0 s",
        ),
    ],
)
def test_its_end_is_told_in_words(changed: dict[str, object], words: str) -> None:
    assert describe_stop(plan(**changed)) == words


def progress(**changed: object) -> Progress:
    """A run in its third second."""
    plain = {
        "phase": "measuring",
        "elapsed_s": 2.5,
        "due": 1250,
        "sent": 1250,
        "ok": 1200,
        "failed": 40,
        "in_flight": 10,
        "open_connections": 12,
        "rate_per_s": 500.0,
        "p50_ns": MS,
        "p99_ns": 10 * MS,
        "lag_p99_ns": 20_000,
        "errors": {"refused": 40},
    }
    return Progress.model_validate(plain | changed)


def test_the_progress_shows_how_far_how_fast_and_what_failed() -> None:
    first, second, third = view.lines(plan(), progress())
    assert first == "measuring  " + "━" * 8 + "─" * 22 + "  2.50 s of 10.0 s"
    assert second == "500/s   p50 1.00 ms   p99 10.0 ms   lag p99 20.0 µs"
    assert third == "1,200 ok   40 failed (refused 40)   10 in flight on 12 connections"


def test_the_progress_shows_no_time_that_was_not_measured() -> None:
    assert view.lines(plan(), progress(p50_ns=0, elapsed_s=0.5))[1] == "…"
    assert view.lines(plan(), progress(p50_ns=0))[1] == "no reply in the last second"
    assert "lag" not in view.lines(plan(load=CLOSED), progress())[1]


def test_the_progress_of_a_counted_run_goes_by_its_count() -> None:
    first = view.lines(plan(stop={"count": 2500}), progress())[0]
    assert first == "measuring  " + "━" * 15 + "─" * 15 + "  2.50 s, 1,250 of 2,500"


def test_bars_go_from_zero_to_the_greatest_and_narrow_by_averaging() -> None:
    assert bars([0, 1, 4, 8], 10) == " ▂▅█"
    assert bars([2, 2, 8, 8], 2) == "▃█"
    assert bars([], 5) == bars([0, 0], 5) == ""


def test_a_shape_has_a_log_axis_and_keeps_a_thin_tail_visible() -> None:
    assert shape([1] * 98 + [11] + [99], 1, 100, 4) == "█ ▂▂"
    assert shape([], 1, 100, 4) == ""


def test_a_measurement_by_hand_is_one_that_the_engine_could_have_made() -> None:
    made: Measurement = measurement()
    assert made.calls.due == made.calls.sent + made.calls.unsent
