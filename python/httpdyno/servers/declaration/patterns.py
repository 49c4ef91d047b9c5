"""Deployment patterns: `"{n}-workers"` with `n = [1, 4]` becomes two deployments."""

from __future__ import annotations

import re
from typing import Any

_PATTERN = re.compile(r"\{n\}")
_COUNTS = ("cores", "most_connections")


def expand_patterns(given: dict[str, Any]) -> dict[str, Any]:
    """The deployments, with one for each number in the `n` of a `{n}` pattern.

    `{n}` becomes a placeholder of the deployment, and `"n"` stands for the number in the keys
    `cores` and `most_connections`.
    """
    expanded: dict[str, Any] = {}
    for key, table in given.items():
        if not _PATTERN.search(key) or not isinstance(table, dict):
            expanded[key] = table
            continue
        rest = {k: v for k, v in table.items() if k != "n"}
        for n in _numbers(key, table):
            expanded[_PATTERN.sub(str(n), key)] = _one(rest, n)
    return expanded


def _numbers(key: str, table: dict[str, Any]) -> list[int]:
    numbers = table.get("n")
    if not isinstance(numbers, list) or not all(type(n) is int and n > 0 for n in numbers):
        raise ValueError(f"deployment `{key}` needs `n`, a list of whole numbers such as [1, 4]")
    return numbers


def _one(table: dict[str, Any], n: int) -> dict[str, Any]:
    counted = {key: n for key in _COUNTS if table.get(key) == "n"}
    description = str(table.get("description", "")).replace("{n}", str(n))
    values = {**table.get("values", {}), "n": str(n)}
    return {**table, **counted, "values": values, "description": description}
