"""A database in a PostgreSQL that runs already: made there and removed, without other changes."""

from __future__ import annotations

from pathlib import Path

import psycopg
import pytest
from httpdyno.errors import EnvironmentFault, UsageError
from httpdyno.result import MachineRow
from httpdyno.running.beside import VARIABLE, database_of
from httpdyno.running.machines.site import ThisMachine
from httpdyno.servers.declaration.own import server_from_command
from httpdyno.servers.installation.installation import Installation
from httpdyno.services.database import libpq_variables, with_database
from httpdyno.study.read import parse_study
from httpdyno.workloads import world
from postgresql_server import PostgreSQL

STUDY = """\
title = "Rows"
[services.db]
kind = "postgres"
schema = "world"
url = "${DB_URL}"
[[arms]]
server = "go"
deployments = ["1-core"]
[loads.full]
kind = "closed"
connections = 4
duration = "1s"
"""


@pytest.fixture
def url(postgresql: PostgreSQL, monkeypatch: pytest.MonkeyPatch) -> str:
    found = postgresql.url("postgres", user="postgres")
    monkeypatch.setenv("DB_URL", found)
    return found


def names(postgresql: PostgreSQL) -> set[str]:
    return {row[0] for row in postgresql.sql("SELECT datname FROM pg_database")}


def test_a_database_is_made_in_a_server_at_a_url_and_removed_at_the_end(
    postgresql: PostgreSQL, url: str, tmp_path: Path
) -> None:
    before = names(postgresql)
    said: list[str] = []
    study = parse_study(STUDY, tmp_path / "rows.toml")
    with database_of(study, None, tmp_path, said.append) as (_, beside):
        assert beside is not None
        assert len(names(postgresql) - before) == 2
        server = server_from_command("mine", "true", cwd=tmp_path)
        serving = beside.serving(Installation(server, tmp_path, "", tmp_path / "log"))
        address = serving.environment()[VARIABLE]
        assert serving.placeholders["database_url"] == address
        assert serving.environment()["PGDATABASE"] == beside.database.name
        with psycopg.connect(address, autocommit=True) as rows:
            rows.execute("UPDATE world SET randomnumber = 0 WHERE id <= 7")
        assert beside.database.number(world.CHANGED) == 7
        beside.reset()
        assert beside.database.number(world.CHANGED) == 0
    assert names(postgresql) == before
    assert not postgresql.sql("SELECT 1 FROM pg_extension WHERE extname LIKE 'pg_stat%'")
    assert "its queries are not counted, because it has no pg_stat_statements" in said[0]


def test_a_password_of_the_user_does_not_reach_the_list_of_processes(
    url: str, tmp_path: Path
) -> None:
    study = parse_study(STUDY, tmp_path / "rows.toml")
    server = server_from_command("mine", "app {database_url}", cwd=tmp_path)
    with database_of(study, None, tmp_path, print) as (_, beside):
        assert beside is not None
        with pytest.raises(UsageError, match="reads DATABASE_URL from its environment"):
            beside.serving(Installation(server, tmp_path, "", tmp_path / "log"))


def test_a_run_on_several_machines_refuses_a_database(tmp_path: Path) -> None:
    class Several(ThisMachine):
        machines = (MachineRow(name="a", roles=["server"], address="", facts=[]),)

    study = parse_study(STUDY, tmp_path / "rows.toml")
    with (
        pytest.raises(UsageError, match="is for servers on this machine"),
        database_of(study, Several([0]), tmp_path, print),
    ):
        raise AssertionError


def test_a_variable_of_the_url_has_to_be_set(tmp_path: Path) -> None:
    study = parse_study(STUDY.replace("DB_URL", "NO_SUCH_URL"), tmp_path / "rows.toml")
    with (
        pytest.raises(UsageError, match=r"NO_SUCH_URL.* is not set"),
        database_of(study, None, tmp_path, print),
    ):
        raise AssertionError


def test_a_server_that_cannot_be_reached_is_reported_without_its_password(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DB_URL", "postgres://bench:hunter2@127.0.0.1:1/postgres")
    study = parse_study(STUDY, tmp_path / "rows.toml")
    with (
        pytest.raises(EnvironmentFault, match="cannot be reached") as raised,
        database_of(study, None, tmp_path, print),
    ):
        raise AssertionError
    assert "PostgreSQL at `127.0.0.1:1` cannot be reached" in str(raised.value)
    assert "hunter2" not in str(raised.value)


@pytest.mark.parametrize(
    ("url", "other"),
    [
        ("postgres://a:b@c:5/d?sslmode=require", "postgres://a:b@c:5/e?sslmode=require"),
        ("postgresql://c", "postgresql://c/e"),
        ("postgresql:///d?host=/run/pg", "postgresql:///e?host=/run/pg"),
    ],
)
def test_the_url_of_another_database_is_that_of_the_same_server(url: str, other: str) -> None:
    assert with_database(url, "e") == other


@pytest.mark.parametrize(
    ("url", "variables"),
    [
        ("postgres://a%40b:c%2Fd@e:5/f?sslmode=require", ("e", "5", "a@b", "c/d", "f")),
        ("postgresql://[::1]/f", ("::1", "5432", None, None, "f")),
        ("postgresql:///f?host=/run/pg", (None, "5432", None, None, "f")),
    ],
)
def test_drivers_without_urls_find_its_parts_in_variables(
    url: str, variables: tuple[str | None, ...]
) -> None:
    names = ("PGHOST", "PGPORT", "PGUSER", "PGPASSWORD", "PGDATABASE")
    expected = dict(zip(names, variables, strict=True))
    assert libpq_variables(url) == {name: value for name, value in expected.items() if value}
