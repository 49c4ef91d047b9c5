"""Placeholders: `{port}` and its like, in commands and in the files a start writes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

BUILT_IN = (
    "host",
    "port",
    "python",
    "prefix",
    "source",
    "files",
    "run",
    "cores",
    "user",
    "group",
)
"""What each means is the table in docs/guides/add-a-server.md."""

_PLACEHOLDER = re.compile(r"\{([a-z_]+)\}")


def unknown_placeholders(command: Iterable[str], own: Iterable[str] = ()) -> list[str]:
    """Names in braces that are neither built in nor among the deployment's own values."""
    known = {*BUILT_IN, *own}
    names = (name for word in command for name in _PLACEHOLDER.findall(word))
    return [name for name in dict.fromkeys(names) if name not in known]


def fill(text: str, values: Mapping[str, str]) -> str:
    """`text` with the placeholders that `values` knows replaced, once; other braces stay."""
    return _PLACEHOLDER.sub(lambda match: values.get(match[1], match[0]), text)


def fill_all(command: Iterable[str], values: Mapping[str, str]) -> list[str]:
    """Every word of a command filled."""
    return [fill(word, values) for word in command]
