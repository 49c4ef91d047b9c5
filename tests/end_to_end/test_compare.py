"""Two builds of a real server from a real repository, compared by the real program."""

from __future__ import annotations

import json
import signal

import pytest
from git_repository import APP, SLOW, with_branches
from httpdyno import engine
from httpdyno.cli.reference import served_pages
from httpdyno.result import StudyResult
from small_server import GOOD, write_server
from study_place import Place, read_until
from warm_program import run

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

START = ["--start", "python3 app.py {port}"]
SHORT = ["--duration", "200ms", "--warm-up", "100ms", "--rate", "1000"]


@pytest.fixture
def here(place: Place) -> Place:
    """The place is a repository too."""
    with_branches(place.home / "repository")
    return place


def compare(place: Place, *arguments: str) -> tuple[int, str, str]:
    words = place.program("compare", *arguments)
    done = run(words, env=place.environment, cwd=place.home / "repository")
    return done.returncode, done.stdout, done.stderr


def commit(place: Place, name: str) -> str:
    """The version of a server that is built from a revision."""
    repository = str(place.home / "repository")
    done = place.finish(["git", "-C", repository, "rev-parse", name])
    return f"commit {done.stdout[:12]}"


def test_a_result_with_its_canary_is_the_baseline_of_the_next_comparison(here: Place) -> None:
    flags = [*START, *SHORT, "--blocks", "1", "--results", str(here.results), "--canary", "same"]
    code, out, err = compare(here, "main", "slow", *flags)
    assert code == 6, out + err  # one block has no interval
    assert "comparing slow with main: 1 block, 6 trials, about" in err
    assert "First run of the canary" in " ".join(out.split())
    result = StudyResult.model_validate_json((here.results / "result.json").read_text())
    assert result.answer.startswith("No valid result for requests/s")
    assert [arm.name for arm in result.arms][:2] == ["main", "slow"]
    versions = [commit(here, name) for name in ("main", "slow", "same")]
    assert [arm.version for arm in result.arms] == versions
    study = (here.results / "study.toml").read_text()
    assert [one in study for one in versions] == [True, True, True]
    shown = here.call("history", "--points")
    assert versions[0] in shown.stdout, shown.stderr
    assert result.arms[2].name.startswith("canary ")
    _a_saved_baseline_needs_only_the_other_build(here)
    assert here.living() == []


def _a_saved_baseline_needs_only_the_other_build(here: Place) -> None:
    saved = f"{here.results / 'result.json'}:slow"
    flags = [*START, "--blocks", "1", "--results", str(here.home / "two")]
    code, out, err = compare(here, saved, "same", *flags)
    assert code == 6, out + err
    result = StudyResult.model_validate_json((here.home / "two" / "result.json").read_text())
    assert [arm.name for arm in result.arms] == ["same"]
    assert {cell.point for cell in result.cells} == {"10 connections", "1,000/s"}
    assert "The baseline was measured earlier" in " ".join(out.split())
    whole = json.loads((here.results / "result.json").read_text())
    for fact in whole["machine"]:
        fact["value"] = "3 of 3 available" if fact["label"] == "cores" else fact["value"]
    other = here.home / "other.json"
    other.write_text(json.dumps(whole))
    code, out, err = compare(here, f"{other}:slow", "same", *flags)
    assert (code, out) == (2, "")
    assert "cores: 3 of 3 available then" in err


