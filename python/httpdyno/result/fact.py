"""A fact about a machine."""

from __future__ import annotations

from httpdyno.value import Value


class Fact(Value):
    """One fact about the machine."""

    label: str
    value: str
    doubt: str | None = None
    """The effect of this fact on the numbers, and what to do; None: it has none."""
