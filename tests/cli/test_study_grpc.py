"""Calls of gRPC in `capacity`, `compare` and `init`: what they plan, and wrong commands."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from grpc_server import PROTO, SERVICE

from .conftest import Program

pytest.importorskip("grpc_tools", reason="`grpcio-tools` of the extra `grpc` is not installed")

OK, USAGE = 0, 2
SUMS = ["--proto", str(PROTO), "--message", '{"a": 1, "b": 2}', "--expect-message", '{"sum": 3}']
CALL = ["--grpc", f"{SERVICE}/GetSum", *SUMS]
SERVER = Path(__file__).parents[1] / "shared" / "sum_server.py"
COMMAND = f"{sys.executable} {SERVER} {{port}}"


def test_the_plans_of_capacity_and_compare_go_over_http_2(called: Program) -> None:
    answer = called("capacity", "--command", COMMAND, *CALL, "--limit", "p99<1s", "--dry-run")
    assert answer.returncode == OK, answer.stderr
    assert 'http = "2"' in answer.stdout
    assert f'grpc = "{SERVICE}/GetSum"' in answer.stdout
    answer = called("compare", f"cmd:{COMMAND}", f"cmd:{COMMAND} b", *CALL, "--dry-run")
    assert answer.returncode == OK, answer.stderr
    assert "HTTP/2" in answer.stdout + answer.stderr


def test_init_writes_a_study_that_can_be_run(called: Program, tmp_path: Path) -> None:
    messages = ["--message", '[{"a": 1}, {"b": 5}]', "-H", "authorization: Bearer t0ken"]
    answer = called(
        *("init", "mine.toml", "--url", f"grpc://127.0.0.1:50051/{SERVICE}/GetSum"),
        *("--proto", str(PROTO), *messages),
    )
    assert answer.returncode == OK, answer.stderr
    text = (tmp_path / "mine.toml").read_text()
    assert text.count(f'grpc = "{SERVICE}/GetSum"') == 2
    assert 'url = "grpc://127.0.0.1:50051"' in text
    assert "t0ken" not in text
    answer = called("run", "mine.toml", "--dry-run")
    assert answer.returncode == OK, answer.stderr
    assert "HTTP/2" in answer.stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["capacity", "grpc://127.0.0.1:1/a.B/C"], "`--proto` is missing: expected the .proto"),
        (["capacity", "--url", "http://127.0.0.1:1/", *SUMS], "only to gRPC: expected a URL such"),
        (["capacity", "--url", "http://127.0.0.1:1/", *SUMS], "`--grpc`"),
        (["capacity", f"grpc://127.0.0.1:1/{SERVICE}/GetSun", *SUMS], "no method `GetSun` of"),
        (["capacity", f"grpc://127.0.0.1:1/{SERVICE}/GetSum", *CALL], "exclude each other"),
        (["capacity", "--command", COMMAND, *CALL, "--body", "a"], "`--body` is of HTTP"),
        (["capacity", "--command", COMMAND, *CALL, "--path", "/"], "`--path` is of HTTP"),
        (["capacity", "--command", COMMAND, *CALL, "--http", "1.0"], "exclude each other"),
        (["compare", "grpc://127.0.0.1:1", "grpc://127.0.0.1:2"], "a URL of gRPC: expected the me"),
        (["compare", "grpc://127.0.0.1:1/a.B/C", "go"], "with `--grpc a.B/C`"),
    ],
)  # fmt: skip
def test_a_wrong_command_says_what_is_expected(
    called: Program, words: list[str], said: str
) -> None:
    limit = ["--limit", "p99<1s"] if words[0] == "capacity" else []
    answer = called(*words, *limit)
    assert answer.returncode == USAGE
    assert said in answer.stderr
