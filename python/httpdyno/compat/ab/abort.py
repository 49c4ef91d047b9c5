"""Tests that ab gives up: the error that ends them, ab's message and its exit code."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from httpdyno.call_log import ERRORS
from httpdyno.compat.ab.options import Options
from httpdyno.compat.ab.results import CONNECTING

if TYPE_CHECKING:
    from httpdyno.call_log import CallLog
    from httpdyno.engine import Progress

__all__ = ["Abort", "find_abort", "gives_up"]

_EXPIRED = 70007
"""APR's number of a timeout."""
_RECEIVING, _OPENING, _POLLING = "apr_socket_recv", "socket", "apr_pollset_poll"
_FATAL = {
    "refused": (_RECEIVING, 111),
    "reset": (_RECEIVING, 104),
    "socket_timeout": (_RECEIVING, 110),
    "unreachable": (_RECEIVING, 113),
    "other": (_RECEIVING, 5),
    "descriptors": (_OPENING, 24),
    "file_table": (_OPENING, 23),
    "connect_timeout": (_POLLING, _EXPIRED),
    "first_byte_timeout": (_POLLING, _EXPIRED),
    "reply_timeout": (_POLLING, _EXPIRED),
}
"""Without `-r`, the first of these errors ends the test: where it occurred, and its number."""
_IN_A_ROW = 10
"""More connections than these that fail one after the other end every test."""


@dataclass(frozen=True)
class Abort:
    """The end of a test without a report."""

    message: str
    number: int
    done: int = 0
    """Requests completed before."""

    @property
    def exit_code(self) -> int:
        """The number as the exit code of a process."""
        return self.number & 0xFF


def gives_up(options: Options, now: Progress, answered_before: Progress | None) -> bool:
    """True if the errors so far end the test. `answered_before`: when the last reply came."""
    if not options.goes_on and any(name in _FATAL for name in now.errors):
        return True
    before = answered_before.errors if answered_before is not None else {}
    failed = sum(now.errors.get(name, 0) - before.get(name, 0) for name in CONNECTING)
    return failed > _IN_A_ROW


def find_abort(options: Options, calls: CallLog) -> Abort | None:
    """The error that ended the test, from its call log; None: it ended well."""
    errors = calls["error"]
    if not any(errors):
        return None
    names = ("", *ERRORS)
    in_a_row, failed_often = 0, None
    for done, code in enumerate(errors):
        if not options.goes_on and names[code] in _FATAL:
            return _receive_abort(names[code], done)
        in_a_row = in_a_row + 1 if names[code] in CONNECTING else 0
        if in_a_row > _IN_A_ROW and failed_often is None:
            failed_often = _connect_abort(names[code], done)
    return failed_often


def _receive_abort(name: str, done: int) -> Abort:
    where, number = _FATAL[name]
    return Abort(f"{where}: {_words(number)} ({number})", number, done)


def _connect_abort(name: str, done: int) -> Abort:
    if name == "tls":
        return Abort("SSL handshake failed (1).", 1, done)
    number = 99 if name == "addresses" else _FATAL[name][1]
    message = f"\nTest aborted after {_IN_A_ROW} failures\n\n"
    return Abort(f"{message}apr_socket_connect(): {_words(number)} ({number})", number, done)


def _words(number: int) -> str:
    return "The timeout specified has expired" if number == _EXPIRED else os.strerror(number)