def test_an_interrupted_comparison_is_resumed_at_the_rate_that_it_chose(here: Place) -> None:
    (here.home / "fast.py").write_text(APP)
    (here.home / "slow.py").write_text(SLOW)
    flags = ["--duration", "200ms", "--warm-up", "100ms", "--blocks", "1"]
    both = ["cmd:python3 fast.py {port}", "cmd:python3 slow.py {port}"]
    begun = here.spawn(here.program("compare", *both, *flags))
    read_until(begun, "1/4 ")
    begun.send_signal(signal.SIGINT)
    out, err = begun.communicate()
    assert begun.returncode == 130, out + err
    assert "--resume" in err
    done = here.call("compare", *both, *flags, "--resume")
    assert done.returncode == 6, done.stdout + done.stderr  # one block has no interval
    assert len(here.trials()) == 4
    assert len({one.point for one in here.trials() if one.load == "same-rate"}) == 1
    assert here.living() == []


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["main", "slow"], 2, "`--start` is missing: `main` has no `server.toml` at its top"),
        (["main", "nowhere", *START], 2, "`nowhere` is neither a revision of the repository in"),
        (["main", "slow", "--build", "true"], 2, "`--build` was given without `--start`"),
        (["cmd:x", "cmd:y", *START], 2, "`--start` was given without a revision"),
        (["main", "slow", *START, "--margin", "3"], 2, "`--margin 3`: expected a share above 0 %"),
        (["main", "slow", *START, "--rate", "fast"], 2, "`--rate fast`: expected a rate per"),
        (["main", "slow", *START, "--path", "x"], 2, "`--path x`: expected a path such as"),
        (["main", "slow", *START, "--env", "=1"], 2, "`--env =1`: expected a name, `=`"),
        (
            ["main", "slow", *START, "--path", "/", "--workload", "hello"],
            2,
            "`--workload` names the paths: expected it without `--path`",
        ),
        (
            ["main", "slow", *START, "--workload", "nothing"],
            2,
            "`--workload nothing`: expected `pong`",
        ),
        (
            ["main", "slow", *START, "--build", "sh -c 'echo error: broken; exit 1'"],
            3,
            "`main` failed to build: error: broken",
        ),
        (["main", "slow", "--start", "python3 no.py {port}"], 3, "`main` cannot be measured:"),
        (["main", "slow", "--start", "a && b"], 2, "runs without a shell"),
    ],
)
def test_what_cannot_be_compared_is_one_error(
    here: Place, arguments: list[str], code: int, said: str
) -> None:
    found, out, err = compare(here, *arguments)
    assert (found, out) == (code, ""), err
    assert said in err
    assert "Traceback" not in err
    assert here.living() == []


@pytest.mark.parametrize("flags", [[], ["--rate", "100"]])
def test_a_server_that_does_not_start_ends_the_comparison_before_the_other_is_started(
    here: Place, flags: list[str]
) -> None:
    starts = here.home / "starts"
    start = f"sh -c 'echo one >> {starts}; echo the port is wrong; exit 1' sh {{port}}"
    code, out, err = compare(here, "main", "slow", "--start", start, *flags)
    assert (code, out) == (3, ""), err
    assert starts.read_text() == "one\n"
    assert "exited with code 1 before it was ready" in err  # and was not waited for
    assert err.count("the port is wrong") == 1, err
    assert "warning" not in err


def test_a_command_without_a_port_is_warned_about_before_anything_is_started(here: Place) -> None:
    without = ["--start", "python3 app.py"]
    code, _, err = compare(here, "main", "slow", *without, "--dry-run")
    assert code == 0, err
    assert err.count("warning: `--start` is `python3 app.py`, without `{port}`") == 1, err
    for told in (["--start", "sh -c 'python3 app.py $PORT'"], [*without, "--env", "ON=:{port}"]):
        code, _, err = compare(here, "main", "slow", *told, "--dry-run")
        assert (code, err) == (0, "")
    study = str(here.home / "own.toml")
    made = here.call("init", study, "--command", "python3 app.py")
    assert "warning: `--command` is `python3 app.py`, without `{port}`" in made.stderr
    planned = here.call("run", study, "--dry-run")
    assert planned.returncode == 0, planned.stderr
    assert planned.stderr.count("without `{port}`: httpdyno finds the server only if") == 1
    assert "warning: `start` of `" in planned.stderr


def test_a_dry_run_says_how_long_it_takes_and_copies_nothing(here: Place) -> None:
    code, out, _ = compare(here, "main", "slow", *START, "--dry-run")
    assert code == 0
    assert "comparing slow with main: 10 blocks, 40 trials, about " in out
    assert "margin for requests/s: 5 %" in out
    code, _, err = compare(here, "main", "slow", *START, "--dry-run", "--blocks", "4")
    assert code == 0
    assert "warning: 4 blocks cannot tell: an interval needs 5 restarts of each" in err
    assert not (here.home / "CACHE" / "revisions").exists()


def test_a_server_toml_is_compared_with_a_server_that_runs_already(place: Place) -> None:
    mine = write_server(place.home, "good", GOOD)
    with engine.reference(pages=served_pages()) as running:
        flags = [*SHORT, "--blocks", "1", "--workload", "hello", "--results", str(place.results)]
        done = place.call("compare", str(mine), f"http://{running.address}", *flags)
    assert done.returncode == 6, done.stderr
    assert done.stderr.count("already running, so it is not restarted") == 1
    assert [arm.name for arm in place.result().arms] == ["good/1-process", running.address]
    assert all(cell.throughput_per_s is not None for cell in place.result().cells)
