"""The doubt of a closed load below a rate that its arm kept up with: one of a cell, not a trial."""

from __future__ import annotations

import re
from collections.abc import Iterable

from oracle.numbers import is_printed
from oracle.raw import Key, Lab

FEW = (
    r"[Nn]o more than (?P<most>\S+) at (?P<at>.+?), but the arm kept up with (?P<held>\S+) under"
    r" (?P<load>\S+) \((?P<more>\S+) % more, limit 2 %\)(?:: \S+ connections? may be too few)?"
)


def is_few(lab: Lab, keys: Iterable[Key], text: str) -> bool:
    """True if this is the doubt of one of these cells, with its numbers."""
    said = re.fullmatch(FEW, text)
    return said is not None and any(_fits(lab, key, said) for key in keys)


def _fits(lab: Lab, key: Key, said: re.Match[str]) -> bool:
    if not lab.few_connections(key):
        return False
    most, held = max(lab.values(key, "throughput").values()), lab.held_per_s(key)
    numbers = {"most": most, "held": held, "more": 100 * (held / most - 1)}
    return said["at"] == key[2] and all(is_printed(said[one], numbers[one]) for one in numbers)
