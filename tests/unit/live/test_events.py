"""The events of a run: every listener hears them, and none of them disturbs the run."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest
from httpdyno.cli.serve.recording import record_events
from httpdyno.errors import TargetError
from httpdyno.output.secrets import masked_text
from httpdyno.running.live.events import Event, Events, Note, RunEnds, RunPauses, Stage, TrialBegins
from httpdyno.running.live.identity import Identity
from httpdyno.running.live.journal import folder_of
from httpdyno.running.live.reading import Follower
from httpdyno.running.live.recorder import pausing

FAULT = "`http://user:secret@a/` cannot be reached"
TRIAL = TrialBegins(1, 2, 60.0, "alpha", "full", "10 connections")


def broken(event: Event) -> None:
    raise BrokenPipeError(32, "Broken pipe")


def test_a_listener_that_fails_is_dropped_with_a_note_and_the_others_hear_on() -> None:
    first: list[Event] = []
    last: list[Event] = []
    calls: list[Event] = []

    def failing(event: Event) -> None:
        calls.append(event)
        broken(event)

    events = Events(first.append, failing, last.append)
    events.note("one")
    events.send(Stage("two"))
    why = "a view of the progress failed and is closed; the run goes on"
    dropped = Note(f"{why} (BrokenPipeError: [Errno 32] Broken pipe)")
    assert first == [Note("one"), dropped, Stage("two")]
    assert last == [dropped, Note("one"), Stage("two")]
    assert calls == [Note("one")]


def test_listeners_that_all_fail_end_nothing() -> None:
    events = Events(broken, broken)
    events.add(broken)
    events.note("one")
    assert events.on_progress is None


def test_a_request_to_stop_in_a_listener_ends_the_run() -> None:
    def interrupted(_: Event) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Events(interrupted).note("one")


def test_no_progress_is_read_where_nobody_listens() -> None:
    events = Events()
    assert events.on_progress is None
    events.add(lambda _: None)
    assert events.on_progress is not None


def test_a_run_is_paused_before_a_trial_for_as_long_as_its_file_exists(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "pause"
    heard: list[str] = []
    monkeypatch.setattr(time, "sleep", lambda _: file.unlink())
    events = Events()
    events.add(pausing(file, events))
    events.add(lambda event: heard.append(type(event).__name__))
    file.touch()
    events.note("a note is not a trial")
    assert heard == ["Note"]
    events.send(TRIAL)
    events.send(TRIAL)
    assert heard == ["Note", "RunPauses", "RunContinues", "TrialBegins", "TrialBegins"]


def paused(events: Events) -> None:
    events.send(RunPauses("/tmp/pause"))
    raise KeyboardInterrupt


def fails(_: Events) -> None:
    raise TargetError(FAULT)


def ends(events: Events) -> None:
    events.send(RunEnds("complete", answer="All is well."))
    raise TargetError("too late")


@pytest.mark.parametrize(
    ("run", "outcome", "text"),
    [
        (paused, "interrupted", ""),
        (fails, "failed", masked_text(FAULT)),
        (ends, "complete", ""),
    ],
)
def test_a_journal_has_one_end(
    run: Callable[[Events], None],
    outcome: str,
    text: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HTTPDYNO_STATE", str(tmp_path))
    with pytest.raises((KeyboardInterrupt, TargetError)), record_events("run", "x", "x") as events:
        run(events)
    _, written = Follower(folder_of(Identity.own().key)).read()
    (end,) = [event for event in written if event["kind"] == "end"]
    assert (end["outcome"], end["text"]) == (outcome, text)
    assert "secret" not in text
