"""The study in the guide to writing your own runs, with the server of the guide to adding one."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import loaded_program
import pytest
from httpdyno.report import result_json
from httpdyno.run import read_study
from httpdyno.running.own import context_of
from httpdyno.servers import load_catalogue
from httpdyno.study.own.workload import OwnWorkload
from httpdyno.workloads import WORKLOADS

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
        [sys.executable, loaded_program.__file__, "run", "threads.toml", *flags],
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


def test_the_five_lines_of_the_guide_are_those_that_init_writes(tmp_path: Path) -> None:
    shown = block("your-own-study.md", "The study has five lines", "toml")
    command = "uvicorn app:app --port {port}"
    done = subprocess.run(
        [sys.executable, "-m", "httpdyno", "init", "study.toml", "--command", command],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    written = (tmp_path / "study.toml").read_text(encoding="utf-8").splitlines()
    assert [line for line in written if line and not line.startswith("#")] == shown.splitlines()


def test_the_examples_of_own_arms_and_requests_make_a_study(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parts = [
        block("your-own-study.md", after, "toml")
        for after in ("## Your own app", "## A server that runs already", "## TLS")
    ]
    arms = [part.replace('"mine"', f'"arm-{number}"') for number, part in enumerate(parts)]
    requests = block("your-own-study.md", "## Your own requests", "toml")
    load = '[loads.one]\nkind = "closed"\nduration = 1\n'
    (tmp_path / "app").mkdir()
    (tmp_path / "study").mkdir()
    file = tmp_path / "study" / "own.toml"
    file.write_text("\n".join(['title = "Own"', *arms, requests, load]), encoding="utf-8")
    study = read_study(file, load_catalogue())
    monkeypatch.setenv("SHOP_TOKEN", "abc")
    items, order = context_of(study).workloads["shop"].measured
    assert (items.weight, items.length) == (9, 5120)
    assert ("Authorization", "Bearer abc") in order.headers
    assert [group.own_kind for group in study.arms] == ["command", "running", "command"]


def test_the_built_in_workloads_of_the_guide_are_those_of_the_program() -> None:
    shown = tomllib.loads(block("your-own-study.md", "The built-in workloads in this form", "toml"))
    for name, table in shown["workloads"].items():
        (request,) = OwnWorkload.model_validate(table).requests
        (exchange,) = WORKLOADS[name].measured
        assert (request.path, request.expect.status) == (exchange.path, exchange.status)
        if request.expect.body is not None:
            assert request.expect.body.encode() == exchange.answer
        else:
            assert request.expect.length == len(exchange.answer)
