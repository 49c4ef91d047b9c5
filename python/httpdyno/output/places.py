"""Folders of this user on this machine, each of which an environment variable can move."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

__all__ = ["place", "state_folder"]


def state_folder() -> Path:
    """The folder of what runs and servers leave for later ones. `HTTPDYNO_STATE` moves it."""
    return place("HTTPDYNO_STATE", _default_state)


def place(variable: str, default: Callable[[], Path]) -> Path:
    """The folder that an environment variable names, or the default."""
    given = os.environ.get(variable)
    return Path(given).expanduser().resolve() if given else default()


def _default_state() -> Path:
    import platformdirs  # noqa: PLC0415 - on first use

    return platformdirs.user_state_path("httpdyno")
