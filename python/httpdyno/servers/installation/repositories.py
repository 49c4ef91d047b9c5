"""Git repositories at declared commits: fetched once into the cache folder, and copied from there.

    cache/git/COMMIT/      a bare repository that contains this commit and no other
    cache/git/COMMIT.lock  held by the process that fetches it
    cache/git/COMMIT.log   the output of git

A commit is the hash of its content, so a copy is the same wherever it came from. Git's settings
apply (a proxy, `url.….insteadOf`), except those that would run a program or offer a password.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

from httpdyno.errors import UsageError
from httpdyno.servers import git
from httpdyno.servers.declaration.tables import Repository
from httpdyno.servers.failure import ServerFailure, first_error, quote_log
from httpdyno.servers.folders import cache_folder
from httpdyno.servers.installation.execute import execute
from httpdyno.servers.installation.lock import hold_lock

LIMIT_S = 600.0
"""No git command runs longer than this."""

MOST_FILES = 100_000
MOST_BYTES = 1024**3
"""Limits of a commit's files, and of the data that are fetched."""

_SETTINGS = (
    "fetch.fsckObjects=true",
    "fetch.unpackLimit=1",  # one file with all objects, whose size `ulimit` limits
)
_VARIABLES = {
    "GIT_ALLOW_PROTOCOL": "https:ssh:file",
    "GIT_ASKPASS": "",
    "SSH_ASKPASS_REQUIRE": "never",
    "GIT_LFS_SKIP_SMUDGE": "1",
}
TOO_LARGE = (
    f"it is too large: expected at most {MOST_FILES:,} files and {MOST_BYTES // 1024**2} MiB"
)
_MEANINGS = {
    "fatal: fetch-pack: invalid index-pack output": TOO_LARGE,  # `ulimit` killed `git index-pack`
    "fatal: .*upload-pack: not our ref": "the repository does not contain this commit",
}
"""Patterns of git's errors, each with its meaning."""

_OWN_CLONE = (
    "`git config --global url.CLONE.insteadOf {}` makes git fetch from a clone that you have,"
    " with its path or address as CLONE"
)

Report = Callable[[str], None]


def fetch_commands(repository: Repository) -> list[list[str]]:
    """The commands that fetch a repository and check what was fetched."""
    home, commit = _home(repository), repository.commit
    limited = ["sh", "-c", f'ulimit -f {MOST_BYTES // 512} && exec "$@"', "sh"]
    only_this = ["--quiet", "--depth=1", "--no-tags", "--no-recurse-submodules"]
    return [
        [*_git(), "init", "--quiet", "--bare", "--template=", str(home)],
        [*limited, *_git(home), "fetch", *only_this, repository.address, commit],
        _check(repository),
    ]


def copy_repository(server: str, repository: Repository, to: Path, report: Report) -> None:
    """Write the repository's files into the new folder `to`; fetch it unless the cache has it.

    Raises ServerFailure when it cannot be fetched, has no such commit, or is too large.
    """
    home = _home(repository)
    home.parent.mkdir(parents=True, exist_ok=True)
    waiting = f"{server}: waiting for another process to fetch {repository.address}"
    with hold_lock(home.with_suffix(".lock"), lambda: report(waiting)):
        if not _is_whole(repository):
            report(f"{server}: fetching {repository.address} at {repository.commit}")
            _fetch(server, repository)
        try:
            _require_small(home, repository.commit)
            to.mkdir(parents=True)
            git.copy_commit(home, repository.commit, to, _VARIABLES)
        except UsageError as error:
            raise _failure(server, repository, error.message) from None


def _fetch(server: str, repository: Repository) -> None:
    home, log = _home(repository), _log(repository)
    shutil.rmtree(home, ignore_errors=True)
    log.write_text("", encoding="utf-8")
    for command in fetch_commands(repository):
        code = _run(command, log)
        if code == 0:
            continue
        shutil.rmtree(home, ignore_errors=True)
        why = f"took more than {LIMIT_S:.0f} s" if code is None else first_error(log)
        for pattern, meaning in _MEANINGS.items():
            if re.match(pattern, why):
                raise _failure(server, repository, meaning)
        raise _failure(
            server, repository, quote_log(why), hint=_OWN_CLONE.format(repository.address)
        )


def _is_whole(repository: Repository) -> bool:
    """True if the cache contains the commit with all of its files, undamaged."""
    return _home(repository).is_dir() and _run(_check(repository), _log(repository)) == 0


def _check(repository: Repository) -> list[str]:
    return [*_git(_home(repository)), "fsck", "--no-dangling", repository.commit]


def _run(command: Sequence[str], log: Path) -> int | None:
    variables = {**git.environment(), **_VARIABLES}
    return execute(command, log, cwd=log.parent, limit_s=LIMIT_S, environment=variables)


def _require_small(home: Path, commit: str) -> None:
    """Raises UsageError for a commit with too many or too large files, before any is written."""
    files = total = 0
    listing = [*_git(home), "ls-tree", "-r", "-t", "--long", commit]
    with subprocess.Popen(listing, stdout=subprocess.PIPE, env=git.environment()) as listed:
        for line in listed.stdout or ():
            size = line.split(None, 4)[3]
            files, total = files + 1, total + (0 if size == b"-" else int(size))
            if files > MOST_FILES or total > MOST_BYTES:
                listed.kill()
                raise UsageError(TOO_LARGE)


def _failure(
    server: str, repository: Repository, why: str, hint: str | None = None
) -> ServerFailure:
    where = f"`{repository.address}` at commit {repository.commit[:12]}"
    message = f"`{server}` failed to install: {where}: {why}"
    return ServerFailure(message, stage="install", log=_log(repository), hint=hint)


def _git(repository: Path | None = None) -> list[str]:
    where = [] if repository is None else [f"--git-dir={repository}"]
    return [*git.command(*_SETTINGS), *where]


def _home(repository: Repository) -> Path:
    return cache_folder() / "git" / repository.commit


def _log(repository: Repository) -> Path:
    return _home(repository).with_suffix(".log")
