"""Asks git about a repository, and copies a commit out of it; the repository is never changed."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

from httpdyno.errors import EnvironmentFault, UsageError
from httpdyno.output.printable import printable
from httpdyno.servers.environment import inherited

LIMIT_S = 600.0
_OF_ANOTHER_REPOSITORY = {
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_PREFIX",
    "GIT_OBJECT_DIRECTORY",
}
"""Set where git itself started this process, as in a hook; ours name the repository themselves."""


def repository_of(folder: Path) -> Path | None:
    """The git directory of the repository that `folder` is in; None: it is in none."""
    found = _run(folder, "rev-parse", "--absolute-git-dir", may_fail=True)
    return Path(found.strip()) if found else None


def commit_of(repository: Path, name: str) -> str | None:
    """The commit that a branch, tag or any other revision names; None: there is no such commit."""
    if name.startswith("-") or not name.isprintable():
        return None
    found = _run(
        repository, "rev-parse", "--verify", "--quiet", f"{name}^{{commit}}", may_fail=True
    )
    return found.strip() if found else None


def files_of_work_tree(folder: Path) -> tuple[Path, list[Path]]:
    """The top folder of the work tree around `folder`, and its files, relative to it: the tracked
    ones that exist, and the new ones that are not ignored."""
    top = Path(_run(folder, "rev-parse", "--show-toplevel").removesuffix("\n"))
    listed = _run(top, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
    names = sorted({name for name in listed.split("\0") if name})
    return top, [
        Path(name) for name in names if (top / name).is_symlink() or (top / name).is_file()
    ]


def copy_commit(
    repository: Path, commit: str, to: Path, variables: Mapping[str, str] | None = None
) -> None:
    """Writes the files of a commit into the folder `to`, which exists and is empty.

    The index is a scratch file, so neither the user's work tree nor their index is touched, and no
    hook runs. Submodules become empty folders. `variables` are added to git's environment.
    """
    with TemporaryDirectory(prefix="httpdyno-index-") as scratch:
        own = {**(variables or {}), "GIT_INDEX_FILE": str(Path(scratch) / "index")}
        settings = ("core.sparseCheckout=false", "core.hooksPath=/dev/null")
        where = [f"--git-dir={repository}", f"--work-tree={to}"]
        where += [word for setting in settings for word in ("-c", setting)]
        _run(to, *where, "read-tree", commit, own=own)
        _run(to, *where, "checkout-index", "--all", "--quiet", own=own)


def environment() -> dict[str, str]:
    """The environment for git: it names no other repository, and no prompt appears."""
    own = {k: v for k, v in inherited().items() if k not in _OF_ANOTHER_REPOSITORY}
    return {**own, "GIT_TERMINAL_PROMPT": "0"}


def _run(
    folder: Path, *arguments: str, own: Mapping[str, str] | None = None, may_fail: bool = False
) -> str:
    """The output of git; empty where it may fail and does. Raises EnvironmentFault, UsageError."""
    try:
        done = subprocess.run(
            ["git", *arguments],
            cwd=folder,
            env={**environment(), **(own or {})},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=LIMIT_S,
            check=False,
        )
    except FileNotFoundError:
        raise EnvironmentFault(
            "`git` is missing: it finds and copies the revisions to compare",
            hint="install git, or compare two commands: `httpdyno compare --help`",
        ) from None
    except subprocess.TimeoutExpired:
        raise EnvironmentFault(f"`git {arguments[0]}` took more than {LIMIT_S:.0f} s") from None
    said = os.fsdecode(done.stdout)
    if done.returncode == 0:
        return said
    if may_fail:
        return ""
    lines = done.stderr.decode(errors="replace").strip().splitlines() or ["it printed nothing"]
    raise UsageError(f"`git` failed in `{folder}`: {printable(lines[0])}")
