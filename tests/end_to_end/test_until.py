"""A real study that stops at a precision."""

from __future__ import annotations

import pytest
from small_server import GOOD
from study_place import Place

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

CLOSED = """\
[loads.keep-alive]
kind = "closed"
connections = 4
think = "50ms"
duration = "600ms"
"""
"""Its throughput is hardly anything but think time, on a busy machine too."""


def test_a_study_stops_at_its_precision_and_is_then_complete(place: Place) -> None:
    place.study(blocks=2, loads=CLOSED, good=(GOOD, ""), twin=(GOOD, ""))
    until = ("--until", "±50%", "--blocks", "40")
    done = place.run(*until)
    assert done.returncode == 0, done.stderr
    assert "at most 40 blocks (80 trials, about" in done.stderr
    result = place.result()
    assert result.complete
    assert result.stopping is not None
    assert result.stopping.stopped
    assert 10 <= result.stopping.blocks < 40
    assert len(place.trials()) == 2 * result.stopping.blocks
    assert "Stopped after block" in " ".join(done.stdout.split())
    again = place.run(*until, "--resume")
    assert again.returncode == 0, again.stderr
    assert "nothing is left to measure" in again.stderr
    assert place.result() == result


def test_too_few_blocks_to_look_are_one_error(place: Place) -> None:
    place.study(loads=CLOSED, good=(GOOD, ""))
    done = place.run("--until", "±2%", "--blocks", "3")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: `blocks` is 3 and `until` ±2 %: expected 10 blocks")
    wrong = place.run("--until", "2")
    assert wrong.stderr.startswith("error: `--until 2`: expected a precision from `±0.1%`")
