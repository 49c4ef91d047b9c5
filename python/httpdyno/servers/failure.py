"""The failure of a server, and the lines of its log that explain it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Literal

from httpdyno.errors import TargetError
from httpdyno.output.echo import is_github
from httpdyno.output.printable import printable

_ERROR = re.compile(r"\berror\b|^E: |^fatal: ", re.IGNORECASE)
_SAYS_NOTHING = re.compile(r"npm (error|ERR!)( (code|errno|syscall|path|command) .*)?")
"""Lines of npm before the one that says what is wrong."""
_LONGEST = 300

Stage = Literal["install", "build", "start", "stop"]


class ServerFailure(TargetError):  # noqa: N818 - named as its sisters in errors.py
    """A server that failed to install, build, start or stop. `log` holds its whole output."""

    log: Path

    def __init__(self, message: str, *, stage: Stage, log: Path, hint: str | None = None) -> None:
        super().__init__(message, hint=hint or f"its log: `{log}`", log=log)
        self.stage = stage


def quote_log(words: str) -> str:
    """Words of a log as a message quotes them.

    A job of GitHub sends its messages to its summary and to comments, where GitHub masks no secret.
    So they quote nothing there: `shown_end` is in the log of the job, where it does.
    """
    return "(see the log of this job)" if is_github() else words


def shown_end(log: Path, lines: int = 50) -> str:
    """The last lines of a log, to print."""
    return "\n".join(_tail(log)[-lines:]) or "(it is empty)"


def last_words(log: Path, lines: int = 1) -> str:
    """The last non-empty lines of a log, joined into one. Reads at most 8 KiB."""
    kept = _tail(log)
    return " / ".join(kept[-lines:]) if kept else "(its log is empty)"


def first_error(log: Path) -> str:
    """The first line about an error near the log's end, and the next line, which often says more;
    the last line when none is about an error."""
    kept = [line for line in _tail(log) if not _SAYS_NOTHING.fullmatch(line)]
    at = next((place for place, line in enumerate(kept) if _ERROR.search(line)), None)
    if at is None:
        return last_words(log)
    text = " / ".join(kept[at : at + 2])
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def _tail(log: Path) -> list[str]:
    """The non-empty lines of a log's last 8 KiB, without the commands that were run."""
    try:
        with log.open("rb") as file:
            file.seek(max(log.stat().st_size - 8192, 0))
            lines = file.read().decode(errors="replace").splitlines()
    except OSError:
        return []
    shown = (printable(line.strip()) for line in lines if not line.startswith("$ "))
    return [line for line in shown if line]
