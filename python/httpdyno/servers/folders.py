"""Where servers live on this machine; each place can be moved by an environment variable."""

from __future__ import annotations

import os
from pathlib import Path

import platformdirs


def cache_folder() -> Path:
    """Installed servers and their logs. `HTTPDYNO_CACHE` moves it."""
    return _place("HTTPDYNO_CACHE", platformdirs.user_cache_path("httpdyno"))


def state_folder() -> Path:
    """What runs and servers leave for the next ones to find. `HTTPDYNO_STATE` moves it."""
    return _place("HTTPDYNO_STATE", platformdirs.user_state_path("httpdyno"))


def records_folder() -> Path:
    """The records of running servers, one small file each."""
    return state_folder() / "running"


def _place(variable: str, default: Path) -> Path:
    given = os.environ.get(variable)
    return Path(given).expanduser().resolve() if given else default
