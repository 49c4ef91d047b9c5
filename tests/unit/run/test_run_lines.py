"""The plain lines of a run, where stderr is no terminal."""

from __future__ import annotations

import fcntl
import os

import pytest
from httpdyno.cli.run.progress import Lines
from httpdyno.running.live.events import Events, Note, TrialEnds, TrialsPlanned
from stored_samples import outcome


def test_a_pipe_that_is_full_for_a_while_costs_its_line_and_not_those_after_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    read, write = os.pipe()
    os.set_blocking(read, False)
    os.set_blocking(write, False)
    room = fcntl.fcntl(write, fcntl.F_GETPIPE_SZ)
    events = Events(Lines())
    with os.fdopen(write, "w", encoding="utf-8") as stderr:
        monkeypatch.setattr("sys.stderr", stderr)
        os.write(write, b"x" * room)
        events.note("lost")
        assert os.read(read, room) == b"x" * room
        events.send(Note("kept"))
        assert "kept" in os.read(read, room).decode()
    os.close(read)


def test_each_trial_has_its_number_also_in_a_run_that_is_resumed(
    capsys: pytest.CaptureFixture[str],
) -> None:
    events = Events(Lines())
    events.send(TrialsPlanned(stored=1, of=3, left_s=10.0))
    for index in range(2):
        events.send(TrialEnds(outcome(index)))
    shown = capsys.readouterr().err.splitlines()
    assert [line.split(" ")[0] for line in shown] == ["2/3", "3/3"]
