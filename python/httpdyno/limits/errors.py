"""The classes of errors that limits and thresholds name: `errors`, `timeouts`, `status_5xx`.

An error is a call that got no right reply: a wrong status, a wrong body, no complete reply, or
none before the run ended. The share of a class is that of all calls that ended or were given up.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from httpdyno.call_log import ERRORS

if TYPE_CHECKING:
    from httpdyno.measurement import Endpoint, Measurement

__all__ = ["CLASSES", "STATUSES", "TIMEOUTS", "error_count", "error_share", "is_error_class"]

TIMEOUTS = frozenset({"connect_timeout", "first_byte_timeout", "reply_timeout", "socket_timeout"})
"""The engine's classes of calls that took too long."""
_WITHOUT_REPLY = tuple(name for name in ERRORS if name != "in_flight")
_STATUS = re.compile(r"status_([1-9])(\d\d|xx)")
STATUSES = "`status_503` or `status_5xx`"
CLASSES: dict[str, Callable[[Measurement | Endpoint], int]] = {
    "errors": lambda m: m.calls.failed + m.calls.in_flight,
    "wrong_status": lambda m: m.calls.wrong_status,
    "wrong_body": lambda m: m.calls.wrong_body,
    "timeouts": lambda m: sum(m.calls.errors.get(name, 0) for name in TIMEOUTS),
    "unanswered": lambda m: m.calls.in_flight,
}
"""The classes that are no status and none of the engine's, which count by their own names."""


def is_error_class(name: str) -> bool:
    """True for `errors` and for each class of them."""
    return name in CLASSES or name in _WITHOUT_REPLY or _STATUS.fullmatch(name) is not None


def error_count(name: str, m: Measurement | Endpoint) -> int:
    """The calls of a class."""
    if name in CLASSES:
        return CLASSES[name](m)
    if _STATUS.fullmatch(name):
        return sum(m.statuses.get(status, 0) for status in statuses_of(name, m))
    return m.calls.errors.get(name, 0)


def error_share(name: str, m: Measurement | Endpoint) -> float:
    """The share of a class in the calls that ended or were given up, 0 to 1."""
    total = m.calls.ended + m.calls.in_flight
    return error_count(name, m) / total if total else 0.0


def statuses_of(name: str, m: Measurement | Endpoint) -> set[str]:
    """The statuses of a class that were seen; none for a class of another kind."""
    found = _STATUS.fullmatch(name)
    if found is None:
        return set()
    return {one for one in m.statuses if one[:1] == found[1] and found[2] in ("xx", one[1:])}
