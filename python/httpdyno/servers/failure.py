"""What a server did wrong, with the log that shows it."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from httpdyno.errors import TargetError

Stage = Literal["install", "build", "start", "stop"]


class ServerFailure(TargetError):  # noqa: N818 - named as its sisters in errors.py
    """A server that failed to install, build, start or stop. `log` holds all that it said."""

    def __init__(self, message: str, *, stage: Stage, log: Path, hint: str | None = None) -> None:
        super().__init__(message, hint=hint or f"its log: `{log}`")
        self.stage = stage
        self.log = log


def last_words(log: Path, lines: int = 1) -> str:
    """The last non-empty lines of a log, in one line. Reads at most 8 KiB."""
    try:
        with log.open("rb") as file:
            file.seek(max(log.stat().st_size - 8192, 0))
            said = file.read().decode(errors="replace").splitlines()
    except OSError:
        return "(its log is empty)"
    kept = [line.strip() for line in said if line.strip()]
    return " / ".join(kept[-lines:]) if kept else "(its log is empty)"
