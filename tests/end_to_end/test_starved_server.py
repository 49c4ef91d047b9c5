"""A server whose processor other programs take is caught: real processes beside it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from httpdyno.cli.load.output.record import LoadRecord
from httpdyno.sweep import SweepRecord
from neighbours import neighbours
from small_server import GOOD
from study_place import Place

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]
CPUS = sorted(os.sched_getaffinity(0))
LOADS = '[loads.closed]\nkind = "closed"\nconnections = 4\nduration = "2s"\n'


@pytest.fixture
def crowd() -> Iterator[None]:
    """Two busy loops on each processor."""
    with ExitStack() as loops:
        for cpu in CPUS:
            loops.enter_context(neighbours(cpu, 2))
        yield


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
        assert trial.ceiling_is_bound
    ceiling = r"^generator ceiling on this machine: at least .*/s \(the machine was busy; "
    assert re.search(ceiling, done.stderr, re.M)
    assert place.store.ceilings(1) == {}


@pytest.fixture
def url(place: Place) -> Iterator[str]:
    """A page of a server on this machine."""
    server = subprocess.Popen(
        [sys.executable, "-m", "httpdyno", "reference"],
        stdout=subprocess.PIPE,
        text=True,
        env=place.environment,
    )
    assert server.stdout is not None
    try:
        yield "http://" + re.findall(r"[0-9.]+:[0-9]+", server.stdout.readline())[0] + "/hello"
    finally:
        server.kill()
        server.wait()
        server.stdout.close()


def test_a_load_and_a_sweep_say_that_other_programs_took_the_processors_of_their_server(
    place: Place, tmp_path: Path, url: str, crowd: None
) -> None:
    load, sweep = str(tmp_path / "load.json"), str(tmp_path / "sweep.json")
    done = place.call("load", url, "-d", "2s", "--json", load)
    assert "took" in done.stdout + done.stderr
    read = LoadRecord.model_validate_json(Path(load).read_text())
    assert "server_starved" in {reason.code for reason in read.reasons}
    rates = ["--rate", "50,100", "-d", "2s", "--json", sweep]
    place.call("sweep", "--cool-down", "0s", "load", url, *rates)
    points = SweepRecord.model_validate_json(Path(sweep).read_text()).points
    for point in points:
        assert "server_starved" in {reason.code for reason in point.reasons}


def test_ab_and_httperf_warn_that_other_programs_took_the_processors_of_their_server(
    place: Place, url: str, crowd: None
) -> None:
    host, port = url.split("/")[2].split(":")
    paced = [f"--server={host}", f"--port={port}", "--uri=/hello", "--rate=50", "--num-conns=100"]
    for words in (["ab", "-t", "2", "-c", "4", url], ["httperf", *paced]):
        done = place.call(*words)
        assert re.search(r"^warning: other programs or .* took .* %", done.stderr, re.M)
        assert "took" not in done.stdout
    done = place.call("ab", "-S", "-t", "2", "-c", "4", url)
    assert "took" not in done.stderr
    done = place.call("httperf", *paced, "--verdict")
    assert re.search(r"took [0-9.]+ % of the server's processors", " ".join(done.stdout.split()))
    assert "took" not in done.stderr
