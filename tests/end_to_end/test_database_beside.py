"""A study with a PostgreSQL beside its server: filled, fresh for each trial, ended with the run."""

from __future__ import annotations

import os
import re
import signal
from pathlib import Path
from time import sleep

import psutil
import pytest
from database_study import DATABASE, run_words, write
from httpdyno.errors import ExitCode
from study_place import Place, read_until

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]
OWN = """\
[workloads.{name}]
[[workloads.{name}.requests]]
path = "{path}"
expect = {{ status = 200, any = true }}
"""


def databases(place: Place) -> list[psutil.Process]:
    """The processes of PostgreSQL that the place has started."""
    found = []
    for one in psutil.process_iter():
        try:
            variables = one.environ()
        except psutil.Error:
            continue
        ours = "HTTPDYNO_SERVER" in variables and "PGSYSCONFDIR" in variables
        if ours and Path(one.cwd()).name == "data":
            found.append(one)
    return found


def test_a_server_finds_the_rows_and_nothing_of_the_database_is_left(place: Place) -> None:
    write(place, blocks=2)
    done = place.call(*run_words(place))
    assert done.returncode == 0, done.stderr
    assert "database `db`: PostgreSQL 18" in done.stderr
    assert [one.status != "invalid" for one in place.trials()] == [True, True]
    assert not databases(place)


def test_each_trial_finds_the_rows_as_they_were(place: Place) -> None:
    more = DATABASE + OWN.format(name="drop", path="/drop") + "[quick]\n"
    write(place, workload="drop", blocks=3, more=more)
    text = (place.home / "db.toml").read_text()
    once = text.replace(
        'connections = 4\nduration = "1s"\nwarm_up = "200ms"',
        "connections = 1\nrequests = 1\nwarm_up = 0",
    )
    (place.home / "db.toml").write_text(once)
    done = place.call(*run_words(place))
    assert done.returncode == 0, done.stderr
    calls = [one.measurement.calls.ok for one in place.trials() if one.measurement]
    assert calls == [1, 1, 1]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_the_database_ends_with_the_run_however_it_ends(place: Place, number: int) -> None:
    write(place, blocks=100)
    run = place.spawn(place.program(*run_words(place)))
    read_until(run, "database `db`")
    assert databases(place)
    run.send_signal(number)
    run.communicate()
    for _ in range(500):
        if not databases(place):
            break
        sleep(0.02)
    assert not databases(place)


def test_no_password_of_the_database_is_written_down(place: Place) -> None:
    write(place)
    spawned = place.spawn(place.program(*run_words(place)))
    read_until(spawned, "checking")
    urls = set[str]()
    while spawned.poll() is None and not urls:
        for one in psutil.process_iter():
            try:
                found = one.environ().get("DATABASE_URL", "")
            except psutil.Error:
                continue
            if str(place.home) in one.environ().get("HTTPDYNO_CACHE", str(place.home)) and found:
                urls.add(found)
    out, err = spawned.communicate()
    assert urls, err
    passwords = {re.split("[:@]", one)[2] for one in urls}
    for file in place.home.rglob("*"):
        if file.is_file() and "services" not in file.parts:
            content = file.read_bytes()
            assert not any(one.encode() in content for one in passwords), file
    assert not any(one in out + err for one in passwords)


def test_sql_of_the_users_own_fills_the_database(place: Place) -> None:
    sql = "CREATE TABLE world (id int, randomnumber int); INSERT INTO world VALUES (7, 8);"
    (place.home / "mine.sql").write_text(sql)
    mine = DATABASE.replace('schema = "world"', 'setup = "mine.sql"')
    own = OWN.format(name="seven", path="/db?id=7")
    write(place, workload="seven", more=mine + own)
    done = place.call(*run_words(place))
    assert done.returncode == 0, done.stderr
    (trial,) = place.trials()
    assert trial.measurement is not None
    assert trial.measurement.calls.ok > 0


def test_wrong_sql_is_told_with_its_file_and_line(place: Place) -> None:
    mine = DATABASE.replace('schema = "world"', 'setup = "mine.sql"')
    write(place, workload="db", more=mine)
    planned = place.call("run", "db.toml", "--dry-run")
    assert planned.returncode == ExitCode.USAGE
    assert "`setup` is `mine.sql`, which cannot be read: No such file" in planned.stderr
    (place.home / "mine.sql").write_text("CREATE TABLE a (id int);\nCREATE TABLE b (id nit);\n")
    done = place.call(*run_words(place))
    assert done.returncode == ExitCode.USAGE
    assert 'mine.sql, line 2: PostgreSQL refuses it: type "nit" does not exist' in done.stderr


@pytest.mark.skipif(os.geteuid() != 0, reason="only root has to run it as another user")
def test_root_runs_it_as_another_user(place: Place) -> None:
    write(place, blocks=100)
    run = place.spawn(place.program(*run_words(place)))
    read_until(run, "database `db`")
    users = {one.uids().real for one in databases(place)}
    run.send_signal(signal.SIGINT)
    run.communicate()
    assert users
    assert 0 not in users
