"""Two builds of a real shop: the endpoint of four that became slower is found and named."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import pytest
from httpdyno.result import StudyResult
from study_place import Place

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

SHOP = Path(__file__).parents[1] / "shared" / "shop.py"
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
    """A command that starts the shop."""
    script = folder / name
    words = shlex.join([sys.executable, str(SHOP)])
    script.write_text(f'#!/bin/sh\nexec {words} "$1" {shlex.join(more)}\n')
    script.chmod(0o755)
    return f"cmd:{script} {{port}}"


def test_the_endpoint_of_four_that_became_slower_is_found_and_named(place: Place) -> None:
    (place.home / "shop.toml").write_text(WORKLOAD)
    done = place.call(
        "compare",
        shop(place.home, "before.sh"),
        shop(place.home, "after.sh", "--slow", "GET /items/{id}=400"),
        *("--workload", str(place.home / "shop.toml"), "--blocks", "7", "--rate", "50"),
        *("--duration", "1s", "--warm-up", "200ms", "--results", str(place.results)),
    )
    assert done.returncode == 8, done.stdout + done.stderr
    answer = " ".join(done.stdout.split())
    assert "p99 of GET /items/{id}: " in answer
    assert ": a regression beyond your margin of 50 %" in answer
    assert "other endpoints: no difference shown" in answer
    result = StudyResult.model_validate_json((place.results / "result.json").read_text())
    found = {one.endpoint: one.outcome for one in result.endpoint_comparisons}
    assert found == {
        "POST /login": "no difference shown",
        "GET /items": "no difference shown",
        "GET /items/{id}": "worse",
        "search": "no difference shown",
    }
    assert "By endpoint" in (place.results / "report.md").read_text()
