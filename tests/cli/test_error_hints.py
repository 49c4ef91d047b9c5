"""Errors that name a file, a command or a port say what to do next."""

from __future__ import annotations

import errno
import socket

import pytest
from httpdyno.cli.main import _explain

from .conftest import Program

USAGE, ENVIRONMENT = 2, 4


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (
            ["run", "absent.toml"],
            "check the path; `httpdyno init` writes a study to begin with",
        ),
        (["runs", "copy", "absent.sqlite", "b.sqlite"], "check the path"),
        (
            ["compare", "cmd:", "cmd:x"],
            "name the command of a server: `'cmd:python3 server.py --port {port}'`",
        ),
        (
            ["init", "--command", 'a "b {port}'],
            "close each quotation mark, or put a backslash before it",
        ),
    ],
)
def test_an_error_of_the_command_line_has_a_hint(
    arguments: list[str], hint: str, called: Program
) -> None:
    answer = called(*arguments)
    assert answer.returncode == USAGE, answer.stderr
    assert answer.stderr.endswith(f"\nhint: {hint}\n")


def test_a_port_that_is_taken_has_the_hint_to_use_another(called: Program) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        answer = called("reference", "--listen", f"127.0.0.1:{taken.getsockname()[1]}")
    assert answer.returncode == ENVIRONMENT, answer.stderr
    hint = "stop that program, or use port 0 to take any free port"
    assert answer.stderr.endswith(f": another program already does\nhint: {hint}\n")


def test_a_full_disk_has_a_hint() -> None:
    found = _explain(OSError(errno.ENOSPC, "No space left on device"))
    assert found.exit_code == ENVIRONMENT
    assert str(found).startswith("No space left on device\nhint: `df -h` shows which disk is full")
