"""The marks and colours of verdicts, beside numbers and rows of text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from httpdyno.doubts.reasons import Status
from httpdyno.metrics import Number

MARKS: Mapping[str, str] = {"valid": "✓", "suspect": "?", "invalid": "✕"}
COLOURS: Mapping[str, str] = {"valid": "green", "suspect": "yellow", "invalid": "red"}


class HasStatuses(Protocol):
    """Something whose numbers have a status each."""

    def status_of(self, number: Number) -> Status:
        """The status of one of its numbers."""


def mark(judged: HasStatuses, *numbers: Number) -> str:
    """`?` where one of these numbers is suspect."""
    return MARKS["suspect"] if any(judged.status_of(one) == "suspect" for one in numbers) else ""
