"""Two builds of a real server from a real repository, compared by the real program."""

from __future__ import annotations

import json
import signal
from pathlib import Path

import pytest
from git_repository import APP, SLOW, with_branches
from httpdyno.result import StudyResult
from small_server import GOOD, write_server
from study_place import Place, read_until

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

START = ["--start", "python3 app.py {port}"]
SHORT = ["--duration", "200ms", "--warm-up", "100ms", "--rate", "1500"]


@pytest.fixture
def here(place: Place) -> Place:
    """The place is a repository too."""
    with_branches(place.home / "repository")
    return place


def compare(place: Place, *arguments: str) -> tuple[int, str, str]:
    done = place.finish(
        ["env", "--chdir", str(place.home / "repository"), *place.program("compare", *arguments)]
    )
    return done.returncode, done.stdout, done.stderr


def test_a_slow_branch_is_a_regression_and_the_repository_stays_as_it_is(here: Place) -> None:
    repository = here.home / "repository"
    before = sorted(file.name for file in repository.iterdir())
    flags = [*START, *SHORT, "--blocks", "5", "--results", str(here.results), "--canary", "same"]
    markdown, junit = here.home / "pr.md", here.home / "junit.xml"
    exports = ["--export", f"markdown={markdown}", "--export", f"junit={junit}"]
    code, out, err = compare(here, "main", "slow", *flags, *exports)
    assert code == 8, out + err
    assert "comparing slow with main: 5 blocks, 30 trials, about" in err
    answer = " ".join(out.split())
    assert answer.startswith("slow serves ")
    assert "a regression beyond your margin of 3 %" in answer
    assert "First run of the canary" in answer
    result = StudyResult.model_validate_json((here.results / "result.json").read_text())
    assert result.answer.startswith("slow serves ")
    assert [arm.name for arm in result.arms][:2] == ["main", "slow"]
    assert result.arms[2].name.startswith("canary ")
    assert "a regression beyond" in markdown.read_text()
    assert "<failure" in junit.read_text()
    assert sorted(file.name for file in repository.iterdir()) == before
    assert here.living() == []
    _a_saved_baseline_needs_only_the_other_build(here)


def _a_saved_baseline_needs_only_the_other_build(here: Place) -> None:
    """It goes on with the result of the test before, which took half a minute."""
    saved = f"{here.results / 'result.json'}:slow"
    flags = [*START, "--warm-up", "100ms", "--blocks", "5", "--results", str(here.home / "two")]
    code, out, err = compare(here, saved, "same", *flags)
    assert code in (0, 9), out + err  # a faster build; its p99 is judged with only five restarts
    result = StudyResult.model_validate_json((here.home / "two" / "result.json").read_text())
    assert [arm.name for arm in result.arms] == ["same"]
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
    run = here.spawn(here.program("compare", *both, *flags))
    read_until(run, "1/4 ")
    run.send_signal(signal.SIGINT)
    out, err = run.communicate()
    assert run.returncode == 130, out + err
    assert "--resume" in err
    done = here.call("compare", *both, *flags, "--resume")
    assert done.returncode == 6, done.stdout + done.stderr  # one block has no interval
    assert len(here.trials()) == 4
    assert len({one.point for one in here.trials() if one.load == "same-rate"}) == 1
    assert here.living() == []


def test_two_server_tomls_of_one_name_are_two_arms(place: Place) -> None:
    for folder in ("one", "two"):
        write_server(place.home / folder, "good", GOOD)
    both = [str(place.home / folder / "good") for folder in ("one", "two")]
    done = place.call("compare", *both, *SHORT, "--blocks", "1", "--results", str(place.results))
    assert done.returncode == 6, done.stderr
    names = [arm.name for arm in place.result().arms]
    assert names == ["good (A)/1-process", "good (B)/1-process"]
    assert all(cell.throughput_per_s is not None for cell in place.result().cells)


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["main", "slow"], 2, "`--start` is missing: `main` has no `server.toml` at its top"),
        (["main", "nowhere", *START], 2, "`nowhere` is neither a revision of the repository in"),
        (["main", "slow", "--build", "true"], 2, "`--build` was given without `--start`"),
        (["cmd:x", "cmd:y", *START], 2, "`--start` was given without a revision"),
        (["main", "slow", *START, "--margin", "3"], 2, "`--margin 3`: expected a share above 0 %"),
        (["main", "slow", *START, "--rate", "fast"], 2, "`--rate fast`: expected a rate from 1 to"),
        (["main", "slow", *START, "--path", "x"], 2, "`--path x`: expected a path such as"),
        (["main", "slow", *START, "--env", "=1"], 2, "`--env =1`: expected a name, `=`"),
        (
            ["main", "slow", *START, "--path", "/", "--workload", "hello"],
            2,
            "`--path` and `--workload` exclude each other",
        ),
        (["main", "slow", *START, "--workload", "nothing"], 2, "`nothing` is not a workload"),
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


def test_a_dry_run_says_how_long_it_takes_and_copies_nothing(here: Place) -> None:
    code, out, _ = compare(here, "main", "slow", *START, "--dry-run")
    assert code == 0
    assert "comparing slow with main: 10 blocks, 40 trials, about 3 min after the builds" in out
    assert "margin for requests/s: 3 %" in out
    assert not (here.home / "CACHE" / "revisions").exists()


def test_a_server_that_runs_already_is_compared_where_it_is(place: Place, tmp_path: Path) -> None:
    from httpdyno import engine
    from httpdyno.cli.reference import served_pages

    pages = served_pages()
    with engine.reference(pages=pages) as one, engine.reference(pages=pages) as other:
        urls = [f"http://{server.address}" for server in (one, other)]
        flags = [*SHORT, "--blocks", "1", "--path", "/hello", "--results", str(place.results)]
        done = place.call("compare", *urls, *flags)
    assert done.returncode == 6, done.stderr
    assert all(cell.throughput_per_s is not None for cell in place.result().cells)
