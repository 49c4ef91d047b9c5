"""The results of each endpoint of a plan, as the engine measures them on a real server."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from httpdyno import engine
from httpdyno.endpoints import MOST_ENDPOINTS
from httpdyno.engine_plan import (
    Arrivals,
    ClosedLoad,
    EnginePlan,
    Request,
    RequestsLoad,
    Stop,
    Target,
)
from httpdyno.measurement import Measurement

PAGES = [("/items", "text/plain", b"twelve bytes"), ("/orders", "text/plain", b"four")]


def measured(requests: Sequence[Request], *, threads: int = 1) -> tuple[EnginePlan, Measurement]:
    """A load of these requests in turn, and its measurement."""
    with engine.reference(pages=PAGES) as server:
        host, port = server.address.rsplit(":", 1)
        plan = EnginePlan(
            target=Target(host=host, port=int(port)),
            requests=list(requests),
            load=ClosedLoad(connections=4),
            stop=Stop(count=20 * len(requests)),
            threads=threads,
        )
        return plan, engine.measure(plan)


def test_each_endpoint_has_the_results_of_the_requests_with_its_name() -> None:
    plan, m = measured(
        [
            Request(path="/items?page=1"),
            Request(path="/items?page=2"),
            Request(path="/orders"),
            Request(path="/orders", name="checkout"),
            Request(path="/nowhere", name="checkout"),
        ],
        threads=2,
    )
    assert (
        [one.name for one in m.endpoints]
        == plan.endpoints
        == ["GET /items", "GET /orders", "checkout"]
    )
    items, orders, checkout = m.endpoints
    assert (items.calls.ok, orders.calls.ok, checkout.calls.ok) == (40, 20, 20)
    assert checkout.calls.wrong_status == 20
    assert checkout.statuses == {"200": 20, "404": 20}
    assert (items.error_share, checkout.error_share) == (0.0, 0.5)
    assert sum(one.calls.ended for one in m.endpoints) == m.calls.ended == 100
    assert sum(one.response.count for one in m.endpoints) == m.times.response.count
    assert m.part("checkout") is checkout
    assert m.part("GET /") is None
    assert engine.quantiles(items.response.hdr, [1.0])[0] >= items.response.p99_ns


def test_a_plan_with_one_endpoint_has_the_results_of_the_whole_only() -> None:
    plan, m = measured([Request(path="/items?page=1"), Request(path="/items?page=2")])
    assert plan.endpoints == ["GET /items"]
    assert m.endpoints == ()
    assert m.part("GET /items") is m


def test_endpoints_beyond_the_most_are_one() -> None:
    plan, m = measured([Request(path=f"/{n}") for n in range(MOST_ENDPOINTS + 3)])
    assert len(plan.endpoints) == MOST_ENDPOINTS
    assert [one.name for one in m.endpoints[:-1]] == plan.endpoints
    assert m.endpoints[-1].name == "3 other endpoints"
    assert m.endpoints[-1].calls.wrong_status == 60


def test_a_percentile_of_an_endpoint_has_an_interval_of_its_own() -> None:
    with engine.reference(
        pages=[("/fast", "text/plain", b""), ("/slow", "text/plain", b"")]
    ) as server:
        host, port = server.address.rsplit(":", 1)
        plan = EnginePlan(
            target=Target(host=host, port=int(port)),
            requests=[Request(path="/fast"), Request(path="/slow?delay=5ms", name="slow")],
            load=RequestsLoad(arrivals=Arrivals.steady(500.0), connections=20),
            stop=Stop(duration_s=2),
        )
        m = engine.measure(plan)
    for one in m.endpoints:
        median = one.percentile(0.5)
        assert median is not None
        assert median.value_ns == one.response.p50_ns
        assert median.low_ns is not None
        assert median.high_ns is not None
        assert median.low_ns <= median.value_ns <= median.high_ns
    fast, slow = m.endpoints
    assert fast.response.p50_ns < 5_000_000 <= slow.response.p50_ns


@pytest.mark.parametrize(
    ("request_", "name"),
    [
        (Request(method="POST", path="/orders?q=a?b"), "POST /orders"),
        (Request(path="/items/{random:1:9}"), "GET /items/{random:1:9}"),
        (Request(path="/x", name="login"), "login"),
    ],
)
def test_an_endpoint_is_named_by_its_requests(request_: Request, name: str) -> None:
    assert request_.endpoint == name
