"""Placeholders: `{port}` and its like, in commands and in the files a start writes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

AT_INSTALL = ("python", "prefix", "source")
BUILT_IN = (
    *AT_INSTALL,
    "host",
    "port",
    "files",
    "run",
    "cores",
    "user",
    "group",
)
"""What each means is the table in docs/guides/add-a-server.md."""

_PLACEHOLDER = re.compile(r"\{([a-z_]+)\}")


def unknown_placeholders(words: Iterable[str], known: Iterable[str]) -> list[str]:
    """Names in braces that are not known, each once."""
    names = (name for word in words for name in _PLACEHOLDER.findall(word))
    allowed = set(known)
    return [name for name in dict.fromkeys(names) if name not in allowed]


def fill(text: str, values: Mapping[str, str]) -> str:
    """`text` with the placeholders that `values` knows replaced, once; other braces stay."""
    return _PLACEHOLDER.sub(lambda match: values.get(match[1], match[0]), text)


def fill_all(command: Iterable[str], values: Mapping[str, str]) -> list[str]:
    """Every word of a command filled."""
    return [fill(word, values) for word in command]
