"""Placeholders such as `{port}`, in commands and in the files that are written at each start."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

AT_INSTALL = ("python", "prefix", "source")
OF_TLS = ("certificate", "key")
OF_SERVICES = ("database_url",)
BUILT_IN = (
    *AT_INSTALL,
    "host",
    "port",
    "files",
    "run",
    "cores",
    "user",
    "group",
    *OF_TLS,
    *OF_SERVICES,
)
"""docs/guides/add-a-server.md describes each."""

_PLACEHOLDER = re.compile(r"\{([a-z_]+)\}")


def unknown_placeholders(words: Iterable[str], known: Iterable[str]) -> list[str]:
    """The names in braces that are not in `known`, each once."""
    names = (name for word in words for name in _PLACEHOLDER.findall(word))
    allowed = set(known)
    return [name for name in dict.fromkeys(names) if name not in allowed]


def fill(text: str, values: Mapping[str, str]) -> str:
    """`text` with the placeholders in `values` replaced, in one pass; other braces stay.

    In `{host}:{port}`, an IPv6 address is put in brackets.
    """

    def value(match: re.Match[str]) -> str:
        given = values.get(match[1], match[0])
        before_port = match[1] == "host" and text.startswith(":{port}", match.end())
        return f"[{given}]" if before_port and ":" in given else given

    return _PLACEHOLDER.sub(value, text)


def fill_all(command: Iterable[str], values: Mapping[str, str]) -> list[str]:
    """`fill` for every word of a command."""
    return [fill(word, values) for word in command]
