"""The words for failures of calls."""

from __future__ import annotations

import pytest
from httpdyno.cli.load.output.words import describe_error
from httpdyno.engine_plan import Timeouts


@pytest.mark.parametrize(
    ("name", "allowed", "words"),
    [
        ("connect_timeout", {"connect_s": 2.0}, "no complete TLS handshake, within 2.00 s"),
        ("connect_timeout", {"connect_s": 2.0, "idle_s": 0.2}, "within 200 ms"),
        ("first_byte_timeout", {"first_byte_s": 1.0, "idle_s": 0.2}, "of the reply within 1.00 s"),
        ("first_byte_timeout", {"idle_s": 0.2}, "no byte of the reply within 200 ms"),
        ("reply_timeout", {"reply_s": 5.0}, "no complete reply within 5.00 s"),
        ("reply_timeout", {"idle_s": 0.2}, "within 30.0 s, or no more of it within 200 ms"),
        ("reply_timeout", {"reply_s": None}, "no complete reply in time"),
    ],
)
def test_a_timeout_is_told_with_the_time_that_was_allowed(
    name: str, allowed: dict[str, float | None], words: str
) -> None:
    assert describe_error(name, Timeouts(**allowed)).endswith(words)
