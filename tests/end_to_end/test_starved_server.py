"""A server whose processor other programs take is caught: real processes beside it."""

from __future__ import annotations

import os

import pytest
from neighbours import neighbours
from small_server import GOOD
from study_place import Place

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]
CPUS = sorted(os.sched_getaffinity(0))
LOADS = '[loads.closed]\nkind = "closed"\nconnections = 4\nduration = "2s"\n'


@pytest.mark.skipif(len(CPUS) < 2, reason="the server needs a processor of its own")
def test_a_study_says_that_other_programs_took_the_processor_of_its_server(place: Place) -> None:
    place.study(loads=LOADS, good=(GOOD, ""))
    with neighbours(CPUS[0], 2):
        done = place.run()
    assert done.returncode == 0, done.stderr
    for trial in place.trials():
        told = {reason.code: reason for reason in trial.reasons}
        assert {"throughput", "p50", "p99"} <= set(told["server_starved"].doubts)
        assert trial.status_of("throughput") == "suspect"
