"""Flags of one verb, typed behind another one that has them by another name."""

from __future__ import annotations

import re
from collections.abc import Sequence

__all__ = ["neighbour"]

_FLAGS = {
    ("capacity", "--fail-if"): "use `--limit 'p99<20ms'`",
    ("capacity", "--start"): "use `--command CMD`",
    ("compare", "--command"): "use `--start CMD` for revisions, or `cmd:CMD` as A or B",
    ("compare", "--url"): "expected a URL as A or B",
    ("init", "--start"): "use `--command CMD`",
    ("load", "--limit"): "use `--fail-if 'p99>20ms'`, which says when the run fails",
}
_LIMIT = re.compile(r"([a-z0-9_.]+\s*)<=?(\s*[0-9.]+\s*[a-zµ%]*)")


def neighbour(path: str, flag: str, arguments: Sequence[str]) -> str | None:
    """The words that lead from a flag of another verb to one of this verb; None: there are none.

    A limit such as `p99<50ms` becomes the threshold that fails where it does not hold.
    """
    found = _FLAGS.get((path.removeprefix("httpdyno "), flag))
    limit = _LIMIT.fullmatch(_value(flag, arguments))
    if found is None or limit is None:
        return found
    return found.replace("p99>20ms", f"{limit[1]}>{limit[2]}")


def _value(flag: str, arguments: Sequence[str]) -> str:
    """The value of the flag: behind `=`, or the next word."""
    for word, after in zip(arguments, [*arguments[1:], ""], strict=True):
        if word == flag:
            return after
        if word.startswith(f"{flag}="):
            return word.removeprefix(f"{flag}=")
    return ""
