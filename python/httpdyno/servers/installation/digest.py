"""The digest of everything that an installation is made from, and the copy that is installed."""

from __future__ import annotations

import hashlib
import json
import os
import platform
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

from httpdyno.errors import UsageError
from httpdyno.servers.declaration.server import Server
from httpdyno.servers.installation.requirements import toolchain_digests

LAYOUT = 2
"""Increased when install.py changes its layout, so that servers are installed again."""

MOST_FILES = 2_000
MOST_BYTES = 64 * 1024**2
_NOT_SOURCE = {"__pycache__", "node_modules", "target"}


def digest_of(server: Server) -> str:
    """16 hexadecimal digits, made from the server's files, the variables of `install.needs`, the
    machine's architecture, its toolchains and, for pip, the Python version. A server that runs in
    place is known by its folder and its commands instead: nothing of it is copied."""
    if server.in_place:
        return hashlib.sha256(_declared_facts(server)).hexdigest()[:16]
    seen = hashlib.sha256(f"{LAYOUT} {platform.system()} {platform.machine()}\0".encode())
    if server.install.kind == "pip":
        seen.update(f"{sys.executable} {platform.python_version()}\0".encode())
    for toolchain in toolchain_digests(server):
        seen.update(f"{toolchain}\0".encode())
    for name in server.install.needs:
        seen.update(f"{name}={os.environ.get(name)}\0".encode())
    for place, file in sorted(sources(server).items()):
        content = _rules(server) if file == server.folder / "server.toml" else file.read_bytes()
        seen.update(os.fsencode(place) + b"\0%d\0" % len(content))
        seen.update(content)
    return seen.hexdigest()[:16]


def _declared_facts(server: Server) -> bytes:
    """The facts that distinguish one server that runs in place from another."""
    used = server.model_dump(mode="json", include={"folder", "build", "deployments", "running_at"})
    return json.dumps(used, sort_keys=True).encode()


def _rules(server: Server) -> bytes:
    """The tables of server.toml that affect the installation; a new description does not."""
    used = server.model_dump(mode="json", include={"install", "build", "version"})
    if not server.install.repositories:
        del used["install"]["repositories"]  # digests from before this key remain valid
    return json.dumps(used, sort_keys=True).encode()


def copy_sources(server: Server, to: Path) -> None:
    """Copy the server's files into one folder."""
    to.mkdir(parents=True)
    for name, file in sources(server).items():
        target = to / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(file, target)


def sources(server: Server) -> dict[Path, Path]:
    """The files of a server, by their places in its copy. Its own come before its families'.

    Raises UsageError for a folder that is too large, or cannot be read whole.
    """
    return {
        file.relative_to(folder): file for folder in server.folders for file in files_of(folder)
    }


def files_of(folder: Path) -> list[Path]:
    """The files of a server's folder, without hidden ones and the products of a build.

    Raises UsageError for a folder that is too large, or cannot be read whole.
    """
    found: list[Path] = []
    total = 0
    try:
        for file in _walk(folder):
            found.append(file)
            total += file.stat().st_size
            if len(found) > MOST_FILES or total > MOST_BYTES:
                raise _too_large(folder)
    except OSError as error:
        raise UsageError(
            f"`{folder}` cannot be read whole: `{error.filename}`: {error.strerror}"
        ) from None
    return sorted(found)


def _too_large(folder: Path) -> UsageError:
    return UsageError(
        f"`{folder}` is too large for a server's folder: expected at most "
        f"{MOST_FILES:,} files and {MOST_BYTES // 1024**2} MiB",
        hint="move `server.toml` and the server's source into a folder of their own",
    )


def _walk(folder: Path) -> Iterator[Path]:
    for entry in folder.iterdir():
        if entry.name.startswith(".") or entry.name in _NOT_SOURCE:
            continue
        if entry.is_symlink() and folder.resolve().is_relative_to(entry.resolve()):
            continue  # a folder above it, as `/proc/self/root` is
        if entry.is_dir():
            yield from _walk(entry)
        elif entry.is_file():
            yield entry
