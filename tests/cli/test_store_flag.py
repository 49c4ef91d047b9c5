"""Every verb reads and writes the database of results that `--store` names."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path
from urllib.request import urlopen

import pytest
from httpdyno.running.options import RunOptions
from httpdyno.store import open_store
from postgresql_server import PostgreSQL
from stored_runs import nights, store_run, study

from .conftest import Program, environment, started


@pytest.fixture
def team(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A database with two runs, which is not the user's own."""
    for name in ("DATA", "STATE"):
        monkeypatch.setenv(f"HTTPDYNO_{name}", str(tmp_path / "own"))
    file = tmp_path / "team.sqlite"
    nights(open_store(str(file)), study(tmp_path), [4000, 4100])
    return str(file)


def test_every_verb_that_reads_runs_reads_the_named_database(team: str, called: Program) -> None:
    for arguments in (
        ("runs", "show", "1"),
        ("runs", "show", "nightly", "--json"),
        ("runs", "export", "--all", "--to", "all.json"),
        ("history", "--points"),
        ("report", "1", "--out", "report"),
        ("publish", "site"),
        ("runs", "forget", "2", "--yes"),
        ("runs", "import", "all.json"),
    ):
        assert called(*arguments, "--store", team).returncode == 0, arguments
    listed = json.loads(called("runs", "list", "--json", "--store", team).stdout)
    assert [row["run"] for row in listed] == [1, 3]
    assert called("runs", "list").stdout == "no stored run\n"


@pytest.mark.parametrize("store", ["u:PW@h/d", "host=h password=PW", "u:PW\udcff@h"])
def test_the_password_of_a_mistyped_database_is_not_printed(store: str, called: Program) -> None:
    for arguments in (("runs", "list"), ("report", "1"), ("run", "demo"), ("history",)):
        refused = called(*arguments, "--store", store)
        assert refused.returncode == 2
        assert "PW" not in refused.stdout + refused.stderr
    copied = called("runs", "copy", store, store.replace("h", "i"))
    assert (copied.returncode, "PW" in copied.stderr) == (2, False)


def test_the_variable_names_it_for_all_of_them(
    team: str, called: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTPDYNO_STORE", team)
    assert "nightly" in called("runs", "list").stdout


def test_the_page_shows_the_runs_of_the_named_database(team: str, tmp_path: Path) -> None:
    page = started(tmp_path, "serve", "--listen", "127.0.0.1:0", "--store", team)
    try:
        assert page.stdout is not None
        link = page.stdout.readline().split()[2]
        with urlopen(link) as reply:
            assert "nightly" in reply.read().decode()
    finally:
        page.send_signal(signal.SIGINT)
        page.communicate()


def test_runs_are_copied_and_a_second_time_skipped(team: str, called: Program) -> None:
    done = called("runs", "copy", team, "mine.sqlite")
    names = ["run 1 of nightly: copied as run 1", "run 2 of nightly: copied as run 2"]
    assert done.stdout.splitlines() == names
    assert done.stderr.startswith("2 of 2 runs were copied to ")
    done = called("runs", "copy", team, "mine.sqlite", "--run", "2")
    assert done.stdout == "run 2 of nightly: is run 2 already\n"
    assert done.stderr.startswith("0 of 1 runs were copied to ")
    for number in ("1", "2"):
        for database, file in ((team, "a.json"), ("mine.sqlite", "b.json")):
            arguments = ("runs", "export", number, "--to", file, "--store", database)
            assert called(*arguments).returncode == 0
        assert Path("a.json").read_bytes() == Path("b.json").read_bytes()


def test_what_cannot_be_copied_is_one_sentence(team: str, called: Program) -> None:
    for arguments, said in (
        ((team, team), "FROM and TO are the same database"),
        (("none.sqlite", team), "none.sqlite` does not exist: expected a results database"),
        ((team, "nowhere"), "`nowhere` is not the URL of a database"),
        ((team, "mine.sqlite", "--run", "7"), "FROM has no run 7 among the chosen runs"),
        ((team, "mine.sqlite", "--run", "x"), "`--run x`: expected a whole number"),
        ((team, "mine.sqlite", "--study", "x"), "`x` has no stored run"),
        ((team, "mine.sqlite", "--since", "2030-01-01"), "FROM has no such run"),
    ):
        done = called("runs", "copy", *arguments)
        assert done.returncode == 2, done
        assert said in done.stderr, done.stderr


def test_a_password_in_the_url_is_shown_nowhere(called: Program) -> None:
    url = "postgresql://me:hunter2@127.0.0.1:1/bench?sslpassword=hunter2"
    for arguments in (
        ("runs", "list", "--store", url),
        ("runs", "copy", url, "mine.sqlite"),
        ("history", "--store", url.replace("postgresql", "oracle")),
    ):
        done = called(*arguments)
        assert done.returncode in (2, 4)
        assert "hunter2" not in done.stdout + done.stderr
    assert (
        "warning: other users of this machine can see the password"
        in called("runs", "list", "--store", url).stderr
    )


def test_the_command_that_is_stored_has_the_user_of_the_database_but_no_password() -> None:
    for url, shown in (
        ("postgresql://me@db/bench", "postgresql://me@db/bench"),
        ("postgresql://me:hun/ter@2@db/bench", "'postgresql://me:***@db/bench'"),
        ("postgresql://db/bench?password=hunter2", "'postgresql://db/bench?password=***'"),
    ):
        options = RunOptions(["run", "demo", "--store", url, "--resume"])
        assert options.command == f"httpdyno run demo --store {shown}"
        assert RunOptions(["run", f"--store={url}"]).command.endswith(
            f"--store={shown}" if shown[0] != "'" else f"'--store={shown[1:]}"
        )


def test_without_the_driver_the_error_names_the_command_that_installs_it(tmp_path: Path) -> None:
    code = (
        "import sys; sys.modules['psycopg'] = None\n"
        "from httpdyno.cli.main import run\n"
        "sys.exit(run(['runs', 'list', '--store', 'postgresql://me@db/bench']))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=environment(),
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 4
    assert done.stderr == (
        "error: the results database `postgresql://me@db/bench` needs a driver that is not"
        f" installed\nhint: {sys.executable} -m pip install 'psycopg[binary]>=3.2'\n"
    )


def test_a_team_has_the_runs_of_all_its_machines(
    team: str, tmp_path: Path, called: Program, postgresql: PostgreSQL
) -> None:
    url = postgresql.url(postgresql.new_database())
    other = tmp_path / "other.sqlite"
    store_run(open_store(str(other)), study(tmp_path, name="other"), 7, rates={"alpha": 90.0})
    for file in (team, str(other)):
        assert called("runs", "copy", file, url).returncode == 0
    listed = json.loads(called("runs", "list", "--json", "--store", url).stdout)
    assert [row["study"] for row in listed] == ["nightly", "nightly", "other"]
    assert called("history", "--points", "--store", url).returncode == 0
    assert called("report", "other", "--out", "report", "--store", url).returncode == 0
