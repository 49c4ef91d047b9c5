"""Counts of calls: those that fell due, and how those that were sent ended."""

from __future__ import annotations

from httpdyno.value import Value


class _Due(Value):
    due: int
    """Calls that fell due in the window."""
    sent: int
    """Calls that the engine began: connecting or sending on their behalf."""
    unsent: int
    """Calls that never began: no connection was free before the stop, or their session failed, or
    was still under way at the stop."""
    waited: int
    """Calls that found no connection free when due (their waiting is in the response time)."""


class _Ends(Value):
    ok: int
    wrong_status: int
    wrong_body: int
    errors: dict[str, int]
    """Count by error class, only classes that occurred."""
    in_flight: int
    """Calls still unanswered when the drain ended, or when their session ended without them."""

    @property
    def failed(self) -> int:
        """Calls that ended in anything but ok."""
        return self.wrong_status + self.wrong_body + sum(self.errors.values())

    @property
    def ended(self) -> int:
        """Calls that ended, well or badly."""
        return self.ok + self.failed


class EndpointCalls(_Ends):
    """Where every measured call of an endpoint went."""

    unsent: int
    """Calls that found no free connection before the stop. Those of sessions belong to no
    endpoint."""


class Calls(_Ends, _Due):
    """Where every call went.

    due = sent + unsent; sent = ok + wrong_status + wrong_body + errors + in_flight.
    """
