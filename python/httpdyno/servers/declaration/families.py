"""Families of servers: what servers of a kind share, declared once.

    catalogue/families/NAME/server.toml  keys of each server whose `families` names it
    catalogue/families/NAME/…            files that are put beside the server's own

A server's own key comes before that of its families, a later family before an earlier one, and a
family before those in its own `families`. Tables are joined, and so are `settings`, where one with
the same `what` replaces the family's. Files go by the same order.
"""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

__all__ = ["family_folders", "known_families", "with_families"]

FAMILIES = Path(__file__).parents[1] / "catalogue" / "families"
_FILE_NAME = "server.toml"


def known_families() -> tuple[str, ...]:
    """The name of each family."""
    return _names_in(FAMILIES)


def family_folders(names: Any) -> list[Path]:
    """The folders of these families, each after those that it builds on; of unknown ones none."""
    found: dict[Path, None] = {}
    for name in names if isinstance(names, list | tuple) else ():
        if name in known_families():
            folder = FAMILIES / name
            below = _read_family(folder).get("families")
            found.update(dict.fromkeys([*family_folders(below), folder]))
    return list(found)


def with_families(values: dict[str, Any]) -> dict[str, Any]:
    """The keys of a `server.toml` with those of its families."""
    found: dict[str, Any] = {}
    for folder in family_folders(values.get("families")):
        found = _join(found, _read_family(folder))
    found.pop("families", None)
    return _join(found, values)


@cache
def _names_in(folder: Path) -> tuple[str, ...]:
    return tuple(sorted(file.parent.name for file in folder.glob(f"*/{_FILE_NAME}")))


@cache
def _read_family(folder: Path) -> dict[str, Any]:
    return tomllib.loads((folder / _FILE_NAME).read_text(encoding="utf-8"))


def _join(base: dict[str, Any], own: dict[str, Any]) -> dict[str, Any]:
    joined = {**base, **own}
    for key in base.keys() & own.keys():
        match base[key], own[key]:
            case dict(), dict():
                joined[key] = _join(base[key], own[key])
            case list(), list() if key == "settings":
                given = [one.get("what") for one in own[key] if isinstance(one, dict)]
                others = (one for one in base[key] if one["what"] not in given)
                joined[key] = [*own[key], *others]  # the indexes of faults are those of `own`
            case _:
                pass
    return joined
