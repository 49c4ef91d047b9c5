"""Right bodies that are no fixed bytes: a JSON example, HTML, or a regular expression.

`docs/guides/check-answers.md` defines the notation. The engine reads it and judges bodies, here as
under load.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal, get_args

from httpdyno.compiled import compiled

__all__ = ["NOTATIONS", "Notation", "answer_fault", "parse_sample"]

Notation = Literal["json", "html", "regex"]
NOTATIONS: tuple[Notation, ...] = get_args(Notation)
_MOST_ONE_IN = (1 << 32) - 1


def answer_fault(notation: Notation, answer: str, names: Sequence[str] = ()) -> str | None:
    """The fault of a right answer; None: it has none.

    `names`: those of values that its request sends, which it may have in braces.
    """
    fault: str | None = compiled().answer_fault(notation, answer, list(names))
    return fault


def parse_sample(text: str) -> int:
    """Of how many replies one body is checked: 50 for `1/50`, 1 for `all`. Raises ValueError."""
    part = re.fullmatch(r"1/([1-9][0-9]{0,9})", text, re.ASCII)
    if text != "all" and (part is None or int(part[1]) > _MOST_ONE_IN):
        raise ValueError("expected `all`, or a part such as `1/50`")
    return 1 if part is None else int(part[1])
