"""A false sentence with the trials behind it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from oracle.raw import Lab


@dataclass(frozen=True)
class Case:
    """Sentences that stand together in one report. One of them is false, or they contradict."""

    name: str
    why: str
    """The words of the objection that this is about."""
    lab: Lab
    false: Sequence[tuple[str, str]]
    """(section of the chart or name of the surface, text)."""
    true: Sequence[tuple[str, str]] = ()
    """Sentences that the same trials carry."""
