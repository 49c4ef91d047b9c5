"""stdout and stderr that never end a verb: what cannot be written costs the text, not the work.

When the reader of a pipe has gone, the disk is full or the descriptor is closed, the rest of the
output is dropped and the verb goes on to its files and its exit code. A character that the stream's
encoding does not have is written in ASCII.
"""

from __future__ import annotations

import codecs
import errno
import io
import os
import sys
from typing import TYPE_CHECKING

from httpdyno.cli.faults import show
from httpdyno.errors import EnvironmentFault

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

__all__ = ["Outlet", "finish", "install"]

_ASCII = {"µ": "u", "→": "->", "–": "-", "×": "x", "±": "+-", "≥": ">=", "≤": "<=", "…": "..."}
_ASCII |= {"╵": "'", "│": "|", "└": "+", "✓": "v", "✕": "x"}
_ASCII |= {"·": "-", "━": "=", "─": "-", "═": "="} | dict(zip("▁▂▃▄▅▆▇█", "..::-=+#", strict=True))


class Outlet(io.RawIOBase):
    """A descriptor that takes everything, and remembers its first failure."""

    def __init__(self, descriptor: int) -> None:
        super().__init__()
        self._descriptor = descriptor
        self.failure: OSError | None = None

    def write(self, data: ReadableBuffer) -> int:
        """Write what can be written; report all of it as written."""
        rest = memoryview(data).cast("B")
        size = len(rest)
        try:
            while rest and self.failure is None:
                rest = rest[os.write(self._descriptor, rest) :]
        except OSError as failure:
            self.failure = failure
        return size

    def writable(self) -> bool:
        """True: it can be written to."""
        return True

    def fileno(self) -> int:
        """Return the descriptor."""
        return self._descriptor

    def isatty(self) -> bool:
        """True if it is a terminal."""
        return os.isatty(self._descriptor)


def install() -> Outlet:
    """Put an outlet behind `sys.stdout`, which is returned, and one behind `sys.stderr`."""
    _occupy_closed_descriptors()
    codecs.register_error("ascii-equivalent", _ascii_equivalent)
    stdout = Outlet(1)
    sys.stdout = _text(stdout, sys.stdout, lines=stdout.isatty())
    sys.stderr = _text(Outlet(2), sys.stderr, lines=True)
    return stdout


def finish(stdout: Outlet, code: int) -> int:
    """Flush stdout; the exit code, which a failure to write changes only if all else went well.

    A reader that closed the pipe has read enough: that is no failure.
    """
    sys.stdout.flush()
    failure = stdout.failure
    if failure is None or failure.errno == errno.EPIPE:
        return code
    unwritten = show(EnvironmentFault(f"stdout could not be written: {failure.strerror}"))
    return code or unwritten


def _text(outlet: Outlet, before: object, *, lines: bool) -> io.TextIOWrapper:
    encoding = getattr(before, "encoding", None) or "utf-8"
    return io.TextIOWrapper(
        io.BufferedWriter(outlet), encoding, "ascii-equivalent", line_buffering=lines
    )


def _occupy_closed_descriptors() -> None:
    """Let no file that is opened later become stdin, stdout or stderr; writing to them fails."""
    for descriptor in (0, 1, 2):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDONLY)  # the lowest free number, which is this one


def _ascii_equivalent(error: UnicodeError) -> tuple[str | bytes, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    equivalent = _ASCII.get(error.object[error.start])
    if equivalent is None:
        return codecs.backslashreplace_errors(error)
    return equivalent, error.start + 1
