"""The journal of a run: whoever follows it sees every event once, whatever its size."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest
from httpdyno.running.live import journal as writing
from httpdyno.running.live.identity import Identity
from httpdyno.running.live.journal import EVENTS, Journal
from httpdyno.running.live.reading import Follower, journals

OTHER = "1-1"
"""The key of a process that has ended, if it ever was."""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HTTPDYNO_STATE", str(tmp_path))
    return tmp_path / "live" / Identity.own().key


def notes(events: list[dict[str, object]]) -> list[object]:
    return [event["text"] for event in events if event["kind"] == "note"]


def test_a_follower_reads_each_event_once(folder: Path) -> None:
    journal, follower = Journal(folder), Follower(folder)
    journal.add("note", text="first")
    assert notes(follower.read()[1]) == ["first"]
    assert follower.read() == (False, [])
    journal.add("note", text="second")
    assert notes(follower.read()[1]) == ["second"]


def test_a_line_that_is_half_written_is_read_when_it_is_whole(folder: Path) -> None:
    Journal(folder).close()
    follower, line = Follower(folder), b'{"kind":"note","text":"whole"}\n'
    with (folder / EVENTS).open("ab", buffering=0) as file:
        file.write(line[:10])
        assert follower.read()[1] == []
        file.write(line[10:])
    assert notes(follower.read()[1]) == ["whole"]


@pytest.mark.parametrize(
    "damage",
    [b"\xff\xfe\n", b"[1]\n", b"{}\n", b'{"kind":7}\n', b"\n", b"[" * 100_000 + b"\n"],
    ids=["bytes", "list", "empty", "number", "blank", "nested"],
)
def test_a_damaged_line_is_left_out_and_the_next_one_is_read(folder: Path, damage: bytes) -> None:
    Journal(folder).close()
    with (folder / EVENTS).open("ab") as file:
        file.write(damage + b'{"kind":"note","text":"after"}\n')
    assert notes(Follower(folder).read()[1]) == ["after"]


def test_only_its_user_can_read_it(folder: Path) -> None:
    Journal(folder)
    assert stat.S_IMODE((folder / EVENTS).stat().st_mode) == 0o600
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_a_long_trial_keeps_its_beginning_and_its_newest_samples_in_a_small_file(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writing, "MOST_BYTES", 100_000)
    journal, follower = Journal(folder), Follower(folder)
    journal.add("note", text="kept")
    begun_anew = 0
    samples: list[int] = []
    for number in range(20_000):
        journal.add("sample", number=number)
        if number % 50 == 0:
            again, events = follower.read()
            begun_anew += again
            samples = [] if again else samples
            samples += [event["number"] for event in events if event["kind"] == "sample"]
    assert begun_anew > 2
    assert (folder / EVENTS).stat().st_size < 300_000
    assert samples[0] == 0
    assert samples[-1] == 19_950
    assert samples[-100:] == list(range(19_851, 19_951))
    fresh = Follower(folder).read()[1]
    assert notes(fresh) == ["kept"]


def test_the_samples_of_a_trial_that_has_ended_are_dropped_first(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writing, "MOST_BYTES", 20_000)
    journal = Journal(folder)
    for trial in range(10):
        journal.add("trial", number=trial)
        for number in range(200):
            journal.add("sample", trial=trial, number=number)
    events = Follower(folder).read()[1]
    assert [event["number"] for event in events if event["kind"] == "trial"] == list(range(10))
    assert 0 not in {event["trial"] for event in events if event["kind"] == "sample"}


def test_a_folder_that_cannot_be_written_costs_the_journal_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("in the way")
    monkeypatch.setenv("HTTPDYNO_STATE", str(blocked))
    journal = Journal(blocked / "live" / "1-1")
    journal.add("note", text="lost")
    journal.close()
    assert journals() == []


def test_a_long_text_is_cut(folder: Path) -> None:
    journal = Journal(folder)
    journal.add("note", text="x" * 100_000, reasons=["y" * 100_000] * 500)
    size = (folder / EVENTS).stat().st_size
    assert size < 250_000
    assert json.loads((folder / EVENTS).read_text())["text"].endswith("…")


def test_the_journals_of_old_runs_are_forgotten_but_not_those_of_living_ones(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writing, "KEPT_RUNS", 2)
    for number in range(1, 6):
        old = folder.parent / f"{number}-{number}"
        old.mkdir(parents=True)
        (old / EVENTS).touch()
        os.utime(old, (number, number))
    Journal(folder)
    writing.forget_ended(2)
    left = {identity.key for identity in journals()}
    assert left == {"4-4", "5-5", Identity.own().key}


@pytest.mark.parametrize("key", ["", "1", "1-", "-1", "../1-1", "1-1/..", "1-1\n", "\u0661-\u0661"])
def test_a_key_is_two_numbers(key: str) -> None:
    assert Identity.from_key(key) is None


def test_a_process_with_the_same_pid_is_not_the_same_process() -> None:
    own = Identity.own()
    assert own.alive()
    later = Identity(own.pid, own.started + 1)
    assert not later.alive()
    assert not later.interrupt()
    assert not Identity(own.pid, own.started, "another start of the machine").alive()
