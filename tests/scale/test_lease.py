"""One coordinator at a time uses a machine, and its silence ends what it started."""

from __future__ import annotations

import os
import subprocess
import threading
from dataclasses import replace
from pathlib import Path
from time import monotonic

import pytest
from httpdyno.running.machines import machine_lock as machine_lock_module
from httpdyno.running.machines.machine_lock import lock_for, machine_lock, ours, running_now
from httpdyno.scale.lease import Holder, Lease

ONE = Holder("here", 1, 0.0, "one")
TWO = Holder("there\x1b[2J", 2, 0.0, "two")
LONG_S = 3600.0


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPDYNO_STATE", str(tmp_path))


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


def test_a_renewal_that_comes_too_late_does_not_bring_the_lease_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lease, now = Lease(LONG_S), monotonic()
    lease.take(ONE)
    assert lease.renew("one")

    # A process that was stopped may read the renewal before anything has noticed the end.
    monkeypatch.setattr("httpdyno.scale.lease.monotonic", lambda: now + 2 * LONG_S)
    assert not lease.renew("one")
    lease.end()
    assert lease.take(TWO) is None
    lease.end()


def test_only_a_coordinator_of_this_host_is_known_to_have_ended() -> None:
    with subprocess.Popen(["true"]) as ended:
        pass
    gone = Holder.here(ended.pid, 0.0, "gone")

    assert gone.has_ended
    assert not Holder.here(os.getpid(), 0.0, "runs").has_ended
    assert not replace(gone, host="another").has_ended


def test_what_fails_to_end_does_not_keep_the_rest() -> None:
    lease, ended = Lease(LONG_S), threading.Event()
    lease.take(ONE)
    lease.on_end(lambda: 1 / 0)  # type: ignore[arg-type]
    lease.on_end(ended.set)

    lease.end()
    assert ended.is_set()


def test_a_machine_on_which_a_run_of_its_own_is_under_way_is_not_given_away() -> None:
    lease = Lease(LONG_S, machine=lock_for)

    with machine_lock("httpdyno run demo", print):
        assert lease.take(ONE) == f"`httpdyno run demo` (pid {os.getpid()})"
    assert lease.take(ONE) is None


def test_a_run_on_a_machine_that_is_taken_waits_and_is_told_for_whose_run() -> None:
    lease, said = Lease(LONG_S, machine=lock_for), []
    whose = replace(ONE, command="httpdyno run study.toml --on hosts.toml")
    lease.take(whose)

    def say(text: str) -> None:
        said.append(text)
        threading.Thread(target=lease.give_back, args=("one",)).start()

    with machine_lock("httpdyno run demo", say):
        assert running_now() == f"`httpdyno run demo` (pid {os.getpid()})"
    (text,) = said
    assert text.startswith(
        "waiting for `httpdyno run study.toml --on hosts.toml` (process 1 on `here`, since "
    )


def test_a_run_that_waits_longer_than_it_said_says_so_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    said: list[str] = []
    lease = Lease(LONG_S, machine=lock_for)
    lease.take(ONE)
    monkeypatch.setattr(machine_lock_module, "_left_s", lambda *_: 0.0 if not said else None)
    monkeypatch.setattr(machine_lock_module, "LEAST_S", 0.0)
    monkeypatch.setattr(machine_lock_module, "RETRY_S", 0.01)

    def say(text: str) -> None:
        said.append(text)
        if len(said) == 2:
            threading.Thread(target=lease.give_back, args=("one",)).start()

    with machine_lock("httpdyno run demo", say):
        pass
    assert [text.partition(" for ")[0] for text in said] == ["waiting", "still waiting"]
    assert "left" not in said[1]


def test_workers_of_one_machine_are_taken_for_the_same_run_and_for_no_other() -> None:
    first, second = Lease(LONG_S, machine=lock_for), Lease(LONG_S, machine=lock_for)

    assert first.take(ONE) is None
    assert second.take(TWO) == str(ONE)
    assert second.take(ONE) is None
    first.give_back("one")
    second.give_back("one")
    assert first.take(TWO) is None


def test_a_run_whose_own_worker_has_its_machine_does_not_wait_for_itself() -> None:
    lease = Lease(LONG_S, machine=lock_for)
    lease.take(replace(ONE, token="three"))
    ours("three")

    with machine_lock("httpdyno run demo --on hosts.toml", pytest.fail):
        assert "`here`" in str(running_now())


def test_a_machine_without_a_place_for_the_lock_can_be_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("in the way")
    monkeypatch.setenv("HTTPDYNO_STATE", str(blocked))
    assert Lease(LONG_S, machine=lock_for).take(ONE) is None
