"""The values of an event, of the expected types: a journal may be of another version."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

MOST = 1e300
"""Greater numbers are none that was measured."""


class Values:
    """Reads the values of an event."""

    def __init__(self, event: Mapping[str, Any]) -> None:
        self._event = event

    def text(self, name: str) -> str:
        """A text; empty without it."""
        value = self._event.get(name)
        return value if isinstance(value, str) else ""

    def number(self, name: str) -> float | None:
        """A number; None without it."""
        value = self._event.get(name)
        return float(value) if is_number(value) else None  # type: ignore[arg-type]

    def whole(self, name: str) -> int:
        """A whole number; 0 without it."""
        return int(self.number(name) or 0)

    def texts(self, name: str) -> list[str]:
        """A list of texts."""
        value = self._event.get(name)
        return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []

    def wholes(self, name: str) -> list[int]:
        """A list of whole numbers."""
        value = self._event.get(name)
        return [int(one) for one in value if is_number(one)] if isinstance(value, list) else []

    def counts(self, name: str) -> dict[str, int]:
        """Numbers by name."""
        value = self._event.get(name)
        given = value.items() if isinstance(value, dict) else ()
        return {str(key): one for key, one in given if isinstance(one, int)}

    def inner(self, name: str) -> Values | None:
        """The values of an object; None without it."""
        value = self._event.get(name)
        return Values(value) if isinstance(value, dict) else None

    def rows(self, name: str) -> list[list[Any]]:
        """A list of lists."""
        value = self._event.get(name)
        return [one for one in value if isinstance(one, list)] if isinstance(value, list) else []


def is_number(value: object) -> bool:
    """True for a number that can be computed with."""
    return isinstance(value, int | float) and -MOST < value < MOST
