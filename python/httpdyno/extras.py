"""Optional parts of httpdyno: the command that installs what one of them needs."""

from __future__ import annotations

import re
import shlex
import sys
from importlib import metadata

__all__ = ["install_command"]

_OF_EXTRA = re.compile(r"(.+?)\s*;\s*extra == ['\"](.+)['\"]")


def install_command(extra: str) -> str:
    """The command that installs the packages of an extra, such as `scale`, for this Python.

    It names the packages, since no package index has httpdyno itself.
    """
    found = map(_OF_EXTRA.fullmatch, metadata.requires("httpdyno") or ())
    packages = [one[1] for one in found if one is not None and one[2] == extra]
    return shlex.join([sys.executable, "-m", "pip", "install", *packages])
