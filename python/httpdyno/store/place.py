"""The folder of results on this machine, and the database in it."""

from __future__ import annotations

import os
from pathlib import Path

import platformdirs


def data_folder() -> Path:
    """The folder of reports and of their database (default: as the platform expects).

    `HTTPDYNO_DATA` names another."""
    given = os.environ.get("HTTPDYNO_DATA")
    if given:
        return Path(given).expanduser().resolve()
    return platformdirs.user_data_path("httpdyno")


def default_url() -> str:
    """The database to use when none is named."""
    return f"sqlite:///{data_folder() / 'results.sqlite'}"
