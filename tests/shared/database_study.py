"""A study with a database beside the server of `world_server.py`, in a place of its own."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from httpdyno.services.programs import programs
from study_place import Place

SERVER = Path(__file__).with_name("world_server.py")
DATABASE = """\
[services.db]
kind = "postgres"
schema = "world"
"""
LOAD = """\
[loads.full]
kind = "closed"
connections = 4
duration = "1s"
warm_up = "200ms"
"""


def write(
    place: Place, mode: str = "right", *, workload: str = "db", blocks: int = 1, more: str = ""
) -> None:
    """Writes `db.toml`. The programs of PostgreSQL are those of this machine's own cache."""
    installed = programs("18", print).parent.parent
    (place.home / "CACHE").mkdir(exist_ok=True)
    (place.home / "CACHE" / "services").symlink_to(installed)
    shutil.copy(SERVER, place.home)
    (place.home / "db.toml").write_text(
        f'title = "Rows"\nworkload = "{workload}"\nblocks = {blocks}\n{more or DATABASE}'
        f'[[arms]]\nname = "{mode}"\nready = "/pong"\n'
        f'start = "{sys.executable} {SERVER.name} {{port}} {mode}"\n{LOAD}',
        encoding="utf-8",
    )


def run_words(place: Place, *more: str) -> list[str]:
    """The words of the command that runs it."""
    return ["run", "db.toml", "--results", str(place.results), *more]
