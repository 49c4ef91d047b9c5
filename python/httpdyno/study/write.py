"""Writes a study as a TOML file."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from httpdyno.study.own.secrets import without_credentials

__all__ = ["toml_key", "toml_of", "toml_table", "toml_value"]

_TABLES = ("services", "workloads", "loads")
_BARE = re.compile(r"[A-Za-z0-9_-]+")


def toml_of(values: Mapping[str, Any]) -> str:
    """The keys of a study as a file has them, without credentials; None: a key that is not set."""
    shown = without_credentials(values)
    arms = shown.pop("arms")
    tables = {key: shown.pop(key, {}) for key in _TABLES}
    return "\n".join(
        [
            toml_table("", shown),
            *(toml_table("[[arms]]\n", arm) for arm in arms),
            *(
                toml_table(f"[{key}.{toml_key(name)}]\n", table)
                for key, named in tables.items()
                for name, table in named.items()
            ),
        ]
    )


def toml_table(header: str, values: Mapping[str, Any]) -> str:
    """A table of TOML, a line for each key that is set."""
    return header + "".join(f"{pair}\n" for pair in _pairs(values))


def _pairs(values: Mapping[str, Any]) -> list[str]:
    return [
        f"{toml_key(key)} = {toml_value(value)}"
        for key, value in values.items()
        if value is not None
    ]


def toml_key(name: str) -> str:
    """The name of a key, quoted if it has to be."""
    return name if _BARE.fullmatch(name) else toml_value(name)


def toml_value(value: Any) -> str:
    """A value of JSON as one of TOML: strings and numbers are written alike."""
    if isinstance(value, Mapping):
        return f"{{ {', '.join(_pairs(value))} }}" if value else "{}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(toml_value, value))}]"
    return "".join(map(_escape, json.dumps(value, ensure_ascii=False)))


def _escape(one: str) -> str:
    """A character of JSON as it is shown: TOML has an escape for each that is not printable."""
    if one.isprintable():
        return one
    return f"\\u{ord(one):04x}" if ord(one) < 1 << 16 else f"\\U{ord(one):08x}"
