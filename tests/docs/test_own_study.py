"""The study in the guide to writing your own runs, with the server of the guide to adding one."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from httpdyno.report import result_json

pytestmark = pytest.mark.slow

GUIDES = Path(__file__).parents[2] / "docs" / "guides"


def block(guide: str, after: str, language: str) -> str:
    """The first code block in that language after the text `after`."""
    text = (GUIDES / guide).read_text(encoding="utf-8")
    found = re.search(rf"```{language}\n(.*?)```", text[text.index(after) :], re.DOTALL)
    assert found is not None
    return found[1]


def test_the_study_of_the_guide_runs_with_its_published_number(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    server = block("add-a-server.md", "`mine/server.toml`:", "toml")
    (tmp_path / "mine" / "server.toml").write_text(server)
    (tmp_path / "mine" / "app.py").write_text(block("add-a-server.md", "`mine/app.py`:", "python"))
    study = block("your-own-study.md", "A study of your own server", "toml")
    published = block("your-own-study.md", "## A published comparison", "toml")
    (tmp_path / "threads.toml").write_text(f"{study}\n{published}")
    own = {f"HTTPDYNO_{name}": str(tmp_path / name) for name in ("CACHE", "STATE", "DATA")}
    flags = ["--only", "stdlib", "--quick", "--results", "out"]
    done = subprocess.run(
        [sys.executable, "-m", "httpdyno", "run", "threads.toml", *flags],
        cwd=tmp_path,
        env={**os.environ, **own, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    result = result_json.read(tmp_path / "out")
    assert {cell.load for cell in result.cells} == {"new-connections", "visitors"}
    assert all(cell.throughput_per_s is not None for cell in result.cells)
    (row,) = result.published
    assert row.verdict_of_log is not None
    assert row.verdict_of_log.status == "invalid"
