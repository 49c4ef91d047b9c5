"""Patience with a database that goes away in the middle of a run and comes back."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from httpdyno.errors import EnvironmentFault
from httpdyno.units import roughly

Answer = TypeVar("Answer")

RETRY_S = 0.5
PATIENCE_S = 300.0
"""The time that a run waits for its database."""


class LostDatabaseError(EnvironmentFault):
    """The database cannot be reached; it may be back later."""


def _silent(_: str) -> None:
    """Tells nobody."""


@dataclass(frozen=True)
class Patience:
    """The longest wait for a database that cannot be reached, and who gets a note of it."""

    limit_s: float = 0.0
    say: Callable[[str], None] = _silent

    def attempts(self, work: Callable[[bool], Answer]) -> Answer:
        """The answer of `work`, which is repeated while it raises LostDatabaseError.

        Its argument is true from the second attempt on: the first may have been committed before
        the connection was lost.
        """
        lost_at: float | None = None
        while True:
            try:
                answer = work(lost_at is not None)
            except LostDatabaseError as lost:
                lost_at = self._wait(lost, lost_at)
            else:
                if lost_at is not None:
                    gone = roughly(time.monotonic() - lost_at)
                    self.say(f"the results database is back after {gone}")
                return answer

    def _wait(self, lost: LostDatabaseError, lost_at: float | None) -> float:
        """When the database was lost, after a pause. Raises the error when patience has ended."""
        if not self.limit_s:
            raise lost
        if lost_at is None:
            lost_at = time.monotonic()
            self.say(f"{lost.message}: waiting up to {roughly(self.limit_s)} for it to come back")
        if time.monotonic() - lost_at >= self.limit_s:
            waited = f"{lost.message}, and it did not come back within {roughly(self.limit_s)}"
            raise LostDatabaseError(waited, hint=lost.hint) from None
        time.sleep(min(RETRY_S, self.limit_s))
        return lost_at
