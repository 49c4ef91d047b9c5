"""A sweep of several endpoints has the p99 of each at each rate, and says which rises first."""

from __future__ import annotations

import io
from typing import Any

from httpdyno.cli.sweep.table import by_endpoint
from httpdyno.result import Reason
from httpdyno.sweep import Point, answer
from rich.console import Console

from .measurements import MS, endpoint
from .test_sweep_output import KEPT, OVERLOAD, point


def of_two(rate: float, items_ms: int, orders_ms: int, *found: Reason) -> Point:
    """A point of two endpoints with these p99, each known to 1 ms."""

    def one(name: str, ms: int) -> dict[str, Any]:
        ends = {"low_ns": (ms - 1) * MS, "high_ns": (ms + 1) * MS}
        known = {"quantile": 0.99, "value_ns": ms * MS, "design_effect": 1.0} | ends
        return endpoint(name, p50_ns=ms * MS // 10, percentiles=[known])

    return point(rate, *found, endpoints=[one("items", items_ms), one("orders\x1b[31m", orders_ms)])


RISING = [of_two(100, 5, 10), of_two(200, 5, 11), of_two(300, 6, 50)]


def test_the_answer_says_which_endpoint_rises_first() -> None:
    found = answer(RISING, "response")
    assert found.endswith(
        "p99 of orders\\x1b[31m rises first: from 10.0 ms (9.00 ms to 11.0 ms) at 100/s to 50.0 ms"
        " (49.0 ms to 51.0 ms) at 300/s. Up to that rate, that of the other endpoint stays below"
        " twice the value at 100/s."
    )
    assert "rises first" in answer([RISING[2], RISING[0], RISING[1]], "response")
    assert "rises first" in answer([*RISING[:2], of_two(300, 6, 50, OVERLOAD)], "response")
    assert "rises first" not in answer([*RISING[:2], of_two(300, 6, 50, BUSY_TAIL)], "response")
    assert "rises first" not in answer(RISING, "first_byte")
    assert "rises first" not in answer(KEPT, "response")


BUSY_TAIL = Reason(code="generator_busy", status="suspect", text="x", hint="y", doubts=("p99",))


def test_the_endpoints_have_a_table_with_a_column_for_each_rate() -> None:
    table = by_endpoint([*RISING[:2], of_two(300, 6, 50, OVERLOAD)])
    assert table is not None
    paper = io.StringIO()
    table.draw(Console(file=paper, width=80))
    found = paper.getvalue()
    rows = [line.split() for line in found.splitlines() if line.strip()]
    assert rows[0] == ["p99", "by", "endpoint", "100/s", "200/s", "300/s"]
    assert ["items", "5.00", "ms", "5.00", "ms", "6.00", "ms?"] in rows
    assert "\x1b" not in found
    assert by_endpoint(KEPT) is None
