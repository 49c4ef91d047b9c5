"""Numbers and counts in the words of the checks."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from httpdyno.units import percent

Words = dict[str, str]
"""The values of a rule's text, by the names in its braces."""
_USUAL_DIGITS, _MOST_DIGITS = 3, 9
_OUTSIDE = {"other": "outside 100 to 599"}
"""The statuses that the engine counts together."""


def statuses(seen: Mapping[str, int]) -> str:
    """The replies by status: `990 × 200, 10 × 500`."""
    return ", ".join(f"{n:,} × {_OUTSIDE.get(code, code)}" for code, n in sorted(seen.items()))


def status(code: str) -> str:
    """`status 404`, or `a status outside 100 to 599`."""
    return f"a status {_OUTSIDE[code]}" if code in _OUTSIDE else f"status {code}"


def at_most(share: float) -> str:
    """A limit as it was declared: `1 %`, not `1.00 %`."""
    return f"{share * 100:.4g} %"


def beside(value: float, limit: float, form: Callable[[float, int], str] = percent) -> str:
    """A number that passed a limit, with as many digits as tell the two apart: `10.04 %` beside
    `10 %`, where `10.0 %` would contradict the verdict. `form`: (value, digits) → text."""
    digits = _USUAL_DIGITS
    while digits < _MOST_DIGITS and form(value, digits) == form(limit, digits):
        digits += 1
    return form(value, digits) if digits < _MOST_DIGITS else form(value, _USUAL_DIGITS)
