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
OWN = "~/.local/share/httpdyno/results.sqlite"


def lines(language: str) -> list[str]:
    blocks = re.findall(rf"```{language}\n(.*?)```", GUIDE, re.DOTALL)
    return [line for block in blocks for line in block.splitlines()]


@pytest.fixture
def url(postgresql: PostgreSQL) -> str:
    """The URL of a database that the guide's own command creates."""
    name = postgresql.new_database()
    postgresql.sql(f"DROP DATABASE {name}")
    created = next(line for line in lines("bash") if " createdb " in line)
    words = shlex.split(created.replace(" bench", f" {name}").removeprefix("sudo -u postgres "))
    assert words[0] == "createdb"
    server = ["-h", str(postgresql.folder), "-U", "postgres"]
    program = str(postgresql.programs / words[0])
    subprocess.run([program, *server, *words[1:]], check=True, capture_output=True)
    return postgresql.url(name)


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
