"""A session that logs in, in every verb that measures a study: real shops, real tokens."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path

import pytest
from study_place import Place

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

SHOP = shlex.join([sys.executable, str(Path(__file__).parents[1] / "shared" / "shop.py")])
USER = """\
session = true
[[requests]]
path = "/login"
body = '{"email": "u{sequence:1}@example.org", "password": "secret of u{sequence:1}@example.org"}'
keep = { token = { json = "/access_token" } }
expect = { status = 200, any = true }
[[requests]]
path = "/items?page={random:1:1000}"
think = "20ms"
[[requests]]
name = "GET /items/{id}"
path = "/items/{random:1:10000}"
weight = 2
[[requests]]
path = "/orders"
headers = { Authorization = "Bearer {token}" }
body = '{"item": {random:1:10000}, "count": 1}'
expect = { status = 201, any = true }
"""
ENDPOINTS = {
    "POST /login": 1,
    "GET /items": 1,
    "GET /items/{id}": 2,
    "POST /orders": 1,
}


@pytest.fixture
def user(place: Place) -> str:
    """The session, in a file."""
    (place.home / "user.toml").write_text(USER)
    return "./user.toml"


def test_a_study_sends_the_session_to_an_arm_of_its_own(place: Place, user: str) -> None:
    (place.home / "study.toml").write_text(
        f'title = "Users"\nblocks = 1\nwarm_up = "100ms"\nworkload = "{user}"\n'
        f"arms = [{{ name = 'mine', start = '{SHOP} {{port}}' }}]\n"
        'loads.users = { kind = "closed", connections = 5, duration = "400ms" }\n'
        'loads.arriving = { kind = "sessions", rate = 20, duration = "1s" }\n'
    )
    done = place.call("run", "study.toml", "--results", str(place.results))
    assert done.returncode in (0, 6), done.stdout + done.stderr
    for outcome in place.trials():
        assert outcome.measurement is not None
        assert outcome.measurement.sessions is not None
        assert outcome.measurement.sessions.completed > 0
        assert outcome.measurement.calls.failed == 0, outcome.measurement.first_failure
        assert {one.name for one in outcome.measurement.endpoints} == set(ENDPOINTS)
    assert {info.calls_per_arrival for info in place.result().loads} == {1, 5}


def test_the_capacity_of_a_session_is_in_requests_and_in_sessions(place: Place, user: str) -> None:
    done = place.call(
        "capacity", "--command", f"{SHOP} {{port}} --unavailable 0.002", "--workload", user,
        "--limit", "p99<250ms", "--limit", "errors<5%", "--restarts", "1", "--confirm", "0",
        "--step", "300ms", "--rate-max", "400", "--json", "found.json",
        "--results", str(place.results),
    )  # fmt: skip
    assert done.returncode in (0, 6), done.stdout + done.stderr
    (cell,) = json.loads((place.home / "found.json").read_text())["cells"]
    assert cell["capacity"]["calls_per_session"] == 5
    held = [one for one in cell["capacity"]["curve"] if one["outcome"] == "held"]
    assert held, cell["reasons"]
    # A start that held a rate answered that many requests, in a fifth as many sessions.
    for step in held:
        assert step["throughput_per_s"] == pytest.approx(step["rate_per_s"], rel=0.2)
    if done.returncode == 0:
        assert "sessions/s of 5 calls" in " ".join(done.stdout.split())


def test_two_builds_are_compared_by_their_sessions(place: Place, user: str) -> None:
    done = place.call(
        "compare", f"cmd:{SHOP} {{port}}", f"cmd:{SHOP} {{port}} --slow 'POST /orders=300'",
        "--workload", user, "--blocks", "5", "--rate", "20", "--duration", "300ms",
        "--warm-up", "300ms", "--results", str(place.results),
    )  # fmt: skip
    assert done.returncode == 8, done.stdout + done.stderr
    assert "p99 of POST /orders: " in " ".join(done.stdout.split())
    result = place.result()
    assert [info.kind for info in result.loads] == ["closed", "sessions"]
    assert {one.endpoint for one in result.endpoint_comparisons} == set(ENDPOINTS)


def test_a_session_whose_login_fails_is_told_before_anything_is_measured(
    place: Place, user: str
) -> None:
    file = place.home / "user.toml"
    file.write_text(USER.replace("/access_token", "/token"))
    words = ["--command", f"{SHOP} {{port}}", "--workload", user, "--limit", "p99<50ms"]
    done = place.call("capacity", *words)
    assert done.returncode == 3, done.stdout + done.stderr
    shown = " ".join((done.stdout + done.stderr).split())
    assert "POST /login: no value for `token`" in shown
