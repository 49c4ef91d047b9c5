"""The command lines of the blog posts, by the real tools and by httpdyno.

They run as printed, except for the port. Where they would take longer than a few seconds, they have
fewer connections; `make post-lines` and `make bench-compat` run them whole.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from post_lines import POSTS

from .compare import assert_same
from .replies import Reply, always, by_path
from .test_ab import BANNER, COUNTS, DOUBTS
from .tools import run_both

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

POST = {post.name: post for post in POSTS}
HTTPERF = [
    "connections",
    "requests",
    "replies",
    "Connection length [replies/conn]:",
    "Request size [B]:",
    "header",
    "content",
    "footer",
    "1xx=",
    "2xx=",
    "3xx=",
    "4xx=",
    "5xx=",
    "Errors: total",
]
"""Counts of httperf's output that both tools must agree on."""
PICTURE = Reply(body=b"\x89PNG" + bytes(50_000), headers=(("Content-Type", "image/png"),))


def test_the_line_of_2012_as_printed(tmp_path: Path) -> None:
    both = run_both("httperf", POST["2012"].arguments("{port}"), tmp_path)
    assert_same(both, order="per_connection", counts=HTTPERF)
    assert len(both.ours.requests) == 10_000


@pytest.mark.parametrize("rate", ["100", "1200"])
def test_the_line_of_2011_at_its_lowest_and_highest_rate_with_200_of_its_5000_connections(
    tmp_path: Path, rate: str
) -> None:
    arguments = POST["2011"].arguments("{port}", rate=rate, num_conns="200")
    both = run_both("httperf", arguments, tmp_path)
    rates = {"Connection rate:": 0.5, "Request rate:": 0.5} if rate == "100" else {}
    assert_same(both, order="per_connection", counts=HTTPERF, near=rates)
    assert len(both.ours.requests) == 2_000


def test_the_line_of_2010_with_10_of_its_1000_connections(tmp_path: Path) -> None:
    arguments = POST["2010"].arguments("{port}", num_conns="10")
    both = run_both("httperf", arguments, tmp_path, by_path({"/pong": Reply(body=b"PONG")}))
    assert_same(both, order="per_connection", counts=HTTPERF)
    assert len(both.ours.requests) == 10_000


def test_the_line_of_2010_for_happstack_with_500_of_its_100000_connections(tmp_path: Path) -> None:
    arguments = POST["2010-happstack"].arguments("{port}", num_conns="500")
    both = run_both("httperf", arguments, tmp_path, always(PICTURE))
    assert_same(both, order="per_connection", counts=HTTPERF)
    assert len(both.ours.requests) == 500


def test_the_line_of_2019_as_printed(tmp_path: Path) -> None:
    both = run_both("ab", POST["2019"].arguments("{port}"), tmp_path)
    assert_same(both, order="per_connection", counts=COUNTS, without=BANNER, optional=DOUBTS)
    assert len(both.ours.requests) == 1_000


def test_a_shortened_line_differs_from_the_printed_one_in_nothing_else() -> None:
    printed = POST["2012"].words[1:]
    assert POST["2012"].arguments(8080) == printed
    shorter = POST["2010"].arguments(3000, num_conns="10")
    assert shorter == [
        "--hog",
        "--num-conns=10",
        "--num-calls=1000",
        "--burst-length=20",
        "--port=3000",
        "--rate=1000",
        "--uri=/pong",
    ]
    assert POST["2019"].arguments(9) == ["-n", "1000", "-c", "10", "127.0.0.1:9/"]
    with pytest.raises(ValueError, match="no `--num-conns`"):
        POST["2019"].arguments(9, num_conns="1")
