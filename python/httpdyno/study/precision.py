"""The precision at which a study stops: `±2%`, as `--until` and the key `until` take it."""

from __future__ import annotations

import re

from httpdyno.units import plain

FEWEST_LOOKED_AT = 10
"""A study looks at its precision after this block and each later one. Fewer blocks would too often
miss a mode that some starts take: 8 miss one of 25 % in 10 of 100 studies, 10 in 6."""
MOST_BLOCKS = 30
"""Blocks at which `--until` gives up, unless `--blocks` says otherwise."""
FINEST, COARSEST = 0.001, 0.5
EXPECTED = 'a precision from "±0.1%" to "±50%", such as "±2%"'
_SHAPE = re.compile(r"(?:±|\+-|\+/-)?\s*([0-9]{1,3}(?:\.[0-9]{1,6})?)\s*%")


def parse_precision(text: str) -> float:
    """The precision as a share, 0.02 for `±2%`; also `+-2%` and `2%`. Raises ValueError."""
    found = _SHAPE.fullmatch(text.strip())
    if found is None:
        raise ValueError(f"expected {EXPECTED}".replace('"', "`"))
    share = float(f"{float(found[1]) / 100:.10g}")
    if not FINEST <= share <= COARSEST:
        raise ValueError(f"expected {EXPECTED}".replace('"', "`"))
    return share


def plus_minus(share: float) -> str:
    """A precision as people write it, with three digits: `±2 %`, `±1,230 %`."""
    return f"±{plain(float(f'{share * 100:.3g}'))} %"


def too_few_blocks(until: float | None, blocks: int) -> str | None:
    """An error for a study that would end before it looks at its precision."""
    if until is None or blocks >= FEWEST_LOOKED_AT:
        return None
    return (
        f"`blocks` is {blocks} and `until` {plus_minus(until)}: expected {FEWEST_LOOKED_AT} blocks"
        f" or more, because the precision is first known after block {FEWEST_LOOKED_AT}"
    )
