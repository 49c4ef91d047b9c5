"""Numbers and counts in the words of the checks."""

from __future__ import annotations

Words = dict[str, str]
"""The values of a rule's text, by the names in its braces."""


def at_most(share: float) -> str:
    """A limit as it was declared: `1 %`, not `1.00 %`."""
    return f"{share * 100:.4g} %"
