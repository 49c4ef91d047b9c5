"""A file that the user names, with a part of it behind a colon: `mine/server.toml:threads`."""

from __future__ import annotations

import re
from collections.abc import Collection
from pathlib import Path

from httpdyno.errors import UsageError

_SLASHED = re.compile(r"(.+\.toml)/([^/]+)")


def path_and_part(given: str, endings: Collection[str]) -> tuple[Path, str | None] | None:
    """The path in `PATH` or `PATH:PART`, and the part; a path that exists as it is has none.

    None: `given` has none of these endings before the colon, and does not exist. Raises UsageError
    for a deployment behind a slash.
    """
    path = Path(given).expanduser()
    if path.exists():
        return path, None
    slashed = _SLASHED.fullmatch(given)
    if slashed is not None and Path(slashed[1]).expanduser().is_file():
        raise UsageError(
            f"`{given}` does not exist: expected a colon before the deployment",
            hint=f"did you mean `{slashed[1]}:{slashed[2]}`?",
        )
    before, colon, part = given.partition(":")
    path = Path(before).expanduser()
    if path.suffix not in endings:
        return None
    if colon and not part:
        raise UsageError(f"`{given}`: expected a name after the colon, or none")
    return path, part or None
