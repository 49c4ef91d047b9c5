"""A whole study by the real program: real servers, the real engine, kills in the middle of it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from small_server import GOOD, NEVER_READY, NO_BUILD, WRONG
from study_place import LOADS, Place, read_until

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]


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
    assert good.throughput_per_s.value > 0
    assert good.server_cpu_s_per_request is not None
    assert good.server_cpu_s_per_request.value > 0
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
        assert trial.server is not None
        assert trial.server.processes == 1
    # On a busy machine, the short window of a trial may pass without a reply.
    assert sum(one.measurement.calls.ok for one in place.trials() if one.measurement) > 0


def test_nothing_to_resume_is_the_users_fault(place: Place) -> None:
    place.study(good=(GOOD, ""))
    done = place.run("--resume")
    assert done.returncode == 2
    assert done.stderr.startswith("error: `small` has no run with this file")
    assert f"hint: begin one: `httpdyno run {place.home / 'small.toml'}" in done.stderr


def test_a_study_without_a_valid_cell_has_its_own_exit_code_and_still_a_report(
    place: Place,
) -> None:
    place.study(wrong=(WRONG, ""))
    done = place.run()
    assert done.returncode == 6, done.stderr
    assert place.result().answer.startswith("No result")


def test_a_server_that_dies_while_it_is_measured_is_an_invalid_trial(place: Place) -> None:
    counted = '[loads.counted]\nkind = "closed"\nconnections = 4\nrequests = 300\n'
    place.study(loads=counted, mortal=place.counted())
    (place.home / "server" / "die").touch()
    done = place.run()
    assert done.returncode == 6, done.stderr
    trials = place.trials()
    assert {trial.status for trial in trials} == {"invalid"}
    reasons: list[Any] = [reason.text for trial in trials for reason in trial.reasons]
    assert any("exited with code 3 while it was measured" in text for text in reasons)


def test_a_terminal_that_is_gone_costs_no_measurement(place: Place) -> None:
    place.study(blocks=2, good=(GOOD, ""))
    run = place.start()
    read_until(run, "checking")
    assert run.stderr is not None
    run.stderr.close()
    assert run.stdout is not None
    run.stdout.close()
    assert run.wait() == 0
    assert place.result().complete
    assert len(place.trials()) == 4


def test_bad_input_costs_no_measurement(place: Place) -> None:
    place.study(good=(GOOD, ""))
    place.results.write_text("a file in the way")
    done = place.run()
    assert (done.returncode, len(done.stderr.splitlines())) == (4, 2)
    assert not (place.home / "DATA").exists()
    assert json.dumps(str(place.results))[1:-1] in done.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["sm\udcff.toml"], "`STUDY sm\\udcff.toml`: expected text in UTF-8"),
        (["demo", "--results", "r\udcff"], "`--results r\\udcff`: expected text in UTF-8"),
        (["demo", "--blocks", "0", "--seed", "x"], "2 problems with the command line:"),
        (["demo", "--all-replays"], "`--all-replays` was given with `demo`"),
        ([], "STUDY is missing"),
        (["demo", "--only", "nginx"], "`nginx` is not an arm of `demo`"),
    ],
)
def test_flags_that_cannot_be_are_one_error(place: Place, arguments: list[str], said: str) -> None:
    done = place.call("run", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"error: {said}"), done.stderr


def test_a_load_that_a_server_cannot_answer_is_a_row_and_costs_no_trial(place: Place) -> None:
    place.study(good=(GOOD, ""), closing=(GOOD, ""))
    file = place.servers[1]
    file.write_text('cannot = { keep-alive = "it closes after each reply" }\n' + file.read_text())
    done = place.run("--dry-run")
    assert "closing/1-process · rate: refused: the load needs keep-alive" in done.stdout
    assert "\nonce the servers are installed: " in done.stdout
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
    again = place.run("--resume")
    assert (again.returncode, place.trials()) == (0, trials), again.stderr


def test_what_a_terminal_would_obey_or_not_have_is_written_as_text(place: Place) -> None:
    place.study(loads=LOADS.replace("rate]", '"größe\\u001b[31m"]'), good=(GOOD, ""))
    file = place.home / "small.toml"
    file.write_text(file.read_text().replace("Small servers", "Small\\u001b[2J \\u202e servers"))
    place.environment["PYTHONIOENCODING"] = "ascii"
    for flags in (["--dry-run"], []):
        done = place.run(*flags)
        assert done.returncode == 0, done.stderr
        assert "good/1-process" in done.stdout
        assert "Small\\x1b[2J" in done.stdout
        assert "\x1b" not in done.stdout + done.stderr
