"""Every error that a user can meet, by whose fault it is, with its exit code.

    HttpdynoError                 any error that is reported in a sentence
    ├── UsageError         2      the request: a wrong flag, file, name or study
    ├── TargetError        3      the server: refused, unresolved, failed to start, wrong answer
    ├── EnvironmentFault   4      this machine: permission, disk, port taken, tool missing, kernel
    │   └── NodeFault      4      another machine of the cluster: lost, late, stopped
    └── InternalFault     70      a bug in httpdyno

Verdicts and thresholds are results, not errors; they have exit codes of their own (`ExitCode`).
"""

from __future__ import annotations

from enum import IntEnum
from pathlib import Path
from typing import ClassVar


class ExitCode(IntEnum):
    """The exit code of the `httpdyno` process."""

    meaning: str

    def __new__(cls, code: int, meaning: str = "") -> ExitCode:
        """`meaning`: in the reference of the docs."""
        one = int.__new__(cls, code)
        one._value_, one.meaning = code, meaning
        return one

    OK = 0, "done"
    USAGE = 2, "a wrong flag, file, name or study"
    TARGET = 3, "the server: refused, not resolved, failed to start, wrong answer"
    ENVIRONMENT = 4, "this machine: permission, disk, port taken, tool missing, kernel"
    THRESHOLD_FAILED = 5, "a `--fail-if` threshold failed"
    INVALID = 6, "the measurement is invalid: no result"
    REGRESSION = 8, "`compare`, `ci`: B is worse than A by more than the margin"
    CANNOT_TELL = 9, "`compare`: an interval reaches over its margin, or a result is missing"
    INTERNAL = 70, "a bug in httpdyno"
    INTERRUPTED = 130, "stopped by Ctrl-C, SIGTERM or SIGHUP; what was measured is kept"


class HttpdynoError(Exception):
    """An error in one sentence, with what to do about it.

    `message` says what was given and what was expected, its subject in backticks; `hint` says
    what to do.
    """

    exit_code: ClassVar[ExitCode] = ExitCode.INTERNAL

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return self.message if self.hint is None else f"{self.message}\nhint: {self.hint}"


class UsageError(HttpdynoError):
    """The request is wrong: a flag, a file, a name or a study."""

    exit_code = ExitCode.USAGE


class TargetError(HttpdynoError):
    """The server under test cannot be reached or started, or answers wrongly."""

    exit_code = ExitCode.TARGET

    def __init__(self, message: str, *, hint: str | None = None, log: Path | None = None) -> None:
        super().__init__(message, hint=hint)
        self.log = log
        """The output of the server or of its build."""


class EnvironmentFault(HttpdynoError):  # noqa: N818 - whose fault it is, is the name
    """This machine prevents it: permission, disk, port, tool, kernel."""

    exit_code = ExitCode.ENVIRONMENT


class NodeFault(EnvironmentFault):
    """A machine of the cluster: lost, late, stopped, or with a clock that does not fit."""

    def __init__(self, node: str, reason: str, *, hint: str | None = None) -> None:
        super().__init__(f"`{node}`: {reason}", hint=hint)
        self.node = node
        self.reason = reason


class InternalFault(HttpdynoError):  # noqa: N818 - likewise
    """A bug in httpdyno."""

    exit_code = ExitCode.INTERNAL
