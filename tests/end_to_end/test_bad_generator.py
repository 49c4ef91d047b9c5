"""A load generator that is disturbed is caught: real processes, stopped or crowded by others."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from httpdyno import engine
from httpdyno.cli.load.output.record import LoadRecord
from httpdyno.cli.reference import served_pages
from httpdyno.doubts import Number
from neighbours import neighbours

if TYPE_CHECKING:
    from httpdyno import _engine

pytestmark = pytest.mark.slow

SOURCES = Path(__file__).parents[2] / "python"
GENERATOR = {"generator_late", "generator_behind", "generator_stopped"}
CPUS = sorted(os.sched_getaffinity(0))
PAUSE_S = 0.15


@pytest.fixture
def server() -> Iterator[_engine.Reference]:
    with engine.reference(pages=served_pages()) as running:
        yield running


@contextmanager
def load(server: _engine.Reference, record: Path, *flags: str) -> Iterator[subprocess.Popen[bytes]]:
    """`httpdyno load` of the reference server, which takes 1 ms a call."""
    url = f"http://{server.address}/hello?delay=1ms"
    words = [
        sys.executable,
        "-m",
        "httpdyno",
        "load",
        url,
        *flags,
        "--quiet",
        "--json",
        str(record),
    ]
    running = subprocess.Popen(words, env={**os.environ, "PYTHONPATH": str(SOURCES)})
    try:
        yield running
    finally:
        running.send_signal(signal.SIGCONT)
        running.kill()
        running.wait()


def ended(running: subprocess.Popen[bytes], within_s: float | None = None) -> bool:
    """True if a process ended within that time."""
    try:
        running.wait(within_s)
    except subprocess.TimeoutExpired:
        return False
    return True


def stop_and_go(running: subprocess.Popen[bytes]) -> None:
    """Stop a process half of the time, until it ends."""
    while not ended(running, PAUSE_S):
        running.send_signal(signal.SIGSTOP)
        ended(running, PAUSE_S)
        running.send_signal(signal.SIGCONT)


def doubts(record: Path) -> dict[str, set[Number]]:
    """The codes of the reasons, and the numbers that each doubts."""
    read = LoadRecord.model_validate_json(record.read_text())
    return {one.code: set(one.doubts) for one in read.reasons}


@pytest.mark.parametrize("connections", [2, 100])
def test_a_generator_whose_process_is_stopped_again_and_again_is_caught(
    server: _engine.Reference, tmp_path: Path, connections: int
) -> None:
    record = tmp_path / "record.json"
    with load(server, record, "--rate", "500", "-c", f"{connections}", "-d", "3s") as running:
        stop_and_go(running)
    told = doubts(record)
    assert GENERATOR & set(told)
    assert all("p99" in told[code] for code in GENERATOR & set(told))


# One of these loads at least ends while its process is stopped.
@pytest.mark.parametrize("ms", [1000, 1100, 1200])
def test_a_generator_that_was_late_at_the_end_sends_what_was_due_while_connections_are_free(
    server: _engine.Reference, tmp_path: Path, ms: int
) -> None:
    record = tmp_path / "record.json"
    with load(server, record, "--rate", "500", "-c", "1000", "-d", f"{ms}ms") as running:
        stop_and_go(running)
    calls = LoadRecord.model_validate_json(record.read_text()).measurement.calls
    assert (calls.unsent, calls.in_flight) == (0, 0)
    assert calls.due == calls.ok == ms // 2


def test_a_closed_load_whose_process_is_stopped_again_and_again_is_caught(
    server: _engine.Reference, tmp_path: Path
) -> None:
    record = tmp_path / "record.json"
    with load(server, record, "-c", "8", "-d", "3s") as running:
        stop_and_go(running)
    told = doubts(record)
    assert told["generator_stopped"] == {"throughput", "p50", "p99"}


@pytest.mark.skipif(len(CPUS) < 2, reason="the server needs a processor of its own")
def test_a_generator_with_loaded_neighbours_on_its_processor_is_caught(
    server: _engine.Reference, tmp_path: Path
) -> None:
    record = tmp_path / "record.json"
    # This needs more than its share of the processor; less would be served first.
    flags = ["--rate", "40000", "-c", "200", "--cpus", f"{CPUS[0]}", "-d", "3s"]
    with neighbours(CPUS[0], 4), load(server, record, *flags) as running:
        assert ended(running)
    assert GENERATOR & set(doubts(record))


@pytest.mark.skipif(len(CPUS) < 2, reason="the server needs a processor of its own")
def test_a_closed_load_with_loaded_neighbours_on_its_processor_is_caught(
    server: _engine.Reference, tmp_path: Path
) -> None:
    record = tmp_path / "record.json"
    # These need more than their share of the processor; fewer would be served first.
    flags = ["-c", "64", "--cpus", f"{CPUS[0]}", "-d", "3s"]
    with neighbours(CPUS[0], 4), load(server, record, *flags) as running:
        assert ended(running)
    assert "generator_stopped" in doubts(record)
