"""The folders of servers on this machine, each of which an environment variable can move."""

from __future__ import annotations

from pathlib import Path

import platformdirs

from httpdyno.output.places import place, state_folder

__all__ = ["cache_folder", "records_folder", "state_folder"]


def cache_folder() -> Path:
    """The folder of installed servers and their logs. `HTTPDYNO_CACHE` moves it."""
    return place("HTTPDYNO_CACHE", lambda: platformdirs.user_cache_path("httpdyno"))


def records_folder() -> Path:
    """The folder of the records of running servers, one small file each."""
    return state_folder() / "running"
