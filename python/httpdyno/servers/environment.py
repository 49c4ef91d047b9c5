"""The environment that servers, their builds and git inherit from httpdyno."""

from __future__ import annotations

import os
import sys
from pathlib import Path

__all__ = ["inherited_environment"]

_OWN = "HTTPDYNO_"


def inherited_environment() -> dict[str, str]:
    """The environment of this process without httpdyno's own variables and programs.

    `HTTPDYNO_STORE` may contain the password of the database of results, which is no business of a
    server under test.
    """
    found = {name: value for name, value in os.environ.items() if not name.startswith(_OWN)}
    own = f"{Path(sys.prefix) / 'bin'}{os.pathsep}"
    if _is_uvx(found) and found.get("PATH", "").startswith(own):
        found["PATH"] = found["PATH"].removeprefix(own)
    return found


def _is_uvx(environment: dict[str, str]) -> bool:
    """True if `uvx` has put the programs of httpdyno's environment first on PATH.

    `python` in the command of a server would be httpdyno's own. An environment that the user
    activated, or `uv run` for the user, is in VIRTUAL_ENV.
    """
    is_own = sys.prefix not in {sys.base_prefix, environment.get("VIRTUAL_ENV")}
    return "UV" in environment and is_own
