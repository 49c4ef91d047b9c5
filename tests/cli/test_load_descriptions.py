"""Loads, their ends and their errors in words."""

from __future__ import annotations

import pytest
from httpdyno.cli.load.output.words import describe_error, describe_load, describe_stop
from httpdyno.engine_plan import Timeouts

from .plans import OPEN, plan


def test_each_error_class_of_the_engine_has_its_words() -> None:
    classes = (
        "connect_timeout first_byte_timeout reply_timeout socket_timeout refused reset early_close"
        " protocol unreachable descriptors addresses file_table value_not_found"
        " refused_stream stream_reset goaway grpc_status other"
    )
    words = {describe_error(name, Timeouts()) for name in classes.split()}
    assert len(words) == len(classes.split())
    assert describe_error("unheard_of", Timeouts()) not in words


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"keep_alive": False}, "without keep-alive"),
        ({"burst": 5, "think_s": 1.0}, "5 calls pipelined, 1.00 s think time"),
        (
            {"load": {**OPEN, "kind": "sessions", "calls": 10, "connections": None}},
            "open load, 500/s exponential sessions, 10 calls each",
        ),
    ],
)
def test_a_load_is_described_in_words(changed: dict[str, object], words: str) -> None:
    if isinstance(load := changed.get("load"), dict):
        load.pop("connections", None)
    assert words in describe_load(plan(**changed))


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({}, "for 10.0 s"),
        ({"stop": {"count": 200_000}}, "200,000 requests"),
        ({"stop": {"count": 1, "duration_s": 2}}, "1 request or 2.00 s"),
        ({"warm_up_s": 3.0}, "for 10.0 s after a warm-up of 3.00 s"),
        (
            {"stop": {"duration_s": 60, "until": {"quantile": 0.999, "within": 0.025}}},
            "until p99.9 is known to ±2.5 %, at most 60.0 s",
        ),
        (
            {"data": [{"name": "users", "file": "u.csv", "order": "once"}]},
            "until each row of `users` is used, at most 10.0 s",
        ),
    ],
)
def test_its_end_is_described_in_words(changed: dict[str, object], words: str) -> None:
    assert describe_stop(plan(**changed)) == words
