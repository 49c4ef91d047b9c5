"""The project that a study belongs to: files of the same name in two projects are two studies."""

from __future__ import annotations

import hashlib
import socket
from contextlib import suppress
from pathlib import Path

from httpdyno.errors import EnvironmentFault
from httpdyno.servers.git import project_of
from httpdyno.store import Home
from httpdyno.study.read import folder_of


def home_of(folder: str) -> Home:
    """The home of the studies in a folder; empty for those that are built in.

    In a git repository, the project is the repository and the path in it, so it is the same in each
    clone. Elsewhere it is the folder on this machine.
    """
    if not folder:
        return Home("", "")
    found = _in_repository(folder)
    parts = ("folder", socket.gethostname(), folder) if found is None else ("git", *found)
    text = "\0".join(parts)
    return Home(hashlib.sha256(text.encode(errors="surrogateescape")).hexdigest(), folder)


def _in_repository(folder: str) -> tuple[str, str] | None:
    with suppress(EnvironmentFault):  # no git: then no repository is known
        return project_of(Path(folder)) if Path(folder).is_dir() else None
    return None


def home_of_file(file: Path) -> Home:
    """The home of the study in a file, which need not exist."""
    return home_of(folder_of(file))
