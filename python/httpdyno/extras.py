"""Optional parts of httpdyno: the command that installs what one of them needs."""

from __future__ import annotations

import re
import shlex
import sys
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path

__all__ = ["install_command"]

_OF_EXTRA = re.compile(r"(.+?)\s*;\s*extra == ['\"](.+)['\"]")


def install_command(extra: str) -> str:
    """The command that installs the packages of an extra, such as `scale`, for this Python.

    It names the packages: httpdyno itself may be from a file. An environment without pip is one of
    uv, or that of the Debian package, which nothing can be added to.
    """
    found = map(_OF_EXTRA.fullmatch, metadata.requires("httpdyno") or ())
    packages = [one[1] for one in found if one is not None and one[2] == extra]
    if _is_of_uv():
        return shlex.join(["uv", "pip", "install", "--python", sys.executable, *packages])
    if find_spec("pip") is None:
        return shlex.join(["uv", "tool", "install", f"httpdyno[{extra}]"])
    return shlex.join([sys.executable, "-m", "pip", "install", *packages])


def _is_of_uv() -> bool:
    """True if uv has made this environment: `uv venv`, `uv tool install` or `uvx`."""
    settings = Path(sys.prefix) / "pyvenv.cfg"
    return settings.is_file() and re.search(r"^uv = ", settings.read_text(), re.M) is not None
