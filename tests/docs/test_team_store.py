"""The guide to a team's database: its commands work against a real PostgreSQL."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from httpdyno.store import open_store
from httpdyno.store.place import settings_file
from postgresql_server import PostgreSQL
from stored_runs import nights, store_in, study

ROOT = Path(__file__).parents[2]
GUIDE = (ROOT / "docs" / "guides" / "team-store.md").read_text(encoding="utf-8")
URL = "postgresql://httpdyno@db/bench"
GUARDED = "guarded"
"""A database that demands a password, and its owner."""
OWN = "~/.local/share/httpdyno/results.sqlite"


def lines(language: str) -> list[str]:
    blocks = re.findall(rf"```{language}\n(.*?)```", GUIDE, re.DOTALL)
    return [line for block in blocks for line in block.splitlines()]


@pytest.fixture
def url(postgresql: PostgreSQL) -> str:
    """The URL of a database that the guide's own command creates."""
    name = postgresql.new_database()
    postgresql.sql(f"DROP DATABASE {name}")
    _, created = as_administrator()
    administer(postgresql, created.replace(" bench", f" {name}"))
    return postgresql.url(name)


def as_administrator() -> list[str]:
    """The lines that create the role and the database."""
    return [line for line in lines("bash") if line.startswith("sudo -u postgres ")]


def administer(postgresql: PostgreSQL, line: str, typed: str = "") -> None:
    """Run a line of the database's administrator, who types this when asked."""
    program, *words = shlex.split(line.removeprefix("sudo -u postgres "))
    server = ["-h", str(postgresql.folder), "-U", "postgres"]
    subprocess.run(
        [str(postgresql.programs / program), *server, *words],
        input=typed,
        text=True,
        check=True,
        capture_output=True,
        start_new_session=True,  # a program without a terminal reads a password from stdin
    )


def test_the_role_that_it_creates_connects_with_the_password_of_its_password_file(
    postgresql: PostgreSQL, tmp_path: Path
) -> None:
    psycopg = pytest.importorskip("psycopg")
    url = postgresql.url(GUARDED, GUARDED)
    role, database = (
        line.replace("httpdyno", GUARDED).replace("bench", GUARDED) for line in as_administrator()
    )
    administer(postgresql, role, "THE_PASSWORD\n" * 2)
    administer(postgresql, database)
    with pytest.raises(psycopg.OperationalError, match="password"):
        postgresql.sql("SELECT 1", GUARDED, GUARDED)

    (block,) = (one for one in re.findall(r"```bash\n(.*?)```", GUIDE, re.DOTALL) if "chmod" in one)
    typed = block.replace(URL, f"'{url}'").replace(".venv/bin/python -m pip install ", "true ")
    typed = typed.replace(
        "db:5432:bench:httpdyno:", f"{postgresql.folder}:5432:{GUARDED}:{GUARDED}:"
    )
    own = {"HOME": str(tmp_path), "PYTHONPATH": str(ROOT / "python"), "PROGRAM": sys.executable}
    program = 'httpdyno() { "$PROGRAM" -m httpdyno "$@"; }\n'
    done = subprocess.run(
        ["bash", "-e", "-c", program + typed],
        env={**os.environ, **own},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert postgresql.sql("SELECT count(*) FROM runs", GUARDED, "postgres") == [(0,)]


def test_its_commands_copy_list_follow_and_report_runs(
    postgresql: PostgreSQL, url: str, tmp_path: Path
) -> None:
    own = {f"HTTPDYNO_{name}": str(tmp_path / "own") for name in ("DATA", "STATE", "CACHE")}
    environment = {**os.environ, **own, "PYTHONPATH": str(ROOT / "python")}
    nights(
        store_in(tmp_path / "own"),
        study(tmp_path, name="demo"),
        [4000, 4010, 4005, 3990, 4000, 4010],
    )
    file = str(tmp_path / "own" / "results.sqlite")
    commands = [line for line in lines("bash") if line.startswith("httpdyno ")]
    commands.sort(key=lambda line: "runs copy" not in line)
    ran = 0
    for line in commands:
        words = shlex.split(line.replace(URL, url).replace(OWN, file))
        if words[1] == "run":  # measured in end_to_end/test_postgresql.py
            continue
        done = subprocess.run(
            [sys.executable, "-m", *words],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, (line, done.stderr)
        assert done.stdout
        ran += 1
    assert ran >= 5
    assert (tmp_path / "demo-report" / "report.html").is_file()


def test_the_role_of_the_guide_can_read_and_nothing_else(postgresql: PostgreSQL, url: str) -> None:
    open_store(url)
    database = url.partition("@/")[2].partition("?")[0]
    for statement in " ".join(lines("sql")).replace("reader", f"only_{database}").split(";"):
        if statement.strip():
            postgresql.sql(statement, database)
    assert open_store(postgresql.url(database, f"only_{database}")).studies() == []


def test_the_settings_of_the_guide_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from httpdyno.store.place import default_url

    monkeypatch.setenv("HTTPDYNO_CONFIG", str(tmp_path))
    shown = re.search(r"settings file, `~/.config/httpdyno/(.+?)` \| `(.+?)`", GUIDE)
    assert shown is not None
    assert settings_file().name == shown[1]
    settings_file().write_text(shown[2])
    assert default_url() == URL
