"""`httpdyno run --dry-run` reports what would stop the run, and its plan is plain English."""

from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import Program

STUDY = """\
title = "Mine"
blocks = 1
[[arms]]
name = "mine"
url = "http://127.0.0.1:1/"
workload = "secret"
[[workloads.secret.requests]]
path = "/"
headers = { A = "${NOPE}" }
[loads.full]
kind = "closed"
connections = 1
duration = "1s"
"""


@pytest.fixture
def study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    for name in ("DATA", "STATE"):
        monkeypatch.setenv(f"HTTPDYNO_{name}", str(tmp_path / "data"))
    monkeypatch.delenv("NOPE", raising=False)
    (tmp_path / "mine.toml").write_text(STUDY)
    return "mine.toml"


def test_a_variable_that_is_not_set_stops_the_dry_run_as_it_stops_the_run(
    study: str, called: Program
) -> None:
    planned, begun = called("run", study, "--dry-run"), called("run", study)
    assert (planned.returncode, planned.stdout) == (2, "")
    assert "`${NOPE}` is not set: the header `A` of the workload `secret`" in planned.stderr
    assert planned.stderr == begun.stderr


def test_the_plan_says_one_trial(
    study: str, called: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NOPE", "x")
    planned = called("run", study, "--dry-run")
    assert planned.returncode == 0, planned.stderr
    assert "load full (1 trial): " in planned.stdout
