"""Copies a revision into the cache folder and builds it there, once.

    cache/revisions/KEY/source/    the files, in which the build and the server run
    cache/revisions/KEY/build.log  the output of the build
    cache/revisions/KEY/complete   written last; a folder without it is made again
    cache/revisions/KEY.lock       held by the process that makes it

KEY depends on the content of the revision and on the command that builds it. The uncommitted state
of a work tree is copied too, so that edits during a comparison do not disturb it.
"""

from __future__ import annotations

import hashlib
import shutil
import sys
import time
from collections.abc import Callable
from pathlib import Path

from httpdyno.errors import EnvironmentFault, UsageError
from httpdyno.servers import git
from httpdyno.servers.declaration.own import words
from httpdyno.servers.declaration.placeholders import fill_all
from httpdyno.servers.failure import ServerFailure, first_error, quote_log
from httpdyno.servers.folders import cache_folder
from httpdyno.servers.installation.execute import execute
from httpdyno.servers.installation.install import LIMIT_S
from httpdyno.servers.installation.lock import hold_lock
from httpdyno.servers.revisions.revision import Revision, digest_of_files

MOST_KEPT = 20
KEPT_S = 86_400.0
"""Copies that were not used for a day are removed once there are more than so many."""
Report = Callable[[str], None]


def check_out(revision: Revision, build: str, report: Report, name: str | None = None) -> Path:
    """The folder of a revision, copied and built unless it is there already; empty: no build.
    `name`: of the revision in sentences; None: as it was given.

    Raises EnvironmentFault when it cannot be written, UsageError when git refuses, ServerFailure
    when the build fails.
    """
    name = name or revision.given
    which = name if revision.short in name else f"{name} ({revision.short})"
    key = hashlib.sha256(f"{revision.content}\0{build}".encode()).hexdigest()[:16]
    home = cache_folder() / "revisions" / key
    try:
        home.parent.mkdir(parents=True, exist_ok=True)
        _remove_old(home.parent)
        waiting = f"{name}: waiting for another process that builds it"
        with hold_lock(home.with_suffix(".lock"), lambda: report(waiting)):
            if not (home / "complete").exists():
                report(f"copying {which}")
                _copy(revision, home)
                if build:
                    report(f"building {which}: {build}")
                    _build(name, build, home)
            (home / "complete").touch()
    except OSError as error:
        raise EnvironmentFault(
            f"`{name}` cannot be copied to `{home}`: {error.strerror}",
            hint="set `HTTPDYNO_CACHE` to another folder",
        ) from None
    return home / "source"


def _copy(revision: Revision, home: Path) -> None:
    shutil.rmtree(home, ignore_errors=True)
    source = home / "source"
    source.mkdir(parents=True)
    if revision.commit:
        git.copy_commit(revision.repository, revision.commit, source)
        return
    top, files = git.files_of_work_tree(revision.repository)
    for file in files:
        (source / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(top / file, source / file, follow_symlinks=False)
    if digest_of_files(source, files) != revision.content:
        raise UsageError(
            f"the files of `{top}` changed while they were copied", hint="run the command again"
        )


def _build(name: str, build: str, home: Path) -> None:
    log = home / "build.log"
    command = fill_all(
        words("--build", build), {"python": sys.executable, "source": str(home / "source")}
    )
    try:
        code = execute(command, log, cwd=home / "source", limit_s=LIMIT_S)
    except OSError as error:
        raise ServerFailure(
            f"`{name}` failed to build: `{command[0]}`: {error.strerror}",
            stage="build",
            log=log,
        ) from None
    if code != 0:
        why = f"took more than {LIMIT_S:.0f} s" if code is None else quote_log(first_error(log))
        raise ServerFailure(f"`{name}` failed to build: {why}", stage="build", log=log)


def _remove_old(folder: Path) -> None:
    """Removes the copies that were not used for a day, beyond the newest so many."""
    copies = sorted(folder.glob("*/complete"), key=_used_at, reverse=True)
    for marker in copies[MOST_KEPT:]:
        if time.time() - _used_at(marker) > KEPT_S:
            marker.unlink(missing_ok=True)
            shutil.rmtree(marker.parent, ignore_errors=True)


def _used_at(marker: Path) -> float:
    return marker.stat().st_mtime
