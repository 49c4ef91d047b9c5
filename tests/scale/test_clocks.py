"""Load generators whose wall clocks differ by seconds send one schedule, or are refused."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from httpdyno.errors import ExitCode
from machine_cluster import FAKETIME, GENERATORS, MachineCluster
from namespaces import GENERATOR_1, GENERATOR_2, Namespaces
from one_schedule import (
    GAP_NS,
    SLOW_RATE,
    UNLIKELY,
    ArrivalKeeper,
    Times,
    anderson_darling,
    late_ns,
    on_schedule,
    until_shown,
)

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(600),
    pytest.mark.skipif(FAKETIME is None, reason="libfaketime is not installed (package faketime)"),
]

pytest.importorskip("distributed", reason="`distributed` of the extra `scale` is not installed")
pytest.importorskip("cryptography", reason="`cryptography` of the extra `scale` is not installed")

AHEAD_S = {GENERATOR_1: 4.9, GENERATOR_2: -4.9}
"""The clocks of the machines; that of the coordinator is right."""


@contextmanager
def machines_with(clocks: dict[str, float], home: Path) -> Iterator[MachineCluster]:
    with Namespaces() as machines, MachineCluster(machines, home, clocks=clocks) as made:
        yield made


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MachineCluster]:
    with machines_with(AHEAD_S, tmp_path_factory.mktemp("cluster")) as made:
        yield made


def loaded(cluster: MachineCluster, folder: Path, *words: str) -> tuple[dict[str, Any], Times]:
    """The record of a load from both machines, and when its requests arrived at the server."""
    folder.mkdir()
    server, file = ArrivalKeeper(cluster.machines, folder), folder / "record.json"
    shape = ["--connections", "16", "--timeout", "60s", "--drain", "60s", "--json", str(file)]
    url = f"http://{server.address}/hello"
    done = cluster.load("--rate", f"{SLOW_RATE:g}", *shape, *words, url=url)
    assert done.returncode == ExitCode.OK, done.stdout + done.stderr
    return json.loads(file.read_text()), server.end()


def test_clocks_9_8_s_apart_give_one_even_schedule_and_the_instants_of_one_clock(
    cluster: MachineCluster, tmp_path: Path
) -> None:
    def attempt(number: int) -> tuple[bool, int]:
        began = time.time()
        record, came_ns = loaded(cluster, tmp_path / str(number), "--requests", "200")
        ended = time.time()

        measured = record["measurement"]
        by_one_clock = starts_by_one_clock(measured["nodes"])
        assert began < measured["started_at"] < ended
        assert measured["started_at"] == pytest.approx(min(by_one_clock) * 1e-9, abs=1e-3)
        assert len(came_ns) == measured["calls"]["ok"] == 200
        late = late_ns(came_ns, np.arange(200) * GAP_NS)
        known = sum(node["offset_error_ns"] for node in measured["nodes"])
        assert on_schedule(late, known)
        sure = "unsure_clocks" not in {one["code"] for one in record["reasons"]}
        response = measured["times"]["response"]
        return bool(np.median(late) < GAP_NS / 10 + known) and sure, response["p90_ns"]

    until_shown(attempt)


def starts_by_one_clock(nodes: list[dict[str, Any]]) -> list[int]:
    """The starts of both machines by the coordinator's clock, ns; each has its own clock's too."""
    assert tuple(node["name"] for node in nodes) == GENERATORS
    for node in nodes:
        wrong_ns = abs(node["offset_ns"] - AHEAD_S[node["name"]] * 1e9)
        assert wrong_ns <= node["offset_error_ns"] + 1000
    first, second = (node["started_at_ns"] for node in nodes)
    assert first - second == pytest.approx(9.8e9, abs=GAP_NS)
    return [node["started_at_ns"] - node["offset_ns"] for node in nodes]


def test_clocks_9_8_s_apart_give_arrivals_as_random_as_those_of_one_machine(
    cluster: MachineCluster, tmp_path: Path
) -> None:
    def attempt(number: int) -> tuple[bool, int]:
        words = ("--arrivals", "exponential", "--requests", "500")
        record, came_ns = loaded(cluster, tmp_path / str(number), *words)
        assert len(came_ns) == 500
        # One machine has sent its share first; the other is alone from then on.
        random = anderson_darling(np.diff(came_ns[:400]) / 1e9, SLOW_RATE) < UNLIKELY
        return random, record["measurement"]["times"]["response"]["p90_ns"]

    until_shown(attempt)


def test_a_clock_10_s_ahead_or_behind_is_refused_with_the_command_that_shows_why(
    tmp_path: Path,
) -> None:
    with machines_with({GENERATOR_1: -10.0}, tmp_path) as cluster:
        behind = cluster.load("--requests", "10")
        checked = cluster.httpdyno("hosts", "check", str(cluster.hosts))
        cluster.leave(GENERATOR_1)
        cluster.clocks = {GENERATOR_2: 10.0}
        cluster.leave(GENERATOR_2)
        for name in GENERATORS:
            cluster.join(name)
        ahead = cluster.load("--requests", "10")

        for done, name, way in ((behind, GENERATOR_1, "behind"), (ahead, GENERATOR_2, "ahead of")):
            assert done.returncode == ExitCode.ENVIRONMENT, done.stdout
            assert f"`{name}`: its clock is 10.0 s {way} that of this machine" in done.stderr
            assert "chronyc tracking" in done.stderr
        assert f"`{GENERATOR_1}`: its clock is 10.0 s behind" in checked.stdout
        assert checked.returncode == ExitCode.ENVIRONMENT
        rows = dict(line.split(maxsplit=1) for line in checked.stdout.splitlines() if "±" in line)
        assert re.search(r"-10\.0+ s ±", rows[GENERATOR_1])
        assert "+0 s ±0 s" not in rows[GENERATOR_2]
