"""A whole study by the real program: real servers, the real engine, kills in the middle of it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest
from httpdyno.outcome import TrialOutcome
from httpdyno.result import StudyResult
from httpdyno.store import open_store
from small_server import GOOD, NEVER_READY, NO_BUILD, WRONG, write_server

pytestmark = pytest.mark.slow

STUDY = """\
title = "Small servers"
blocks = {blocks}
warm_up = "100ms"
{arms}
[loads.keep-alive]
kind = "closed"
connections = 4
duration = "400ms"
[loads.rate]
kind = "requests"
rate = 500
connections = 8
duration = "400ms"
"""
ARM = '[[arms]]\nserver = "{name}"\ndeployments = ["1-process"]\n'


class Place:
    """A machine's folders of its own, a study in them, and the program run on it."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.results = home / "results"
        self.servers: list[Path] = []
        own = {f"HTTPDYNO_{name}": str(home / name) for name in ("CACHE", "STATE", "DATA")}
        paths = {"PYTHONPATH": os.pathsep.join(sys.path)}
        self.environment = {**os.environ, **own, **paths, "NO_COLOR": "1"}

    def study(self, blocks: int = 1, **servers: tuple[str, str]) -> None:
        self.servers = [write_server(self.home, name, *how) for name, how in servers.items()]
        arms = "".join(ARM.format(name=name) for name in servers)
        (self.home / "small.toml").write_text(STUDY.format(blocks=blocks, arms=arms))

    def command(self, *more: str) -> list[str]:
        own = [word for file in self.servers for word in ("--server", str(file))]
        run = [sys.executable, "-m", "httpdyno", "run", str(self.home / "small.toml")]
        return [*run, *own, "--results", str(self.results), *more]

    def run(self, *more: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            self.command(*more),
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=100,
            check=False,
        )

    def start(self) -> subprocess.Popen[str]:
        return subprocess.Popen(
            self.command(),
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def result(self) -> StudyResult:
        return StudyResult.model_validate_json((self.results / "result.json").read_text())

    def trials(self) -> list[TrialOutcome]:
        store = open_store(f"sqlite:///{self.home / 'DATA' / 'results.sqlite'}")
        return store.trials(1)

    def living(self) -> list[int]:
        """Servers that run: their working folder is in our cache."""
        cache = str(self.home / "CACHE")
        return [p.pid for p in psutil.process_iter() if str(_folder(p)).startswith(cache)]


def _folder(process: psutil.Process) -> str:
    try:
        return process.cwd()
    except psutil.Error:
        return ""


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    made = Place(tmp_path)
    yield made
    for pid in made.living():
        os.kill(pid, signal.SIGKILL)


def read_until(run: subprocess.Popen[str], sign: str) -> None:
    """Read stderr up to the line that begins with `sign`."""
    assert run.stderr is not None
    seen = []
    for line in run.stderr:
        seen.append(line)
        if line.startswith(sign):
            return
    raise AssertionError(f"`{sign}` never came: {seen}")


def end(run: subprocess.Popen[str], number: signal.Signals) -> tuple[str, str]:
    run.send_signal(number)
    return run.communicate(timeout=30)


def test_a_study_runs_to_its_report_and_what_fails_is_a_row(place: Place) -> None:
    place.study(
        good=(GOOD, ""), wrong=(WRONG, ""), never=(NEVER_READY, ""), broken=(GOOD, NO_BUILD)
    )
    done = place.run()
    assert done.returncode == 0, done.stderr
    result = place.result()
    assert {row.arm: row.stage for row in result.failures} == {
        "wrong/1-process": "check",
        "never/1-process": "start",
        "broken/1-process": "build",
    }
    assert all((place.results / str(row.log)).is_file() for row in result.failures)
    cells = {(cell.arm, cell.load): cell for cell in result.cells}
    assert len(cells) == 8
    good = cells["good/1-process", "keep-alive"]
    assert good.throughput_per_s is not None
    assert good.throughput_per_s.value > 100
    assert good.server_cpu_s_per_request is not None
    assert 0 < good.server_cpu_s_per_request.value < 0.01
    assert good.ceiling_per_s is not None
    assert good.latency_spectrum
    lost = cells["wrong/1-process", "rate"]
    assert (lost.status, lost.throughput_per_s) == ("invalid", None)
    assert "good/1-process" in done.stdout
    assert str(place.results / "report.html") in done.stdout
    assert place.living() == []


def test_the_counts_of_every_trial_add_up_and_its_replies_were_right(place: Place) -> None:
    place.study(blocks=2, good=(GOOD, ""))
    assert place.run().returncode == 0
    for trial in place.trials():
        assert trial.measurement is not None
        calls = trial.measurement.calls
        assert calls.due == calls.sent + calls.unsent
        assert calls.sent == calls.ended + calls.in_flight
        assert (calls.wrong_status, calls.wrong_body, calls.errors) == (0, 0, {})
        assert calls.ok > 100
        assert trial.server is not None
        assert trial.server.processes == 1


def test_a_kill_in_the_middle_loses_the_running_trial_at_most(place: Place) -> None:
    place.study(blocks=3, good=(GOOD, ""))
    run = place.start()
    read_until(run, "2/6 ")
    end(run, signal.SIGKILL)
    kept = place.trials()
    assert [trial.index for trial in kept] == list(range(len(kept)))
    assert 2 <= len(kept) <= 3
    resumed = place.run("--resume")
    assert resumed.returncode == 0, resumed.stderr
    trials = place.trials()
    assert [trial.index for trial in trials] == list(range(6))
    assert trials[: len(kept)] == kept
    assert place.result().complete
    assert place.living() == []


def test_a_server_left_behind_by_a_kill_is_ended_by_the_next_start(place: Place) -> None:
    place.study(blocks=3, good=(GOOD, ""))
    run = place.start()
    read_until(run, "1/6 ")
    while not place.living():
        assert run.poll() is None
    run.kill()
    run.communicate()
    assert place.living() != []
    resumed = place.run("--resume")
    assert resumed.returncode == 0, resumed.stderr
    assert place.living() == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_stops_the_server_keeps_the_trials_and_reports_so_far(
    place: Place, number: signal.Signals
) -> None:
    place.study(blocks=3, good=(GOOD, ""))
    run = place.start()
    read_until(run, "2/6 ")
    _, said = end(run, number)
    assert run.returncode == 130, said
    assert "add --resume" in said
    assert place.living() == []
    partial = place.result()
    assert not partial.complete
    assert 2 <= len(place.trials()) < 6
    assert place.run("--resume").returncode == 0
    assert place.result().complete


def test_nothing_to_resume_is_the_users_fault(place: Place) -> None:
    place.study(good=(GOOD, ""))
    done = place.run("--resume")
    assert done.returncode == 2
    assert done.stderr.startswith("error: `small` has no unfinished run")


def test_a_study_without_a_valid_cell_has_its_own_exit_code_and_still_a_report(
    place: Place,
) -> None:
    place.study(wrong=(WRONG, ""))
    done = place.run()
    assert done.returncode == 6, done.stderr
    assert place.result().answer.startswith("No result")


def test_a_server_that_dies_while_it_is_measured_is_an_invalid_trial(place: Place) -> None:
    mortal = (
        '["{python}", "-c", "import sys, threading, os; sys.argv = [\'app.py\', \'{port}\','
        " 'Hello, world!']; threading.Timer(1.0, os._exit, (3,)).start();"
        " exec(open('app.py').read())\"]"
    )
    place.study(mortal=(mortal, ""))
    text = (place.home / "small.toml").read_text().replace('"400ms"', '"3s"')
    (place.home / "small.toml").write_text(text)
    done = place.run()
    assert done.returncode == 6, done.stderr
    trials = place.trials()
    assert {trial.status for trial in trials} == {"invalid"}
    reasons: list[Any] = [reason.text for trial in trials for reason in trial.reasons]
    assert any("exited with code 3 while it was measured" in text for text in reasons)


def test_bad_input_costs_no_measurement(place: Place) -> None:
    place.study(good=(GOOD, ""))
    place.results.write_text("a file in the way")
    done = place.run()
    assert (done.returncode, len(done.stderr.splitlines())) == (4, 2)
    assert not (place.home / "DATA").exists()
    assert json.dumps(str(place.results))[1:-1] in done.stderr


def test_a_load_that_a_server_cannot_answer_is_a_row_and_costs_no_trial(place: Place) -> None:
    place.study(good=(GOOD, ""), closing=(GOOD, ""))
    file = place.servers[1]
    file.write_text('cannot = { keep-alive = "it closes after each reply" }\n' + file.read_text())
    done = place.run("--dry-run")
    told = "closing/1-process · rate: refused: a load with keep-alive is not for this"
    assert told in done.stdout
    assert place.run().returncode == 0
    result = place.result()
    assert (result.complete, result.failures) == (True, [])
    refused = [cell for cell in result.cells if cell.arm == "closing/1-process"]
    assert [cell.reasons[0].code for cell in refused] == ["refused", "refused"]
    assert "it closes after each reply" in refused[0].reasons[0].text
    assert {trial.arm for trial in place.trials()} == {"good/1-process"}


def test_a_prefork_server_gets_no_more_connections_than_it_serves(place: Place) -> None:
    place.study(few=(GOOD, ""))
    (file,) = place.servers
    command = "[deployments.1-process]\n"
    file.write_text(file.read_text().replace(command, command + "most_connections = 2\n"))
    assert place.run().returncode == 0
    for trial in place.trials():
        assert trial.measurement is not None
        assert trial.measurement.connections.peak_open <= 2
    cells = place.result().cells
    assert cells[0].point == "4 connections"
    assert "given 2 connections instead of 4" in cells[0].notes[0]


def test_a_workload_that_a_server_does_not_have_is_a_row(place: Place) -> None:
    place.study(good=(GOOD, ""))
    study = place.home / "small.toml"
    study.write_text('workload = "pong"\n' + study.read_text())
    assert place.run().returncode == 6
    (row,) = place.result().failures
    assert row.stage == "check"
    assert "`good/1-process` does not serve `pong`: expected one of `hello`" in row.reason


def test_an_arm_that_was_left_out_can_be_measured_later_alone(place: Place) -> None:
    place.study(blocks=2, good=(GOOD, ""), late=(NEVER_READY, ""))
    assert place.run().returncode == 0
    kept = place.trials()
    assert {trial.arm for trial in kept} == {"good/1-process"}
    late = place.servers[1]
    late.write_text(late.read_text().replace(NEVER_READY, GOOD))
    resumed = place.run("--resume")
    assert resumed.returncode == 0, resumed.stderr
    trials = place.trials()
    assert len(trials) == 2 * len(kept)
    assert [trial for trial in trials if trial.arm == "good/1-process"] == kept
    assert place.result().failures == []
    assert place.run("--resume").returncode == 2
