"""However a run is ended, everything it measured can be resumed and reported."""

from __future__ import annotations

import json
import signal
import subprocess

import psutil
import pytest
from small_server import GOOD
from study_place import Place, end

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

CLOSED = """\
[loads.keep-alive]
kind = "closed"
connections = 2
duration = "200ms"
"""


@pytest.mark.parametrize("server_outlives_run", [False, True])
def test_a_kill_in_the_middle_loses_the_running_trial_at_most(
    place: Place, server_outlives_run: bool
) -> None:
    place.study(blocks=4, loads=CLOSED, good=place.counted())
    place.hold(4)  # once to be checked, then once for each trial
    run = place.start()
    place.wait_for("server/held", run)
    if server_outlives_run:
        _kill_with_supervisors(run)
        assert place.living() != []
    else:
        end(run, signal.SIGKILL)
        place.wait_for_no_server()
    kept = place.trials()
    assert [trial.index for trial in kept] == [0, 1]
    place.hold(None)
    resumed = place.run("--resume")
    assert resumed.returncode == 0, resumed.stderr
    assert ("left by a killed run" in resumed.stderr) == server_outlives_run
    trials = place.trials()
    assert [trial.index for trial in trials] == list(range(4))
    assert trials[:2] == kept
    assert place.result().complete
    assert place.living() == []


def _kill_with_supervisors(run: subprocess.Popen[str]) -> None:
    """Kill httpdyno, and the supervisors of its servers before they can kill the servers."""
    supervisors = psutil.Process(run.pid).children()
    assert supervisors != []
    for supervisor in supervisors:
        supervisor.suspend()
    end(run, signal.SIGKILL)
    for supervisor in supervisors:
        supervisor.kill()


def test_a_report_that_was_killed_at_any_moment_is_written_by_the_next_resume(
    place: Place,
) -> None:
    place.study(blocks=2, loads=CLOSED, good=(GOOD, ""))
    killed = place.finish(place.at_event("kill", 1, "result.json", *place.arguments()))
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    assert "2/2 " in killed.stderr
    assert not (place.results / "result.json").exists()
    codes, said = _kill_at_each_event(place, *place.arguments("--resume"))
    assert codes == [-signal.SIGKILL] * (len(codes) - 1) + [0], said
    assert len(codes) > 10
    assert "nothing is left to measure" in said
    assert len(place.trials()) == 2
    assert place.result().cells[0].throughput_per_s is not None


def _kill_at_each_event(place: Place, *arguments: str) -> tuple[list[int], str]:
    """The exit codes of runs that are killed ever later, and what they said.

    There is never half a result.
    """
    said, codes = place.home / "said", list[int]()
    with said.open("w") as file:
        runs = subprocess.Popen(
            place.at_event("kill-each", 1, "", *arguments),
            env=place.environment,
            cwd=place.home,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=file,
            text=True,
        )
    assert runs.stdin is not None
    assert runs.stdout is not None
    for line in runs.stdout:
        codes.append(int(line))
        if (place.results / "result.json").exists():
            assert place.result().complete
        if codes[-1] != 0:
            runs.stdin.write("\n")
            runs.stdin.flush()
    runs.communicate()
    return codes, said.read_text()


def test_a_study_whose_run_was_killed_has_a_report_by_its_name_and_by_its_run(
    place: Place,
) -> None:
    place.study(blocks=2, loads=CLOSED, good=(GOOD, ""))
    place.finish(place.at_event("kill", 1, "result.json", *place.arguments()))
    by_name = place.call("report", "small", "--out", "by-name")
    assert by_name.returncode == 0, by_name.stderr
    by_number = place.call("report", "1", "--out", "by-number")
    assert by_number.returncode == 0, by_number.stderr
    documents = [(place.home / to / "result.json").read_bytes() for to in ("by-name", "by-number")]
    assert documents[0] == documents[1]
    assert json.loads(documents[0])["complete"]
    assert place.run("--resume").returncode == 0
    assert (place.results / "result.json").read_bytes() == documents[0]


def test_a_report_that_cannot_be_written_is_written_by_resume(place: Place) -> None:
    place.study(loads=CLOSED, good=(GOOD, ""))
    (place.results / "report.html").mkdir(parents=True)
    refused = place.run()
    assert refused.returncode == 4, refused.stderr
    assert " --resume` writes the report; every trial is stored" in refused.stderr
    (place.results / "report.html").rmdir()
    resumed = place.run("--resume")
    assert resumed.returncode == 0, resumed.stderr
    assert (place.results / "report.html").is_file()


def test_a_resumed_run_keeps_its_folder_and_a_named_one_takes_its_place(place: Place) -> None:
    place.study(blocks=2, loads=CLOSED, good=place.counted())
    place.hold(3)
    run = place.start()
    place.wait_for("server/held", run)
    end(run, signal.SIGKILL)
    place.hold(None)
    own = place.arguments()
    without_folder = [*own[: own.index("--results")], "--resume"]
    assert place.call(*without_folder).returncode == 0
    assert place.result().complete
    assert place.call(*without_folder, "--results", "moved").returncode == 0
    (place.results / "result.json").unlink()
    assert place.call("report", "small").stdout.strip() == str(place.home / "moved/report.html")


def test_nothing_to_report_is_said_with_the_studies_that_there_are(place: Place) -> None:
    empty = place.call("report", "small")
    assert (empty.returncode, empty.stdout) == (2, "")
    assert "error: `small` is neither a file nor a stored run" in empty.stderr
    assert "hint: httpdyno run demo" in empty.stderr
    place.study(loads=CLOSED, good=(GOOD, ""))
    assert place.run().returncode == 0
    for name in ("7", "sm\udcff", "9" * 30):
        other = place.call("report", name)
        assert (other.returncode, "`small`" in other.stderr) == (2, True), other.stderr
