"""Flags that several verbs of `httpdyno servers` take."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

__all__ = ["All", "AsJson", "Deployment", "Names", "Own", "own_words"]

Names = Annotated[list[str] | None, typer.Argument(metavar="[NAME]...", help="Servers by name.")]
Own = Annotated[
    list[Path] | None,
    typer.Option("--server", metavar="FILE", help="A server.toml of your own; repeatable."),
]
All = Annotated[bool, typer.Option("--all", help="Every server of the catalogue.")]
AsJson = Annotated[bool, typer.Option("--json", help="JSON on stdout, for programs.")]
Deployment = Annotated[
    str | None, typer.Option("--deployment", metavar="NAME", help="Not the first one.")
]


def own_words(own: list[Path] | None) -> list[str]:
    """The flags as they were given, for a process that does one server of many."""
    return [word for path in own or () for word in ("--server", str(path))]
