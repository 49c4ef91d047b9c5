"""Two load generators, each on a machine of its own, do one plan between them: exactly it."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest
from call_arrays import calls_of
from httpdyno import engine
from httpdyno.engine_plan import (
    Arrivals,
    CallLimit,
    ClosedLoad,
    EnginePlan,
    Expect,
    Load,
    PlanPart,
    Request,
    RequestsLoad,
    SessionsLoad,
    Stop,
    Target,
    Text,
    Timeouts,
    to_json,
)
from httpdyno.measurement import Measurement
from logging_nginx import BODY, PORT, LoggingNginx
from namespaces import GENERATOR_1, GENERATOR_2, SERVER, Namespaces
from one_histogram import bucket, hdr_of
from one_schedule import (
    FIRST,
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

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

SHARED = Path(engine.__file__).parents[2] / "tests" / "shared"
CALLS = 100_000
LOADS: dict[str, tuple[Load, int]] = {
    "closed": (ClosedLoad(connections=64), CALLS),
    "requests": (RequestsLoad(arrivals=Arrivals.steady(25_000), connections=128), CALLS),
    "sessions": (SessionsLoad(arrivals=Arrivals.steady(2_500), calls=10), CALLS // 10),
}
"""Load and count."""
LEAD_S = 2.0
"""From the order to the start; both check the server meanwhile."""
QUANTILES = [permille / 1000 for permille in range(1001)]


@dataclass
class Found:
    """The results of two machines, and of both together."""

    whole: Measurement
    calls: list[Times]

    @property
    def due_ns(self) -> Times:
        """When each call of either was due, since the start."""
        return np.sort(np.concatenate([calls["due_ns"] for calls in self.calls]))


@pytest.fixture(scope="module")
def machines() -> Iterator[Namespaces]:
    with Namespaces((GENERATOR_1, GENERATOR_2, SERVER)) as made:
        yield made


def together(machines: Namespaces, plan: EnginePlan, folder: Path) -> Found:
    """Run the plan on both generators."""
    names = (GENERATOR_1, GENERATOR_2)
    parts = [replace(plan, part=part) for part in _parts(len(names))]
    running = [
        _started(machines, name, part, folder) for name, part in zip(names, parts, strict=True)
    ]
    for process in running:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    at = time.time_ns() + round(LEAD_S * 1e9)
    for process in running:
        assert process.stdin is not None
        process.stdin.write(f"{at}\n")
        process.stdin.flush()
    for process in running:
        process.communicate()
        assert process.returncode == 0
    return Found(
        engine.merge(plan, [(folder / name / "whole").read_bytes() for name in names]),
        [calls_of((folder / name / "calls").read_bytes()) for name in names],
    )


def _parts(of: int) -> list[PlanPart]:
    return [PlanPart(index=index, of=of) for index in range(of)]


def _started(
    machines: Namespaces, name: str, plan: EnginePlan, folder: Path
) -> subprocess.Popen[str]:
    file = folder / f"{name}.json"
    file.write_text(to_json(plan), encoding="utf-8")
    script = [str(SHARED / "plan_part.py"), str(file), str(folder / name)]
    argv = [*FIRST, sys.executable, *script]
    return machines.start(name, argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE)


@pytest.mark.parametrize("load", LOADS)
def test_two_halves_of_100_000_requests_are_100_000_lines_of_the_access_log(
    load: str, machines: Namespaces, nginx: LoggingNginx, tmp_path: Path
) -> None:
    shape, count = LOADS[load]
    path = f"/{load}"
    plan = EnginePlan(
        target=Target(host=nginx.host, port=PORT),
        requests=[Request(path=path, expect=Expect(status=[200], body=Text(text=BODY)))],
        load=shape,
        stop=Stop(count=count, duration_s=600, drain_s=120),
        timeouts=Timeouts(connect_s=120, reply_s=120),
        call_log=CallLimit(),
    )
    found = together(machines, plan, tmp_path)
    assert found.whole.calls.ok == found.whole.calls.due == CALLS
    assert [len(calls) for calls in found.calls] == [CALLS // 2, CALLS // 2]
    assert nginx.lines(path) == CALLS
    raw_ns = np.concatenate([calls["done_ns"] - calls["due_ns"] for calls in found.calls])
    response = found.whole.times.response
    assert response.count == CALLS
    one = hdr_of(raw_ns)
    assert buckets(engine.quantiles(response.hdr, QUANTILES)) == buckets(
        engine.quantiles(one, QUANTILES)
    )
    shown = [response.p50_ns, response.p90_ns, response.p99_ns, response.p999_ns]
    assert buckets(shown) == buckets(engine.quantiles(one, [0.5, 0.9, 0.99, 0.999]))


def buckets(times_ns: Sequence[int]) -> list[int]:
    """The buckets of a histogram in which these times are counted."""
    return [bucket(ns) for ns in times_ns]


@pytest.fixture(scope="module")
def nginx(machines: Namespaces, tmp_path_factory: pytest.TempPathFactory) -> LoggingNginx:
    return LoggingNginx(machines, tmp_path_factory.mktemp("nginx") / "folder")


def slowly(
    machines: Namespaces, arrivals: Arrivals, count: int, folder: Path
) -> tuple[Found, Times]:
    """A slow load from both, and when its requests arrived at the server."""
    folder.mkdir()
    server = ArrivalKeeper(machines, folder)
    host, _, port = server.address.rpartition(":")
    plan = EnginePlan(
        target=Target(host=host, port=int(port)),
        requests=[Request(path="/hello")],
        load=RequestsLoad(arrivals=arrivals, connections=16),
        stop=Stop(count=count, duration_s=600, drain_s=60),
        timeouts=Timeouts(connect_s=60, reply_s=60),
        call_log=CallLimit(),
    )
    found = together(machines, plan, folder)
    came_ns = server.end()
    assert found.whole.calls.ok == count
    assert len(came_ns) == count
    return found, came_ns


def test_constant_arrivals_from_two_machines_are_the_one_schedule(
    machines: Namespaces, tmp_path: Path
) -> None:
    def attempt(number: int) -> tuple[bool, int]:
        folder = tmp_path / str(number)
        found, came_ns = slowly(machines, Arrivals.steady(SLOW_RATE), 200, folder)
        assert set(np.diff(found.due_ns)) == {GAP_NS}
        late = late_ns(came_ns, found.due_ns)
        assert on_schedule(late)
        return bool(np.median(late) < GAP_NS / 10), found.whole.times.response.p90_ns

    until_shown(attempt)


def test_random_arrivals_from_two_machines_are_as_random_as_those_of_one(
    machines: Namespaces, tmp_path: Path
) -> None:
    def attempt(number: int) -> tuple[bool, int]:
        arrivals = Arrivals.steady(SLOW_RATE, "exponential")
        found, came_ns = slowly(machines, arrivals, 500, tmp_path / str(number))
        # One machine has sent its share first; the other is alone from then on.
        end_ns = min(calls["due_ns"].max() for calls in found.calls)
        both = int(np.sum(found.due_ns <= end_ns))
        assert both > 400
        assert anderson_darling(np.diff(found.due_ns[:both]) / 1e9, SLOW_RATE) < UNLIKELY
        assert on_schedule(late_ns(came_ns, found.due_ns))
        random = anderson_darling(np.diff(came_ns[:both]) / 1e9, SLOW_RATE) < UNLIKELY
        return random, found.whole.times.response.p90_ns

    until_shown(attempt)
