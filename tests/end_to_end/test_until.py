"""A real study that stops at a precision."""

from __future__ import annotations

import pytest
from small_server import GOOD
from study_place import Place

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

CLOSED = '[loads.keep-alive]\nkind = "closed"\nconnections = 4\nduration = "200ms"\n'


def test_a_study_stops_at_its_precision_and_is_then_complete(place: Place) -> None:
    place.study(blocks=2, loads=CLOSED, good=(GOOD, ""), twin=(GOOD, ""))
    until = ("--until", "±50%", "--blocks", "12")
    done = place.run(*until)
    assert done.returncode == 0, done.stderr
    assert "at most 12 blocks (24 trials, about" in done.stderr
    result = place.result()
    assert result.complete
    assert result.stopping is not None
    assert result.stopping.stopped
    assert 8 <= result.stopping.blocks < 12
    assert len(place.trials()) == 2 * result.stopping.blocks
    assert "Stopped after block" in " ".join(done.stdout.split())
    again = place.run(*until, "--resume")
    assert again.returncode == 0, again.stderr
    assert "nothing is left to measure" in again.stderr
    assert place.result().model_copy(update={"ended_at": 0}) == result.model_copy(
        update={"ended_at": 0}
    )


def test_too_few_blocks_to_look_are_one_error(place: Place) -> None:
    place.study(loads=CLOSED, good=(GOOD, ""))
    done = place.run("--until", "±2%", "--blocks", "3")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: `blocks` is 3 and `until` ±2 %: expected 8 blocks")
    wrong = place.run("--until", "2")
    assert wrong.stderr.startswith("error: `--until 2`: expected a precision from `±0.1%`")
