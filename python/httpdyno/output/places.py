"""Paths as this user types them, and folders that an environment variable can move."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable
from pathlib import Path

__all__ = ["expanded", "place", "quoted_path", "state_folder"]


def state_folder() -> Path:
    """The folder of what runs and servers leave for later ones. `HTTPDYNO_STATE` moves it."""
    return place("HTTPDYNO_STATE", _default_state)


def place(variable: str, default: Callable[[], Path]) -> Path:
    """The folder that an environment variable names, or the default."""
    given = os.environ.get(variable)
    return expanded(given).resolve() if given else default()


def expanded(given: str | Path) -> Path:
    """The path, with a home in place of `~` or `~name`; one that has no home stays as it is."""
    return Path(os.path.expanduser(given))  # noqa: PTH111 - that of Path raises RuntimeError


def quoted_path(path: str | Path) -> str:
    """The path as it is typed in a shell: neither a flag nor a home, and one word."""
    text = str(path)
    return shlex.quote(f"./{text}" if text.startswith(("-", "~")) else text)


def _default_state() -> Path:
    import platformdirs  # noqa: PLC0415 - on first use

    return platformdirs.user_state_path("httpdyno")
