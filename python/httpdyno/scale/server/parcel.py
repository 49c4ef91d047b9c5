"""Folders of servers on their way to another machine: bounded, without links, known by a digest."""

from __future__ import annotations

import hashlib
import io
import os
import shutil
import tarfile
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from httpdyno.errors import EnvironmentFault, UsageError
from httpdyno.servers import Server
from httpdyno.servers.folders import cache_folder
from httpdyno.servers.installation.digest import MOST_BYTES, MOST_FILES, files_of
from httpdyno.units import size

__all__ = ["Parcel", "is_sent", "pack", "sent_folder", "unpack"]

_HEADS = 2048
"""Bytes of a file in an archive that are not its content, at most."""


@dataclass(frozen=True)
class Parcel:
    """The files of a server's folder."""

    folder: Path
    names: tuple[str, ...]
    length: int
    """Bytes of all files together."""
    content: bytes
    """A tar archive of regular files only, the same for the same files."""

    @property
    def digest(self) -> str:
        """32 hexadecimal digits."""
        return _digest(self.content)

    @property
    def text(self) -> str:
        """Its size in words."""
        files = f"{len(self.names):,} file{'s' if len(self.names) != 1 else ''}"
        return f"{files}, {size(self.length)}, of `{self.folder}`"


def is_sent(server: Server, catalogue: Path) -> bool:
    """True for a server that other machines do not have: none of the catalogue."""
    return server.running_at is None and not server.folder.is_relative_to(catalogue)


def pack(server: Server) -> Parcel:
    """The files of a server's folder, without hidden ones and the products of a build.

    Raises UsageError for a folder that is too large, or that a link leads out of.
    """
    root = server.folder.resolve()
    archive, names, length = io.BytesIO(), [], 0
    with tarfile.open(fileobj=archive, mode="w", format=tarfile.PAX_FORMAT) as packed:
        for file in files_of(server.folder):
            if not file.resolve().is_relative_to(root):
                raise UsageError(
                    f"`{file}` is a link out of `{root}`, which is sent to the server's machine:"
                    " expected files of the folder only"
                )
            entry = tarfile.TarInfo(file.relative_to(server.folder).as_posix())
            content = _read(file)
            entry.size, entry.mode = len(content), 0o755 if os.access(file, os.X_OK) else 0o644
            packed.addfile(entry, io.BytesIO(content))
            names.append(entry.name)
            length += entry.size
    return Parcel(root, tuple(names), length, archive.getvalue())


def sent_folder(digest: str) -> Path:
    """The folder of a parcel on the machine that got it."""
    return cache_folder() / "sent" / digest


def unpack(content: bytes, digest: str) -> Path:
    """Writes a parcel into its folder, whole or not at all.

    Raises EnvironmentFault for one that is damaged, too large, or has anything but files inside.
    """
    if len(content) > MOST_BYTES + MOST_FILES * _HEADS or _digest(content) != digest:
        raise EnvironmentFault("the files of the server arrived damaged: run the command again")
    folder = sent_folder(digest)
    scratch = folder.with_name(f".{digest}.{os.getpid()}")
    try:
        shutil.rmtree(scratch, ignore_errors=True)
        scratch.mkdir(parents=True)
        _write_all(content, scratch)
        if not folder.exists():
            scratch.rename(folder)
    except (OSError, tarfile.TarError) as error:
        raise EnvironmentFault(f"`{folder}` cannot be written: {error}") from None
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    return folder


def _write_all(content: bytes, folder: Path) -> None:
    left = MOST_BYTES
    with tarfile.open(fileobj=io.BytesIO(content), mode="r:") as packed:
        for number, entry in enumerate(packed):
            name = PurePosixPath(entry.name)
            plain = entry.isreg() and not name.is_absolute() and ".." not in name.parts
            left -= entry.size
            if not plain or left < 0 or number >= MOST_FILES:
                raise EnvironmentFault(
                    f"the files of a server hold `{entry.name!r}`: expected at most"
                    f" {MOST_FILES:,} plain files and {MOST_BYTES // 1024**2} MiB inside its folder"
                )
            target = folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            data = packed.extractfile(entry)
            target.write_bytes(b"" if data is None else data.read(entry.size))
            target.chmod(0o755 if entry.mode & 0o100 else 0o644)


def _read(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise UsageError(f"`{file}` cannot be sent: {error.strerror}") from None


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:32]
