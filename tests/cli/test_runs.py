"""`httpdyno runs`: what is stored is listed, shown, exported, imported and deleted."""

from __future__ import annotations

import csv
import io
import json
import os
import pty
import re
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

import pytest
from httpdyno.report import result_json
from stored_runs import nights, store_in, store_run, study

from .conftest import PROGRAM, Program, environment

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The data folder of the program, with three runs: two of `nightly`, one of `other`."""
    folder = tmp_path / "data"
    for name in ("DATA", "STATE"):
        monkeypatch.setenv(f"HTTPDYNO_{name}", str(folder))
    store = store_in(folder)
    nights(store, study(tmp_path), [4000, 4100])
    store_run(store, study(tmp_path, name="other"), 5, rates={"alpha": 9.0})
    return folder


def test_the_runs_are_listed_with_their_verdicts_and_their_machine(
    data: Path, called: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    listed = called("runs", "list")
    assert listed.returncode == 0, listed.stderr
    lines = listed.stdout.splitlines()
    assert lines[0].split()[:2] == ["run", "study"]
    assert len([line for line in lines if "20 valid" in line]) == 2
    assert "2026-09-21 14:13" in lines[2]
    assert "AMD EPYC 7B13, 2 of 2" in lines[2]


def test_a_run_that_ended_without_a_trial_has_failed(
    data: Path, tmp_path: Path, called: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    store_run(store_in(data), study(tmp_path, name="absent"), 6, rates={}, blocks=0)
    line = next(line for line in called("runs", "list").stdout.splitlines() if "absent" in line)
    assert re.search(r" 0 +none +failed ", line)
    shown = called("runs", "show", "4").stdout
    assert re.search(r"complete +no: the run ended without a trial", shown)
    states = {
        row["run"]: row["complete"] for row in json.loads(called("runs", "list", "--json").stdout)
    }
    assert states == {1: True, 2: True, 3: True, 4: False}


def test_the_list_is_filtered_by_study_and_by_date(data: Path, called: Program) -> None:
    def numbers(*flags: str) -> list[int]:
        shown = called("runs", "list", "--json", *flags)
        return [row["run"] for row in json.loads(shown.stdout)]

    assert numbers() == [1, 2, 3]
    assert numbers("--study", "other") == [3]
    assert numbers("--since", "2026-09-22") == [2, 3]
    assert numbers("--since", "1d", "--study", "nightly") == []


def test_what_is_not_there_is_one_sentence(data: Path, called: Program) -> None:
    for arguments, said in (
        (("list", "--study", "x"), "`x` has no stored run: expected a study with one (`other`, `n"),
        (("list", "--since", "yesterday"), "`--since yesterday`: expected a date such as"),
        (("show", "77"), "`77` is not a stored run: expected the number of a run, or a study that"),
        (("show", "77"), "hint: `httpdyno runs list` shows all runs"),
        (("forget", "77", "--yes"), "run 77 is not stored"),
        (("export", "--to", "x.csv"), "neither of WHAT and `--all` were given"),
        (("export", "1", "--all", "--to", "x.csv"), "both of WHAT and `--all` were given"),
        (
            ("export", "1", "--to", "x.xls"),
            "`--to x.xls`: expected a name that ends in one of `.csv`",
        ),
        (("export", "1", "--to", "x", "--format", "xls"), "`--format xls`: expected `csv` or"),
        (("forget", "abc", "-"), "`RUN abc`: expected the number of a run, such as `3`"),
        (("forget", "abc", "-"), "2 problems with the command line"),
        (("export", "1", "--to", "no/where.csv"), "`no/where.csv` cannot be written"),
        (("import", "none.json"), "`none.json` does not exist"),
    ):
        done = called("runs", *arguments)
        assert done.returncode in (2, 4), done
        assert said in done.stderr, done.stderr
        assert done.stdout == ""


def test_a_run_is_shown_as_at_its_end_with_its_machine(data: Path, called: Program) -> None:
    shown = called("runs", "show", "2")
    assert shown.returncode == 0, shown.stderr
    assert "alpha/1-process" in shown.stdout
    assert "requests/s" in shown.stdout
    assert "Linux 6.1.0" in shown.stdout
    assert "1.24.0" in shown.stdout
    as_json = called("runs", "show", "2", "--json")
    assert result_json.parse(as_json.stdout, "stdout").name == "nightly"


def test_a_study_is_exported_with_all_of_its_runs(data: Path, called: Program) -> None:
    assert called("runs", "export", "nightly", "--to", "/dev/stdout").returncode == 2
    done = called("runs", "export", "nightly", "--to", "/dev/stdout", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    assert {row["run"] for row in rows} == {"1", "2"}
    assert len(rows) == 40


def test_the_runs_move_to_another_machine(
    data: Path, tmp_path: Path, called: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert called("runs", "export", "--all", "--to", "all.json").stderr == "3 runs: all.json\n"
    monkeypatch.setenv("HTTPDYNO_DATA", str(tmp_path / "elsewhere"))
    assert called("runs", "list").stdout == "no stored run\n"
    done = called("runs", "import", "all.json", "--origin", "the lab")
    assert done.stdout.splitlines() == [
        "all.json: nightly: run 1",
        "all.json: nightly: run 2",
        "all.json: other: run 3",
    ]
    again = called("runs", "import", "all.json")
    assert again.stdout.splitlines()[0] == "all.json: nightly: is run 1 already"
    monkeypatch.setenv("COLUMNS", "200")
    assert "imported: the lab" in called("runs", "list").stdout
    assert called("runs", "show", "3").returncode == 0


def test_otava_gets_a_table_and_its_configuration(
    data: Path, tmp_path: Path, called: Program
) -> None:
    flags = ("--format", "otava")
    assert called("runs", "export", "nightly", "--to", "n.csv", *flags).returncode == 0
    flags = ("--format", "otava-config")
    assert called("runs", "export", "nightly", "--to", "n.yaml", *flags).returncode == 0
    header = (tmp_path / "n.csv").read_text().splitlines()[0]
    config = (tmp_path / "n.yaml").read_text()
    assert 'file: "n.csv"' in config
    column = "nightly · alpha/1-process · steady · 500/s · p99 (ms)"
    assert column in header
    assert f'"{column}": {{direction: -1}}' in config


def test_a_run_is_deleted_only_after_a_yes(data: Path, called: Program) -> None:
    asked = called("runs", "forget", "1")
    assert asked.returncode == 2
    assert "stdin is not a terminal" in asked.stderr
    assert _typed("n\n", "runs", "forget", "1").endswith("nothing was deleted")
    assert "deleted run 1" in _typed("y\n", "runs", "forget", "1")
    done = called("runs", "forget", "2", "3", "--yes")
    assert done.stdout.splitlines() == [
        "deleted run 2",
        "its report is still in /results/nightly-1",
        "deleted run 3",
        "its report is still in /results/other-5",
    ]
    assert called("runs", "list").stdout == "no stored run\n"


def _typed(answer: str, *arguments: str) -> str:
    """The program's output on a terminal on which this answer is typed."""
    ours, theirs = pty.openpty()
    os.write(ours, answer.encode())
    done = subprocess.run(
        [*PROGRAM, *arguments],
        stdin=theirs,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    os.close(ours)
    os.close(theirs)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_a_run_under_way_is_not_deleted(data: Path, tmp_path: Path, called: Program) -> None:
    from httpdyno.store.tables import RUNS
    from sqlalchemy import update

    with store_in(data).transaction() as connection:
        connection.execute(update(RUNS).where(RUNS.c.id == 1).values(ended_at=None))
    code = (
        "import sys; sys.path[:0] = sys.argv[1:]\n"
        "from httpdyno.running.machines.machine_lock import machine_lock\n"
        "with machine_lock('httpdyno run nightly', print): print('held', flush=True); input()"
    )
    holder = subprocess.Popen(
        [PROGRAM[0], "-c", code, environment()["PYTHONPATH"]],
        env=environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert holder.stdout is not None
    assert holder.stdout.readline() == "held\n"
    refused = called("runs", "forget", "1", "--yes")
    assert refused.returncode == 2
    assert "run 1 may be under way: `httpdyno run nightly`" in refused.stderr
    holder.communicate("\n")
    assert called("runs", "forget", "1", "--yes").returncode == 0


def test_a_hostile_name_reaches_no_terminal(
    tmp_path: Path, data: Path, called: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    (tmp_path / "evil\x1b[31m.toml").write_text((tmp_path / "nightly.toml").read_text())
    from httpdyno.study import load_study

    evil = load_study(tmp_path / "evil\x1b[31m.toml")
    line = "\n::error::x"
    machine = {"processor": "\x1b]0;x\x07[bold]", "cores": "\u202e2", "kernel": line, line: "2"}
    store_run(store_in(data), evil, 7, rates={"alpha": 1.0}, machine=machine)
    for arguments in (("runs", "list"), ("runs", "show", "4"), ("history", "--points")):
        shown = called(*arguments)
        assert shown.returncode == 0, shown.stderr
        assert not {"\x1b", "\x07", "\u202e"} & set(shown.stdout + shown.stderr)
        assert "[bold]" in "".join(shown.stdout.split())
        assert not re.search(r"^\s*::error", shown.stdout + shown.stderr, re.MULTILINE)


def test_a_folder_without_a_result_does_not_hide_the_stored_study_of_its_name(
    data: Path, called: Program, tmp_path: Path
) -> None:
    folder = tmp_path / "nightly"
    folder.mkdir()
    to = ("--format", "json", "--out", "report")
    shown = called("report", "nightly", *to)
    assert shown.returncode == 0, shown.stderr
    assert "`nightly/result.json` does not exist" in called("report", "nightly/", *to).stderr
    folder.rename(tmp_path / "unknown")
    assert "`unknown/result.json` does not exist" in called("report", "unknown", *to).stderr


@pytest.mark.parametrize("flags", [["--export", "csv=n.csv"], ["--format", "csv", "--out", "."]])
def test_the_table_of_a_stored_run_has_its_number(
    data: Path, tmp_path: Path, called: Program, flags: list[str]
) -> None:
    done = called("report", "2", *flags)
    assert done.returncode == 0, done.stderr
    file = next(tmp_path.glob("*.csv"))
    rows = list(csv.DictReader(io.StringIO(file.read_text())))
    assert {row["run"] for row in rows} == {"2"}


@pytest.mark.parametrize(
    "flags",
    [
        ["--summary", "a b/x.json"],
        ["--export", "junit=a b/x.xml"],
        ["--out", "a b/x"],
        ["--picture", "a b/x.png"],
    ],
)
def test_a_report_creates_no_folder_above_the_one_that_is_named(
    data: Path, tmp_path: Path, called: Program, flags: list[str]
) -> None:
    source = DOCS / "replays/snap-2010/summary.json"
    before = sorted(tmp_path.iterdir())
    done = called("report", str(source), *flags)
    assert (done.returncode, sorted(tmp_path.iterdir())) == (4, before), done.stderr
    assert done.stderr.endswith("No such file or directory\nhint: mkdir -p 'a b'\n")


def test_a_report_creates_the_folder_that_is_named(
    data: Path, tmp_path: Path, called: Program
) -> None:
    done = called("report", "2", "--format", "svg", "--out", "new")
    assert done.returncode == 0, done.stderr
    assert list((tmp_path / "new" / "charts").glob("*.svg"))


def test_a_file_to_import_that_is_not_there_need_not_be_exported_again(
    data: Path, called: Program
) -> None:
    done = called("runs", "import", "w.json")
    assert done.returncode == 2
    assert "`w.json` does not exist" in done.stderr
    assert "hint: check the path" in done.stderr
    assert "again" not in done.stderr


def test_the_hint_at_a_report_that_cannot_be_written_names_a_flag_of_that_verb(
    data: Path, tmp_path: Path, called: Program
) -> None:
    (data / "results").write_text("no folder")
    called("runs", "export", "2", "--to", "two.json")
    mine = str(tmp_path / "mine.sqlite")
    assert called("runs", "import", "two.json", "--store", mine).returncode == 0
    refused = called("report", "1", "--store", mine)
    assert refused.returncode == 4
    assert "hint: --out names another folder for the report" in refused.stderr


@pytest.mark.parametrize(
    ("damage", "where"),
    [
        ("UPDATE runs SET seed = 'x' WHERE id = 2", "seed"),
        ("UPDATE runs SET command = x'ff' WHERE id = 2", "command"),
        ("INSERT INTO failures VALUES (2, 'beta/1-process', 'x', 'why', NULL)", "stage"),
    ],
    ids=["number", "text", "failure"],
)
def test_a_damaged_run_is_named_and_can_be_deleted_and_the_others_stay_readable(
    data: Path, called: Program, damage: str, where: str
) -> None:
    with closing(sqlite3.connect(data / "results.sqlite")) as file, file:
        file.execute(damage)
    for arguments in (("report", "2", "--summary", "s"), ("runs", "show", "2")):
        refused = called(*arguments)
        assert refused.returncode == 4, refused.stderr
        assert f"run 2 is damaged: {where}: " in " ".join(refused.stderr.split())
        assert "hint: delete it: `httpdyno runs forget 2`" in refused.stderr
    history = called("history")
    assert history.returncode == 0, history.stderr
    assert "run 2 is left out: the results database" in history.stderr + history.stdout
    assert called("runs", "forget", "2", "--yes").returncode == 0
    assert called("runs", "show", "1").returncode == 0


@pytest.mark.parametrize("damage", ["'yesterday'", "x'ff'", "9e999"])
def test_a_run_with_a_damaged_time_is_in_the_list(data: Path, called: Program, damage: str) -> None:
    with closing(sqlite3.connect(data / "results.sqlite")) as file, file:
        file.execute(f"UPDATE runs SET started_at = {damage} WHERE id = 2")
    shown = called("runs", "list")
    assert shown.returncode == 0, shown.stderr
    assert "unknown time" in shown.stdout
    listed = json.loads(called("runs", "list", "--json").stdout)
    assert {run["run"]: run["started_at"] for run in listed}[2] is None


@pytest.mark.parametrize("document", ["[" * 100_000, "{}"], ids=["nested", "empty"])
def test_a_damaged_study_is_told_from_one_of_another_version(
    data: Path, called: Program, document: str
) -> None:
    def change(column: str, value: str) -> None:
        with closing(sqlite3.connect(data / "results.sqlite")) as file, file:
            file.execute(f"UPDATE runs SET {column} = ? WHERE id = 2", [value])

    change("study_document", document)
    refused = called("report", "2")
    assert refused.returncode == 4, refused.stderr
    assert "the study of run 2 (`nightly`) is damaged: " in refused.stderr
    assert "hint: delete it: `httpdyno runs forget 2`" in refused.stderr
    assert ": :" not in refused.stderr
    change("httpdyno_version", "9.9.9")
    newer = called("report", "2")
    hint = "use httpdyno 9.9.9, which measured it"
    assert (newer.returncode, hint in newer.stderr) == (
        (2, True) if document == "{}" else (4, False)
    )


def test_no_empty_key_is_named_where_a_whole_document_is_damaged(
    data: Path, tmp_path: Path, called: Program
) -> None:
    for key in ("study_document", "servers_document"):
        called("runs", "export", "2", "--to", f"{key}.json")
        file = tmp_path / f"{key}.json"
        whole = json.loads(file.read_text())
        whole["runs"][0][key] = "[" * 100_000
        file.write_text(json.dumps(whole))
        refused = called("runs", "import", file.name)
        assert refused.returncode == 2
        assert "invalid json: recursion limit exceeded" in refused.stderr
        assert ": :" not in refused.stderr
