"""Sessions of a workload that two machines send: each user logs in once, and sends its token."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest
from machines import Machines, record_of
from request_recorder import Recorder, recording, reply

pytestmark = pytest.mark.slow

USERS = 31
USER = """\
session = true

[[requests]]
path = "/login"
body = "user={sequence:1}"
keep = { token = { json = "/token" } }
think = "5ms"

[[requests]]
path = "/items"
weight = 2

[[requests]]
path = "/orders"
headers = { Authorization = "Bearer {token}" }
body = "x"
"""


def shop(request: bytes) -> bytes:
    """A login answers with a token that names its user."""
    user = re.search(rb"user=(\d+)", request)
    return reply(b'{"token": "of %s"}' % (user[1] if user else b"nobody"))


def sessions(server: Recorder) -> list[list[bytes]]:
    """The requests of each connection that sent some."""
    return [requests for requests in server.by_connection if requests]


@pytest.mark.parametrize("rate", [["-c", "4"], ["--sessions", "60"]])
def test_two_machines_send_whole_sessions_and_no_user_twice(
    machines: Machines, tmp_path: Path, rate: list[str]
) -> None:
    file = tmp_path / "user.toml"
    file.write_text(USER)
    flags = ["--workload", str(file), "-n", f"{USERS}", "-q", "--json", "-", "--warm-up", "0"]
    with recording(shop) as server:
        ran = machines.run("load", server.url, "--on", str(machines.hosts), *flags, *rate)
    assert ran.returncode in (0, 6), ran.stderr
    measured = record_of(ran.stdout)["measurement"]
    assert measured["sessions"]["completed"] == USERS
    assert measured["calls"]["ok"] == 4 * USERS
    assert sum(node["ok"] for node in measured["nodes"]) == 4 * USERS
    assert all(node["ok"] for node in measured["nodes"])
    assert {one["name"]: one["calls"]["ok"] for one in measured["endpoints"]} == {
        "POST /login": USERS,
        "GET /items": 2 * USERS,
        "POST /orders": USERS,
    }
    users: Counter[bytes] = Counter()
    for login, *items, order in sessions(server):
        user = login.partition(b"user=")[2]
        assert [one.split(b" ")[1] for one in items] == [b"/items"] * 2
        assert b"Bearer of %s\r\n" % user in order
        users[user] += 1
    assert users == {b"%d" % number: 1 for number in range(1, USERS + 1)}
