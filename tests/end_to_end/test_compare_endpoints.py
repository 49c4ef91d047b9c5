"""Two builds of a real shop: the endpoint of four that became slower is found and named."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import pytest
from httpdyno.comparison.margins import P99_MARGIN
from httpdyno.result import StudyResult
from study_place import Place

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

SHOP = Path(__file__).parents[1] / "shared" / "shop.py"
ENDPOINTS = ("POST /login", "GET /items", "GET /items/{id}")
WORKLOAD = """\
[[requests]]
path = "/login"
body = '{"email": "ann@example.org", "password": "secret of ann@example.org"}'
expect = { status = 200 }
[[requests]]
path = "/items?page=1"
expect = { status = 200 }
[[requests]]
name = "GET /items/{id}"
path = "/items/7"
expect = { status = 200 }
[[requests]]
name = "GET /items/{id}"
path = "/items/8"
expect = { status = 200 }
[[requests]]
name = "search"
path = "/items?page=50"
expect = { status = 200 }
"""


def shop(folder: Path, name: str, *more: str) -> str:
    """A command that starts the shop. A pause of a busy machine is short beside its delays."""
    script = folder / name
    slow = [word for one in ENDPOINTS for word in ("--slow", f"{one}=20")]
    words = shlex.join([sys.executable, str(SHOP)])
    script.write_text(f'#!/bin/sh\nexec {words} "$1" {shlex.join([*slow, *more])}\n')
    script.chmod(0o755)
    return f"cmd:{script} {{port}}"


def test_the_endpoint_of_four_that_became_slower_is_found_and_named(place: Place) -> None:
    (place.home / "shop.toml").write_text(WORKLOAD)
    done = place.call(
        "compare",
        shop(place.home, "before.sh"),
        shop(place.home, "after.sh", "--slow", "GET /items/{id}=200"),
        # The 64 connections of this load can hold the rate with such replies.
        *("--workload", str(place.home / "shop.toml"), "--blocks", "5", "--rate", "400"),
        *("--duration", "300ms", "--warm-up", "250ms", "--connections", "50"),
        *("--results", str(place.results)),
    )
    assert done.returncode == 8, done.stdout + done.stderr
    answer = " ".join(done.stdout.split())
    assert "p99 of GET /items/{id}: " in answer
    assert ": a regression beyond your margin of 50 %" in answer
    result = StudyResult.model_validate_json((place.results / "result.json").read_text())
    found = {one.endpoint: one for one in result.endpoint_comparisons}
    assert set(found) == {*ENDPOINTS, "search"}
    slower = found.pop("GET /items/{id}")
    assert slower.outcome == "worse"
    assert slower.ratio is not None
    assert slower.ratio.low is not None
    assert slower.ratio.low > 1 + P99_MARGIN
    # Of equal endpoints, 1 in 20 comparisons shows a difference: never one of that size.
    for other in found.values():
        assert other.ratio is not None
        assert other.ratio.low is not None
        assert other.ratio.low < 1 + P99_MARGIN, other
    same = sum(other.outcome == "no difference shown" for other in found.values())
    if same > 1:
        assert f"the {same} other endpoints: no difference shown" in answer
    assert "By endpoint" in (place.results / "report.md").read_text()
