"""The folders of servers on this machine, each of which an environment variable can move."""

from __future__ import annotations

import os
from pathlib import Path

import platformdirs


def cache_folder() -> Path:
    """The folder of installed servers and their logs. `HTTPDYNO_CACHE` moves it."""
    return _place("HTTPDYNO_CACHE", platformdirs.user_cache_path("httpdyno"))


def state_folder() -> Path:
    """The folder of what runs and servers leave for later ones. `HTTPDYNO_STATE` moves it."""
    return _place("HTTPDYNO_STATE", platformdirs.user_state_path("httpdyno"))


def records_folder() -> Path:
    """The folder of the records of running servers, one small file each."""
    return state_folder() / "running"


def _place(variable: str, default: Path) -> Path:
    given = os.environ.get(variable)
    return Path(given).expanduser().resolve() if given else default
