"""Bare Debian systems in folders, with a network of their own in which there is nothing else."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from pathlib import Path

from release.place import Place, run

__all__ = ["BARE", "System", "made"]

PYTHON = ("python3", "python3-venv")
BARE = ("bookworm", "trixie")
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
exec chroot "$SYSTEM" env -i HOME=/root LANG=C.UTF-8 PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin \\
  PIP_INDEX_URL="http://127.0.0.1:$PORT/simple" UV_DEFAULT_INDEX="http://127.0.0.1:$PORT/simple" \\
  PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_ROOT_USER_ACTION=ignore VERSION="$VERSION" sh -eu "$@"
"""


@dataclass(frozen=True)
class System:
    """An unpacked Debian."""

    folder: Path
    index: Path
    version: str

    def script(self, file: Path, *words: str) -> str:
        """Runs a script of this repository in the system, and returns what it printed."""
        shutil.copy(file, self.folder / "root" / file.name)
        environment = {
            "SYSTEM": str(self.folder),
            "INDEX": str(self.index),
            "PORT": str(PORT),
            "VERSION": self.version,
        }
        enter = ("unshare", "--net", "--mount", "--pid", "--fork", "--kill-child")
        command = (*enter, "bash", "-c", _ENTER, "bash", f"/root/{file.name}", *words)
        return run(*command, cwd=self.folder, env=environment)


def made(place: Place, suite: str, index: Path) -> System:
    """A fresh copy of a Debian with Python, and nothing that compiles."""
    archive = place.work / "systems" / f"{suite}.tar"
    if not archive.exists():
        archive.parent.mkdir(parents=True, exist_ok=True)
        part = archive.with_suffix(".part.tar")
        packages = f"--include={','.join(PYTHON)}"
        mirror = [found] if (found := _mirror()) else []
        run("mmdebstrap", "--variant=minbase", packages, suite, part, *mirror, cwd=place.work)
        part.rename(archive)
    folder = archive.with_suffix("")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    run("tar", "xf", archive, "-C", folder, cwd=place.work)
    return System(folder, index, place.version)


def _mirror() -> str:
    """The mirror of this machine's own packages."""
    for file in sorted(Path("/etc/apt/sources.list.d").glob("*.sources")):
        for line in file.read_text(encoding="utf-8").splitlines():
            if line.startswith("URIs:") and "debian" in line:
                return line.split()[1]
    return os.environ.get("DEBIAN_MIRROR", "")
