"""Bare Debian systems in folders, with a network of their own in which there is nothing else."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from release.place import Place, ReleaseError, run

__all__ = ["BARE", "System", "archive", "made", "running"]

PYTHON = ("python3", "python3-venv")
BARE = ("bookworm", "trixie")
START_S = 3
PORT = 8642
"""Of the package index, in the system's own network."""
_ENTER = """
set -eu
ip link set lo up
mount --make-rprivate /
mount -t proc proc "$SYSTEM/proc"
mount --rbind /sys "$SYSTEM/sys"
mount --rbind /dev "$SYSTEM/dev"
python3 -m http.server --bind 127.0.0.1 --directory "$INDEX" "$PORT" >/dev/null 2>&1 &
exec chroot "$SYSTEM" env -i \\
  HOME=/root LANG=C.UTF-8 PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin \\
  PIP_INDEX_URL="http://127.0.0.1:$PORT/simple" UV_DEFAULT_INDEX="http://127.0.0.1:$PORT/simple" \\
  PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_ROOT_USER_ACTION=ignore VERSION="$VERSION" sh -eu "$@"
"""


@dataclass(frozen=True)
class System:
    """An unpacked Debian."""

    folder: Path
    index: Path
    version: str

    def copy(self, *files: Path) -> None:
        """Puts files into the home folder of its user."""
        for file in files:
            shutil.copy(file, self.folder / "root")

    def script(self, file: Path, *words: str) -> str:
        """Runs a script of this repository in the system, and returns what it printed."""
        self.copy(file)
        environment = {
            "SYSTEM": str(self.folder),
            "INDEX": str(self.index),
            "PORT": str(PORT),
            "VERSION": self.version,
        }
        enter = ("unshare", "--net", "--mount", "--pid", "--fork", "--kill-child")
        command = (*enter, "bash", "-c", _ENTER, "bash", f"/root/{file.name}", *words)
        return run(*command, cwd=self.folder, env=environment)


def archive(place: Place, suite: str, *options: str) -> Path:
    """A Debian with Python, and nothing that compiles; made once for each choice of options."""
    name = "-".join((suite, *(option.rpartition("=")[2] for option in options))).replace("/", "-")
    file = place.work / "systems" / f"{name}.tar"
    if not file.exists():
        file.parent.mkdir(parents=True, exist_ok=True)
        part = file.with_suffix(".part.tar")
        words = (f"--include={','.join(PYTHON)}", *(options or ("--variant=minbase",)), suite)
        mirror = [found] if (found := _mirror()) else []
        run("mmdebstrap", *words, part, *mirror, cwd=place.work)
        part.rename(file)
    return file


def made(place: Place, suite: str, index: Path, *packages: str) -> System:
    """A fresh copy of a Debian, with more packages."""
    more = ("--variant=minbase", f"--include={','.join(packages)}") if packages else ()
    file = archive(place, suite, *more)
    folder = file.with_suffix("")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    run("tar", "xf", file, "-C", folder, cwd=place.work)
    return System(folder, index, place.version)


def _mirror() -> str:
    """The mirror of this machine's own packages."""
    for file in sorted(Path("/etc/apt/sources.list.d").glob("*.sources")):
        for line in file.read_text(encoding="utf-8").splitlines():
            if line.startswith("URIs:") and "debian" in line:
                return line.split()[1]
    return os.environ.get("DEBIAN_MIRROR", "")


@contextmanager
def running(*command: str, env: Mapping[str, str] | None = None) -> Iterator[None]:
    """A server on this machine until the end of the block; the first seconds are for its start."""
    with subprocess.Popen(
        command,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, **(env or {})},
    ) as process:
        try:
            process.wait(timeout=START_S)
        except subprocess.TimeoutExpired:
            yield
        else:
            raise ReleaseError(f"`{' '.join(command)}` ended at once")
        finally:
            process.terminate()
