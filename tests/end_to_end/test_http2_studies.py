"""Studies over HTTP/2: servers that speak nothing else, and those of the user's own."""

from __future__ import annotations

import shutil

import pytest
from study_place import Place

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(600),
    pytest.mark.skipif(shutil.which("nghttpd") is None, reason="needs nghttpd"),
]

HEAD = """\
title = "HTTP/2"
question = "?"
blocks = 1
warm_up = 0.1
"""
ANY = """\
[loads.any]
kind = "closed"
connections = 2
requests = 100
"""
STREAMS = """\
[loads.streams]
kind = "closed"
connections = 2
http = "2"
streams = 5
requests = 100
"""
FIRST = """\
[loads.first]
kind = "closed"
connections = 2
http = "1.1"
requests = 100
"""
NGHTTPD = '[[arms]]\nserver = "nghttpd"\ndeployments = ["h2c"]\nworkload = "file"\n'
OWN = """\
[[arms]]
name = "mine"
start = "nghttpd --address=127.0.0.1 --no-tls --htdocs=. {port}"
http = "2"
[[workloads.page.requests]]
path = "/page.html"
expect = { status = 200, body = "a page" }
"""


def test_a_server_of_http2_only_is_measured_over_it_without_a_key(place: Place) -> None:
    (place.home / "study.toml").write_text(HEAD + NGHTTPD + ANY + STREAMS + FIRST, encoding="utf-8")
    done = place.call("run", "study.toml", "--results", str(place.results))
    assert done.returncode == 0, done.stdout + done.stderr
    cells = {cell.load: cell for cell in place.result().cells}
    assert cells["any"].throughput_per_s is not None
    assert cells["any"].notes == ["over HTTP/2, because the load names no version"]
    assert cells["streams"].throughput_per_s is not None
    assert cells["streams"].notes == []
    (reason,) = cells["first"].reasons
    assert reason.code == "refused"
    assert "the deployment `h2c` speaks HTTP/2 only" in reason.text


@pytest.mark.parametrize("says", ["the arm", "the loads"])
def test_an_own_server_of_http2_is_ready_checked_and_measured_over_it(
    place: Place, says: str
) -> None:
    (place.home / "page.html").write_text("a page", encoding="utf-8")
    named = OWN + ANY if says == "the arm" else OWN.replace('http = "2"\n', "")
    (place.home / "study.toml").write_text(HEAD + named + STREAMS, encoding="utf-8")
    done = place.call("run", "study.toml", "--results", str(place.results))
    assert done.returncode == 0, done.stdout + done.stderr
    assert all(cell.throughput_per_s is not None for cell in place.result().cells)


def test_two_versions_on_the_same_server_are_compared_by_its_cpu_per_request(
    place: Place,
) -> None:
    arm = '[[arms]]\nserver = "reference"\ndeployments = ["1-thread"]\nworkload = "hello"\n'
    work = 'kind = "closed"\nrequests = 3000\n'
    loads = (
        f"[loads.first]\n{work}connections = 10\n"
        f'[loads.second]\n{work}connections = 2\nhttp = "2"\nstreams = 5\n'
    )
    text = HEAD.replace("blocks = 1", "blocks = 5") + arm + loads
    (place.home / "study.toml").write_text(text, encoding="utf-8")
    done = place.call("run", "study.toml", "--results", str(place.results))
    assert done.returncode == 0, done.stdout + done.stderr
    found = place.result()
    (one,) = found.protocols
    assert (one.older.http, one.newer.http, one.work) == ("1.1", "2", "10 calls at once")
    assert one.compared.ratio is not None
    values = one.compared.baseline_value, one.compared.arm_value
    assert all(value is not None and 1e-7 < value < 1e-2 for value in values)
    costs = "HTTP/2 costs httpdyno reference" in found.answer
    assert costs or "between HTTP/2 and HTTP/1.1 in the CPU per request" in found.answer
