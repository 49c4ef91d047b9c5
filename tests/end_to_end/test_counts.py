"""200,000 requests are 200,000 lines of nginx's access log, by each load, on both drivers."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from httpdyno import engine
from httpdyno.engine_plan import (
    Arrivals,
    ClosedLoad,
    DriverChoice,
    EnginePlan,
    Expect,
    Load,
    Request,
    RequestsLoad,
    SessionsLoad,
    Stop,
    Target,
    Text,
    Timeouts,
)
from httpdyno.errors import EnvironmentFault
from httpdyno.servers import install, load_catalogue, start

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

CALLS = 200_000
PATH = "/echo?value=counted"
LOADS: dict[str, tuple[Load, int, int]] = {
    "closed": (ClosedLoad(connections=64), 1, CALLS),
    "closed, in bursts of 16": (ClosedLoad(connections=16), 16, CALLS),
    "requests": (RequestsLoad(arrivals=Arrivals.steady(25_000), connections=128), 1, CALLS),
    "sessions": (SessionsLoad(arrivals=Arrivals.steady(2_500), calls=10), 5, CALLS // 10),
}
"""Load, burst, count."""


@pytest.mark.parametrize("driver", ["io_uring", "epoll"])
@pytest.mark.parametrize("load", LOADS)
def test_nginx_logs_exactly_the_calls_that_the_engine_counts(
    load: str, driver: DriverChoice, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTPDYNO_STATE", str(tmp_path / "state"))
    try:
        nginx = install(load_catalogue().get("nginx"))
    except EnvironmentFault as fault:
        pytest.skip(str(fault))
    shape, burst, count = LOADS[load]
    answer = "<http_test><value>counted</value></http_test>"
    running = start(nginx, "1-worker-logged", cpus=None, log=tmp_path / "log")
    try:
        plan = EnginePlan(
            target=Target(host=running.host, port=running.port),
            requests=[Request(path=PATH, expect=Expect(status=[200], body=Text(text=answer)))],
            load=shape,
            burst=burst,
            stop=Stop(count=count, duration_s=600, drain_s=120),
            timeouts=Timeouts(connect_s=120, reply_s=120),
            driver=driver,
        )
        measured = engine.measure(plan)
    finally:
        running.stop(keep_run_folder=True)
    assert measured.engine.driver == driver
    assert measured.calls.ok == measured.calls.due == CALLS
    with (running.run_folder / "access.log").open(encoding="utf-8") as log:
        assert sum(PATH in line for line in log) == CALLS
    shutil.rmtree(running.run_folder)
