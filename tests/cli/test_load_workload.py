"""Workloads as `load` sends them: a file of requests with weights, or a built-in one."""

from __future__ import annotations

from pathlib import Path

import pytest
from httpdyno.cli.faults import Faults
from httpdyno.cli.load.arguments.flags import flags_of
from httpdyno.cli.load.arguments.plan import plan_of
from httpdyno.engine_plan import Base64, Length, Request, Same
from httpdyno.errors import UsageError


def sent_by_load(*words: str) -> list[Request]:
    return plan_of(flags_of(["http://127.0.0.1:3000", *words]), Faults("help")).requests


def test_load_sends_a_workload_with_its_weights_and_checks_its_replies(tmp_path: Path) -> None:
    file = tmp_path / "mix.toml"
    file.write_text(
        """
        [[requests]]
        path = "/a"
        weight = 3
        headers = { Accept = "text/html" }
        expect = { status = 200, length = 5 }

        [[requests]]
        path = "/b"
        body = "hello"
        expect = { same = true }
        """
    )
    one, two = sent_by_load("--workload", str(file), "-H", "X-A: 1")
    assert (one.method, one.path, one.weight, one.expect.status) == ("GET", "/a", 3, [200])
    assert one.expect.body == Length(length=5)
    assert dict(one.headers)["Accept"] == "text/html"
    assert dict(two.headers)["Accept"] == "*/*"
    assert dict(two.headers)["X-A"] == "1"
    assert (two.method, two.expect.body) == ("POST", Same())
    assert isinstance(two.body, Base64)
    (pong,) = sent_by_load("--workload", "pong", "--check", "1/10")
    assert (pong.path, pong.expect.check_one_in) == ("/pong", 10)


@pytest.mark.parametrize(
    ("words", "fault"),
    [
        (
            ["http://h/a", "--workload", "pong"],
            "`--workload` names the paths: expected a URL without",
        ),
        (["http://h", "--workload", "pnog"], "`--workload pnog`: `pnog` is not a workload"),
        (["http://h", "--workload", "pong", "--body", "x"], "expected it without `--body`"),
        (["http://h", "--workload", "pong", "--sessions-file", "x"], "without `--workload`"),
        (["http://h", "--workload", "./no.toml"], "no.toml` cannot be read: No such file"),
    ],
)
def test_a_workload_that_load_cannot_send_is_a_fault(words: list[str], fault: str) -> None:
    with pytest.raises(UsageError) as raised:
        plan_of(flags_of(words), Faults("help"))
    assert fault in raised.value.message
