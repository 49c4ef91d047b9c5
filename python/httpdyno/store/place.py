"""Where results live on this machine."""

from __future__ import annotations

import os
from pathlib import Path

import platformdirs


def data_folder() -> Path:
    """The results and their database. `HTTPDYNO_DATA` moves it."""
    given = os.environ.get("HTTPDYNO_DATA")
    if given:
        return Path(given).expanduser().resolve()
    return platformdirs.user_data_path("httpdyno")


def default_url() -> str:
    """The database that is used when none is named."""
    return f"sqlite:///{data_folder() / 'results.sqlite'}"
