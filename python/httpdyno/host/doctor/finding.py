"""A property of the machine that matters to measurements."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["Finding", "State"]

State = Literal["ok", "limited", "fails", "unknown"]
"""`limited`: results are possible, and say less. `fails`: no measurement is possible."""


@dataclass(frozen=True)
class Finding:
    """A property of the machine, and its effect on results."""

    name: str
    value: str
    """May come from outside: it is to be made printable."""
    state: State
    meaning: str
    remedy: str | None = None
    """A command for this user on this machine; None: there is none, or none is needed."""
    where: str | None = None
    """The place or the moment for the remedy; None: here and now."""
