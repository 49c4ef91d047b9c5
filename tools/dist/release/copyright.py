"""Licences of Python packages in a folder, in Debian's machine-readable form (DEP 5)."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from email.parser import HeaderParser
from pathlib import Path

from release.place import ReleaseError

__all__ = ["of_packages", "stanza"]

_HOLDER = re.compile(r"^\W*copyright\s+(?:\(c\)|©|\d)", re.IGNORECASE)
_FILE = re.compile(r"(licen[cs]e|copying|notice)", re.IGNORECASE)
OWN = "httpdyno"


def of_packages(packages: Path, installed: Path, own: str) -> str:
    """A stanza for each package of others, and the texts of httpdyno's own licences."""
    described = sorted(packages.glob("*.dist-info"))
    others = [it for it in described if not it.name.startswith(f"{OWN}-")]
    return "\n".join((*(stanza(it, installed) for it in others), *_own(own)))


def _own(mit: str) -> Iterator[str]:
    yield f"License: MIT or Apache-2.0\n{_indented(mit)}"
    yield " .\n or, at your choice, the Apache License, Version 2.0, which is in"
    yield " /usr/share/common-licenses/Apache-2.0.\n"


def stanza(described: Path, installed: Path) -> str:
    """The files of a package, who holds the rights, and the texts that its wheel has."""
    metadata = HeaderParser().parsestr((described / "METADATA").read_text(encoding="utf-8"))
    name = metadata["Name"]
    stated = sorted(it for it in described.rglob("*") if it.is_file() and _FILE.search(it.name))
    if not stated:
        raise ReleaseError(f"the wheel of {name} has no licence")
    text = "\n\n".join(it.read_text(encoding="utf-8").strip() for it in stated)
    holders = dict.fromkeys(it.strip() for it in text.splitlines() if _HOLDER.match(it))
    paths = "\n ".join(f"{installed}/{it}" for it in _top_level(described))
    licence = metadata["License-Expression"] or metadata["License"] or "other"
    return (
        f"Files: {paths}\n"
        f"Copyright: {_indented(chr(10).join(holders or [f'The authors of {name}'])).strip()}\n"
        f"License: {licence.replace(' ', '-')}-{name}\n{_indented(text)}\n"
    )


def _top_level(described: Path) -> list[str]:
    """The files and folders of a package, from the list of its wheel."""
    with (described / "RECORD").open(encoding="utf-8", newline="") as lines:
        names = [Path(row[0]).parts for row in csv.reader(lines)]
    found = {parts[0] if len(parts) == 1 else f"{parts[0]}/*" for parts in names}
    return sorted(it for it in found if not it.startswith("..") and it != "bin/*")


def _indented(text: str) -> str:
    return "\n".join(f" {line.rstrip()}" if line.strip() else " ." for line in text.splitlines())
