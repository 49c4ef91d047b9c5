"""One coordinator at a time uses a machine, and its silence ends what it started."""

from __future__ import annotations

import threading

from httpdyno.scale.lease import Holder, Lease

ONE = Holder("here", 1, 0.0, "one")
TWO = Holder("there\x1b[2J", 2, 0.0, "two")
LONG_S = 3600.0


def test_a_second_coordinator_is_told_who_uses_the_machine() -> None:
    lease = Lease(LONG_S)

    assert lease.take(ONE) is None
    assert lease.take(TWO) == ONE
    assert lease.take(ONE) is None
    assert not lease.renew("two")
    assert lease.renew("one")


def test_a_holder_in_words_has_no_token_and_no_control_characters() -> None:
    assert str(TWO) == r"process 2 on `there\x1b[2J`, since 00:00:00 UTC"


def test_giving_it_back_ends_everything_first() -> None:
    lease, ended = Lease(LONG_S), threading.Event()
    lease.take(ONE)
    lease.on_end(ended.set)

    lease.give_back("two")
    assert not ended.is_set()
    lease.give_back("one")
    assert ended.is_set()
    assert not lease.renew("one")
    assert lease.take(TWO) is None


def test_silence_ends_it_once() -> None:
    lease, ended, calls = Lease(0.05), threading.Event(), []
    lease.take(ONE)
    lease.on_end(lambda: calls.append(1))
    lease.on_end(ended.set)

    assert ended.wait(60)
    lease.end()
    assert calls == [1]


def test_what_fails_to_end_does_not_keep_the_rest() -> None:
    lease, ended = Lease(LONG_S), threading.Event()
    lease.take(ONE)
    lease.on_end(lambda: 1 / 0)  # type: ignore[arg-type]
    lease.on_end(ended.set)

    lease.end()
    assert ended.is_set()
