"""`httpdyno run --dry-run` reports what would stop the run, and its plan is plain English."""

from __future__ import annotations

from pathlib import Path

import pytest
from httpdyno.cli.run.dry_run import show_plan
from httpdyno.errors import UsageError
from httpdyno.run import catalogue_of, read_study
from httpdyno.servers import install, load_catalogue, load_server
from httpdyno.servers.declaration.load import CATALOGUE

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


OF_THE_CATALOGUE = """\
title = "Reference"
blocks = 1
workload = "hello"
[[arms]]
server = "reference"
deployments = ["1-thread"]
[loads.full]
kind = "closed"
connections = 1
duration = "1s"
"""


def test_the_plan_mentions_an_installation_only_of_servers_that_are_not_installed(
    tmp_path: Path, called: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTPDYNO_CACHE", str(tmp_path / "cache"))
    (tmp_path / "mine.toml").write_text(OF_THE_CATALOGUE)
    assert "once the servers are installed: " in called("run", "mine.toml", "--dry-run").stdout
    install(load_server(CATALOGUE / "reference"))
    planned = called("run", "mine.toml", "--dry-run")
    assert planned.returncode == 0, planned.stderr
    assert "once the servers are" not in planned.stdout


def test_a_server_that_cannot_be_sent_to_its_machine_makes_the_plan_an_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "app").mkdir()
    (tmp_path / "app" / "link").symlink_to("/etc/hostname")
    own = STUDY.replace('url = "http://127.0.0.1:1/"', 'start = "app {port}"\ncwd = "app"')
    (tmp_path / "mine.toml").write_text(own.replace("${NOPE}", "x"))
    study = read_study(str(tmp_path / "mine.toml"), load_catalogue([]))
    assert show_plan(study, catalogue_of(study, [])) == 0
    assert show_plan(study, catalogue_of(study, []), elsewhere=True) == UsageError("").exit_code
    assert "cannot be sent: `" in capsys.readouterr().out


def test_a_database_is_shown_with_its_processors_and_its_tables(called: Program) -> None:
    shown = called("run", "today-db", "--dry-run").stdout
    assert "database db: PostgreSQL 18 on core" in shown
    assert "with the tables of `world`" in shown
