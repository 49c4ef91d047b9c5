"""`[services.NAME]` of a study: its keys, and faults that repeat no password."""

from __future__ import annotations

from pathlib import Path

import pytest
from httpdyno.errors import UsageError
from httpdyno.study import Study
from httpdyno.study.read import parse_study
from httpdyno.study.write import toml_of

HEAD = """\
title = "Rows"
[[arms]]
server = "go"
deployments = ["1-core"]
[loads.full]
kind = "closed"
connections = 4
duration = "1s"
"""
URL = "postgres://bench:${DB_PASSWORD}@db.example:5432/postgres"


def read(table: str) -> Study:
    return parse_study(HEAD + table, Path("rows.toml"))


def test_a_service_is_a_postgresql_with_tables() -> None:
    service = read('[services.db]\nkind = "postgres"\nschema = "world"\ncores = 2\n').services["db"]
    assert (service.kind, service.schema_, service.cores) == ("postgres", "world", 2)


def test_a_service_may_be_a_server_that_runs_already() -> None:
    table = f'[services.db]\nkind = "postgres"\nurl = "{URL}"\nsetup = "mine.sql"\n'
    study = read(table)
    assert study.services["db"].url == URL
    assert URL in study.text


@pytest.mark.parametrize(
    ("table", "fault"),
    [
        ('kind = "mysql"\nschema = "world"', '`kind` is `"mysql"`: expected "postgres"'),
        ('kind = "postgres"\nschemas = "world"', "did you mean `schema`?"),
        ('kind = "postgres"', "[services.db] needs either `schema`"),
        ('kind = "postgres"\nschema = "world"\nsetup = "a.sql"', "needs either `schema`"),
        (
            f'kind = "postgres"\nschema = "world"\nurl = "{URL}"\ncores = 2',
            "`cores` and `url` exclude each other",
        ),
        (
            'kind = "postgres"\nschema = "world"\nurl = "http://127.0.0.1"',
            "`url` is not that of a PostgreSQL",
        ),
        (
            'kind = "postgres"\nschema = "world"\n[services.other]\nkind = "postgres"',
            "a study has one database",
        ),
        ('kind = "postgres"\nschema = "world"\ncores = 0', "`cores` is `0`: expected a whole"),
    ],
)
def test_a_fault_of_a_service_has_its_line(table: str, fault: str) -> None:
    with pytest.raises(UsageError) as raised:
        read(f"[services.db]\n{table}\n")
    assert fault in raised.value.message
    assert "rows.toml:" in raised.value.message


def test_a_password_in_a_url_is_refused_and_not_repeated() -> None:
    url = URL.replace("${DB_PASSWORD}", "hunter2")
    with pytest.raises(UsageError) as raised:
        read(f'[services.db]\nkind = "postgres"\nschema = "world"\nurl = "{url}"\n')
    assert "`url` has a password" in raised.value.message
    assert "hunter2" not in raised.value.message


def test_a_study_with_a_service_is_written_as_it_was_read() -> None:
    study = read('[services.db]\nkind = "postgres"\nschema = "world"\n')
    values = study.model_dump(mode="json", exclude_defaults=True, exclude={"text", "name", "file"})
    again = parse_study(toml_of(values), Path("rows.toml"))
    assert again.services == study.services
