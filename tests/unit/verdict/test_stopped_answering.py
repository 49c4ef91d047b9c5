"""A server that stops answering before the end of the window, and what is none."""

from __future__ import annotations

from measured import Change, calls, codes, measurement, second, time

CLOSED: Change = {"load": "closed", "offered_per_s": None}
GONE = [second(n, ok=1000 if n < 8 else 0) for n in range(10)]
LATE = [second(n, ok=1000 if n < 9 else 0) for n in range(10)]


def test_a_second_is_silent_enough_if_calls_failed_in_it_other_than_by_a_timeout() -> None:
    silent = [*LATE[:9], LATE[9] | {"failed": 5}]
    for kind, told in (("refused", True), ("reply_timeout", False)):
        m = measurement(intervals=silent, calls=calls(9_995, errors={kind: 5}))
        assert ("stopped_answering" in codes(m)) == told


def test_a_server_whose_replies_come_after_the_window_has_not_stopped_answering() -> None:
    assert "stopped_answering" not in codes(measurement(intervals=[*GONE, second(12, due=0)]))


def test_a_silence_no_longer_than_a_reply_took_is_not_called_the_end_of_a_server() -> None:
    slow = measurement(intervals=GONE, times__service=time(p99_ns=2_100_000_000))
    assert "stopped_answering" not in codes(slow)


def test_a_load_that_had_nothing_left_to_send_does_not_blame_the_server() -> None:
    idle = [*GONE[:8], second(8, ok=0, due=0), second(9, ok=0, due=0)]
    assert "stopped_answering" not in codes(measurement(intervals=idle))
    assert "stopped_answering" not in codes(measurement(intervals=idle, **CLOSED))
    hung = measurement(intervals=idle, calls=calls(in_flight=2), **CLOSED)
    assert codes(hung)[0] == "stopped_answering"
