"""The session of the guide to logging in first, with the shop of the tests."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import shop

pytestmark = pytest.mark.slow

GUIDE = Path(__file__).parents[2] / "docs" / "guides" / "log-in-first.md"


def blocks(language: str) -> list[str]:
    """The code blocks in that language."""
    return re.findall(rf"```{language}\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL)


@pytest.mark.parametrize("user", ["one", "many"])
def test_the_session_of_the_guide_logs_in_and_orders(tmp_path: Path, user: str) -> None:
    session, many = blocks("toml")
    if user == "many":
        (one,) = re.findall(r"^body .*ann@example.*$", session, re.MULTILINE)
        session = session.replace(one, many)
    (tmp_path / "user.toml").write_text(session)
    command = blocks("bash")[0].splitlines()[0]
    program = [sys.executable, shop.__file__, "0"]
    with subprocess.Popen(program, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        port = server.stdout.readline().split()[1]
        words = command.replace("8080", port).replace("60s", "2s").split()[1:]
        done = subprocess.run(
            [sys.executable, "-m", "httpdyno", *words, "--warm-up", "0", "--json", "m.json"],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
            capture_output=True,
            text=True,
            check=False,
        )
        server.kill()
    assert done.returncode in (0, 6), done.stderr  # 6: sessions under way at the end of 2 s
    measured = json.loads((tmp_path / "m.json").read_text())["measurement"]
    assert measured["sessions"]["failed"] == 0, measured["first_failure"]
    # 20 a second, of which the last ones have not ended.
    assert 15 <= measured["sessions"]["completed"] <= 40
    assert {one["name"] for one in measured["endpoints"]} == {
        "POST /login",
        "GET /items/{random:1:10000}",
        "POST /orders",
    }


def test_the_failure_of_the_guide_is_shown_as_there(tmp_path: Path) -> None:
    (tmp_path / "user.toml").write_text(blocks("toml")[0].replace("/access_token", "/token"))
    program = [sys.executable, shop.__file__, "0"]
    with subprocess.Popen(program, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        url = f"http://127.0.0.1:{server.stdout.readline().split()[1]}"
        flags = ["--workload", "./user.toml", "-n", "1", "--warm-up", "0"]
        done = subprocess.run(
            [sys.executable, "-m", "httpdyno", "load", url, *flags],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
            capture_output=True,
            text=True,
            check=False,
        )
        server.kill()
    (shown,) = blocks("text")
    words = shown.strip().replace("/access_token", "/token").partition(" it begins with")[0]
    assert words in " ".join(done.stdout.split())
