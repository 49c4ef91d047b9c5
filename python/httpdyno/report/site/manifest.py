"""The list of a site's files, so that a later one replaces the site and nothing else."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from httpdyno.errors import EnvironmentFault, UsageError
from httpdyno.output.files import write_file

NAME = "httpdyno-site.json"
_FORMAT = "httpdyno-site"
_MOST_BYTES = 50_000_000


@dataclass(frozen=True)
class Manifest:
    """A folder, and the files of the site that was in it."""

    folder: Path
    before: frozenset[str]

    @classmethod
    def begin(cls, folder: Path) -> Manifest:
        """The site in a folder, which is made if it is missing, and marked as a site from now on:
        one that was interrupted can be written again.

        Raises UsageError if the folder has files of something else, EnvironmentFault if it cannot
        be made.
        """
        try:
            folder.mkdir(parents=True, exist_ok=True)
            others = any(folder.iterdir())
        except OSError as error:
            raise EnvironmentFault(f"`{folder}` cannot be created: {error.strerror}") from error
        file = folder / NAME
        if not file.is_file() and others:
            raise UsageError(
                f"`{folder}` has files, and no site of httpdyno: expected a new or an empty folder",
                hint="name a folder that does not exist yet",
            )
        made = cls(folder, frozenset(_names(file)))
        made.store(())
        return made

    def end(self, written: Iterable[str]) -> None:
        """Delete the files of the site before that were not written again, and store the list."""
        names = sorted(written)
        for name in self.before - set(names):
            with contextlib.suppress(OSError):
                (self.folder / name).unlink()
            _remove_empty((self.folder / name).parent, self.folder)
        self._write(names)

    def store(self, written: Iterable[str]) -> None:
        """Store the list of an unfinished site: its files, and those of the site before."""
        self._write(sorted(self.before | set(written)))

    def _write(self, names: Sequence[str]) -> None:
        text = json.dumps({"format": _FORMAT, "version": 1, "files": names}, indent=1)
        write_file(self.folder / NAME, f"{text}\n")


def _names(file: Path) -> list[str]:
    """The files that a list names, if they are inside its folder."""
    if not file.is_file():
        return []
    try:
        if file.stat().st_size > _MOST_BYTES:
            return []
        raw = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return []
    names = raw.get("files") if isinstance(raw, dict) and raw.get("format") == _FORMAT else None
    found = [name for name in names if isinstance(name, str)] if isinstance(names, list) else []
    return [name for name in found if _is_inside(name, file.parent)]


def _is_inside(name: str, folder: Path) -> bool:
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts or "\0" in name:
        return False
    return (folder / name).resolve().is_relative_to(folder.resolve())


def _remove_empty(folder: Path, site: Path) -> None:
    with contextlib.suppress(OSError):
        while folder != site:
            folder.rmdir()
            folder = folder.parent
