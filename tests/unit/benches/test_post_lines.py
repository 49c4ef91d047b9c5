"""The program that writes what the posts' lines print ends whatever tool hangs."""

from __future__ import annotations

import subprocess
import sys

import pytest
from write_posts import run

WAITS = "import signal, sys; {}; print('so far', flush=True); signal.pause()"


def tool(code: str) -> list[str]:
    return [sys.executable, "-c", code]


def test_the_output_of_a_tool_is_what_it_printed() -> None:
    assert run(tool("print('  done')")) == "done"


def test_a_tool_that_fails_is_an_error() -> None:
    with pytest.raises(subprocess.CalledProcessError):
        run(tool("raise SystemExit(3)"))


@pytest.mark.timeout(60)
def test_a_tool_that_hangs_is_ended_by_ctrl_c_and_the_output_tells() -> None:
    ends = WAITS.format("signal.signal(signal.SIGINT, lambda *_: sys.exit(1))")
    assert (
        run(tool(ends), longest_s=2, grace_s=30) == "so far\n(did not end in 2 s: ended by Ctrl-C)"
    )


@pytest.mark.timeout(60)
def test_a_tool_that_ignores_ctrl_c_is_killed_and_the_output_tells() -> None:
    ignores = WAITS.format("signal.signal(signal.SIGINT, signal.SIG_IGN)")
    shown = run(tool(ignores), longest_s=2, grace_s=1)
    assert shown == "so far\n(did not end in 2 s: ended by kill -9)"
