"""`--all-replays` on small studies of our own: unattended, resumable, none holds up the others."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from httpdyno.cli.run import replays
from httpdyno.cli.run.measure import NarrowingFlags
from httpdyno.errors import ExitCode
from httpdyno.report import result_json
from httpdyno.running.options import RunOptions
from httpdyno.store import open_store
from small_server import GOOD, NEVER_READY, write_server

pytestmark = pytest.mark.slow

STUDY = """\
title = "{name}"
blocks = 1
warm_up = 0
[[arms]]
server = "{server}"
deployments = ["1-process"]
[loads.closed]
kind = "closed"
connections = 2
duration = "300ms"
"""
FLAGS: NarrowingFlags = {"only": (), "blocks": None, "seed": None, "until": None, "quick": True}


@pytest.fixture
def servers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Two replays, one of a server that never starts, in place of the five."""
    for name in ("CACHE", "STATE", "DATA"):
        monkeypatch.setenv(f"HTTPDYNO_{name}", str(tmp_path / name))
    for name, server in (("broken-2010", "never"), ("sound-2011", "good")):
        (tmp_path / f"{name}.toml").write_text(STUDY.format(name=name, server=server))
    studies = tuple(str(tmp_path / f"{name}.toml") for name in ("broken-2010", "sound-2011"))
    monkeypatch.setattr(replays, "REPLAYS", studies)
    return [write_server(tmp_path, "good", GOOD), write_server(tmp_path, "never", NEVER_READY)]


def run(servers: list[Path], *, resume: bool = False, results: Path | None = None) -> int:
    options = RunOptions(sys.argv[1:], results=results, resume=resume, servers=servers)
    return replays.run_replays(FLAGS, options, None, dry_run=False)


def test_a_replay_without_a_result_is_a_row_and_the_others_are_run(
    servers: list[Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(servers) == ExitCode.INVALID
    (folder,) = (tmp_path / "DATA" / "results").glob("all-replays-quick-*")
    broken, sound = (result_json.read(folder / name) for name in ("broken-2010", "sound-2011"))
    assert [row.arm for row in broken.failures] == ["never/1-process"]
    assert sound.cells[0].throughput_per_s is not None
    shown = capsys.readouterr().out
    assert str(folder / "sound-2011" / "report.html") in shown.replace("\n", "")
    assert "broken-2010" in shown


def test_a_resume_measures_no_finished_replay_again_and_writes_missing_reports(
    servers: list[Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    results = tmp_path / "out"
    run(servers, results=results)
    begun = result_json.read(results / "sound-2011").started_at
    (results / "broken-2010" / "result.json").unlink()
    capsys.readouterr()
    run(servers, resume=True, results=results)
    assert result_json.read(results / "sound-2011").started_at == begun
    assert "nothing is left to measure" in capsys.readouterr().err
    assert (results / "broken-2010" / "result.json").is_file()
    assert len(open_store().trials(2)) == 1


def test_a_dry_run_shows_the_time_of_each_and_runs_nothing(
    servers: list[Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = RunOptions(sys.argv[1:], servers=servers)
    assert replays.run_replays(FLAGS, options, None, dry_run=True) == ExitCode.OK
    shown = capsys.readouterr().out
    assert "sound-2011: 1 trial, about" in shown
    assert "in all" in shown
    assert not (tmp_path / "DATA").exists()
