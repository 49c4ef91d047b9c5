"""One state of a git repository: a commit, or the uncommitted state of its work tree."""

from __future__ import annotations

import difflib
import hashlib
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from httpdyno.errors import UsageError
from httpdyno.output.printable import printable
from httpdyno.servers import git

WORK_TREE = (".", "WORKTREE")
"""Names of the uncommitted state."""
_REMOTE = "origin/"
VERSION_DIGITS = 12
"""Of a commit: enough to find it in any repository."""


@dataclass(frozen=True)
class Revision:
    """One state of a repository. `commit` is empty for the uncommitted state."""

    given: str
    """As the user named it: `main`, `HEAD~1`, `.`."""
    repository: Path
    """Its git directory; for the uncommitted state, the top folder of its work tree."""
    content: str
    """The commit, or a digest of the files: the same content gives the same text."""
    commit: str = ""

    @property
    def short(self) -> str:
        """The first digits of the commit; for the uncommitted state, `uncommitted`."""
        return self.content[:7] if self.commit else "uncommitted"

    @property
    def version(self) -> str:
        """The version of a server that is built from it: `commit 0123456789ab`."""
        kind = "commit" if self.commit else "uncommitted files"
        return f"{kind} {self.content[:VERSION_DIGITS]}"

    def has(self, name: str) -> bool:
        """True if a file with this name is at its top."""
        if self.commit:
            return git.has_file(self.repository, self.commit, name)
        return Path(name) in git.files_of_work_tree(self.repository)[1]


def find_revision(given: str, folder: Path) -> Revision | None:
    """The revision with this name in the repository around `folder`; None: there is none."""
    repository = git.repository_of(folder)
    if repository is None:
        return None
    if given in WORK_TREE:
        top, files = git.files_of_work_tree(folder)
        return Revision(given, top, digest_of_files(top, files))
    commit = git.commit_of(repository, given)
    return None if commit is None else Revision(given, repository, commit, commit)


def nearest_revision(given: str, folder: Path) -> str | None:
    """The branch or tag with much the same name, such as `origin/main` for `main`; None: none."""
    found = git.names_of_commits(folder)
    names = {name.removeprefix(_REMOTE): name for name in sorted(found, reverse=True)}
    close = difflib.get_close_matches(given.removeprefix(_REMOTE), names, n=1)
    return names[close[0]] if close else None


def demand_repository(folder: Path, hint: str) -> Path:
    """The git directory of the repository around `folder`. Raises UsageError if there is none."""
    repository = git.repository_of(folder)
    if repository is None:
        raise UsageError(
            f"`{printable(str(folder))}` is in no git repository: expected a clone of your server",
            hint=hint,
        )
    return repository


def digest_of_files(top: Path, files: Iterable[Path]) -> str:
    """A digest of the files' names, contents, and permission to be executed."""
    seen = hashlib.sha256()
    for file in files:
        path = top / file
        link = path.is_symlink()
        content = os.fsencode(path.readlink()) if link else path.read_bytes()
        kind = "link" if link else "program" if os.access(path, os.X_OK) else "file"
        seen.update(os.fsencode(file) + f"\0{kind} {len(content)}\0".encode())
        seen.update(content)
    return seen.hexdigest()
