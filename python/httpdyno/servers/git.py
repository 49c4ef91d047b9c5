"""Asks git about a repository, and copies a commit out of it; the repository is never changed.

Every call of httpdyno uses `command` and `environment`: git then runs no program that a repository
configures, be it a hook, a monitor of the file system or a filter.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

from httpdyno.errors import EnvironmentFault, UsageError
from httpdyno.output.printable import printable
from httpdyno.servers.environment import inherited_environment

LIMIT_S = 600.0
_OF_ANOTHER_REPOSITORY = {
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_PREFIX",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
}
"""Set where git itself started this process, as in a hook; ours name the repository themselves."""
_SAFE = (
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "credential.helper=",
    "maintenance.auto=false",
)
_SAFE_VARIABLES = {
    "GIT_NO_LAZY_FETCH": "1",  # a partial clone fetches through programs of its configuration
    "GIT_OPTIONAL_LOCKS": "0",  # the index is not written
    "GIT_TERMINAL_PROMPT": "0",
}


def command(*settings: str) -> list[str]:
    """The words that begin each command of git, with further `settings`: `fetch.unpackLimit=1`."""
    return ["git", *(word for setting in (*_SAFE, *settings) for word in ("-c", setting))]


def environment() -> dict[str, str]:
    """The environment for git: it names no other repository, and no prompt appears."""
    own = {k: v for k, v in inherited_environment().items() if k not in _OF_ANOTHER_REPOSITORY}
    return own | _SAFE_VARIABLES


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


def merge_base(repository: Path, one: str, other: str) -> str | None:
    """The commit from which two revisions went apart; None: the clone has none."""
    found = _run(repository, "merge-base", one, other, may_fail=True)
    return found.strip() or None


def is_shallow(repository: Path) -> bool:
    """True if the clone lacks older commits."""
    return _run(repository, "rev-parse", "--is-shallow-repository", may_fail=True) == "true\n"


def names_of_commits(repository: Path) -> list[str]:
    """The branches and tags, those of remotes as `origin/main`."""
    return _run(repository, "for-each-ref", "--format=%(refname:short)", may_fail=True).split()


def has_file(repository: Path, commit: str, path: str) -> bool:
    """True if a commit has something at this path."""
    at = f"{commit}:{path}"
    return bool(_run(repository, "rev-parse", "--verify", "--quiet", at, may_fail=True))


def project_of(folder: Path) -> tuple[str, str] | None:
    """The repository that `folder` is in and its path there, the same in every clone; None: it is
    in none, or in one without a commit.

    Its first commit identifies a repository. A shallow clone may lack that: there it is the address
    that it was cloned from.
    """
    about = _run(folder, "rev-parse", "--is-shallow-repository", "--show-prefix", may_fail=True)
    shallow, _, path = about.removesuffix("\n").partition("\n")
    if shallow == "true":
        address = _run(folder, "config", "--get", "remote.origin.url", may_fail=True)
        name = _without_scheme(address.strip())
    else:
        roots = ("rev-list", "--max-parents=0", "--first-parent", "HEAD")
        name = _run(folder, *roots, may_fail=True).strip() if shallow else ""
    return (name, path) if name else None


def _without_scheme(address: str) -> str:
    """`example.org/a/b` of `https://user@example.org/a/b.git` and of `git@example.org:a/b`."""
    _, scheme, rest = address.rpartition("://")
    rest = rest.rpartition("@")[2].removesuffix("/").removesuffix(".git")
    return rest if scheme else rest.replace(":", "/", 1)


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

    A scratch repository reads the objects, so the user's work tree and index are not touched, and
    the configuration of their repository does not count: its filters may be programs. Submodules
    become empty folders. `variables` are added to git's environment.
    """
    at = f"--git-dir={repository}"
    objects = _run(repository, at, "rev-parse", "--git-path", "objects").removesuffix("\n")
    shared = (repository / objects).resolve()
    kind = _run(repository, at, "rev-parse", "--show-object-format").strip()
    with TemporaryDirectory(prefix="httpdyno-git-") as scratch:
        _run(to, "init", "--quiet", "--bare", "--template=", f"--object-format={kind}", scratch)
        borrowed = Path(scratch) / "objects" / "info" / "alternates"
        borrowed.parent.mkdir(exist_ok=True)
        borrowed.write_bytes(os.fsencode(f"{shared}\n"))
        files = f"lfs.storage={shared.parent / 'lfs'}"
        where = ("-c", files, f"--git-dir={scratch}", f"--work-tree={to}")
        _run(to, *where, "read-tree", commit, own=variables)
        _run(to, *where, "checkout-index", "--all", "--quiet", own=variables)


def _run(
    folder: Path, *arguments: str, own: Mapping[str, str] | None = None, may_fail: bool = False
) -> str:
    """The output of git; empty where it may fail and does. Raises EnvironmentFault, UsageError."""
    try:
        done = subprocess.run(
            [*command(), *arguments],
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
    text = os.fsdecode(done.stdout)
    if done.returncode == 0:
        return text
    if may_fail:
        return ""
    lines = done.stderr.decode(errors="replace").strip().splitlines() or ["it printed nothing"]
    raise UsageError(f"`git` failed in `{folder}`: {printable(lines[0])}")
