"""Output files: the only place where the program writes a file that a user named.

A regular file is whole or absent: its content goes to a temporary file in the same folder, which
then takes its name. A symbolic link stays, and its target is replaced. Anything else (a device, a
FIFO, `/dev/stdout`, a shell's `>(command)`) is opened and written to, never replaced.
"""

from __future__ import annotations

import contextlib
import errno
import os
import shlex
import stat
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from httpdyno.errors import EnvironmentFault

__all__ = ["check_file", "check_folder", "descriptor_of", "write_descriptor", "write_file"]

_LINKS = 40  # as many as Linux follows
_READER_S = 5.0
"""The longest wait for a program that opens a FIFO for reading."""


def write_file(path: str | Path, content: str | bytes) -> None:
    """Write all of `content` to `path`; text becomes UTF-8.

    A reader that closes its end of a pipe early has read enough: that is no error.
    Raises EnvironmentFault with the path and the reason.
    """
    data = content if isinstance(content, bytes) else content.encode(errors="backslashreplace")
    with _explain_errors(path):
        descriptor = descriptor_of(path)
        target = _target(path)
        mode = _mode(target)
        if descriptor is not None:
            write_descriptor(descriptor, data)
        elif mode is not None and not stat.S_ISREG(mode):
            _write_special(target, data)
        else:
            _replace(target, data, mode)


def check_file(path: str | Path) -> None:
    """Find out, before the work, whether `path` can be written; leaves nothing behind.

    Raises EnvironmentFault with the path and the reason.
    """
    with _explain_errors(path):
        descriptor = descriptor_of(path)
        if descriptor is not None:
            os.fstat(descriptor)
            return
        target = _target(path)
        mode = _mode(target)
        if mode is not None and stat.S_ISDIR(mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        if mode is not None:
            _demand_permission(target)
        if mode is None or stat.S_ISREG(mode):
            handle, scratch = _scratch(target)
            os.close(handle)
            _remove(scratch)


def check_folder(folder: Path) -> None:
    """Find out whether a folder is there or can be created without others above it.

    Raises EnvironmentFault.
    """
    if (hint := _folder_hint(folder)) is not None:
        reason = os.strerror(errno.ENOENT)
        raise EnvironmentFault(f"`{folder}` cannot be created: {reason}", hint=hint)


def descriptor_of(path: str | Path) -> int | None:
    """The open file of this process that `path` names, such as `/dev/stdout`; None: another file.

    Opening the path again would begin at the file's start and lose what `>>` must keep.
    """
    place = Path(path)
    for _ in range(_LINKS):
        folder = _target(place.parent)
        if str(folder) == f"/proc/{os.getpid()}/fd" and place.name.isdecimal():
            return int(place.name)
        place = folder / place.name
        if not place.is_symlink():
            return None
        place = folder / place.readlink()
    return None


def write_descriptor(descriptor: int, data: bytes) -> None:
    """Write all of `data` to an open file, after what Python's own streams hold back for it.

    A closed pipe is no error. Raises OSError.
    """
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError, AttributeError):
            stream.flush()
    with contextlib.suppress(BrokenPipeError), os.fdopen(os.dup(descriptor), "wb", 0) as file:
        _write_all(file.fileno(), data)


@contextlib.contextmanager
def _explain_errors(path: str | Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error)
        message = f"`{path}` cannot be written: {reason}"
        raise EnvironmentFault(message, hint=_folder_hint(Path(path))) from error


def _folder_hint(path: Path) -> str | None:
    """The command that creates the folder of a file or folder; None: it is there."""
    return None if path.parent.exists() else f"mkdir -p {shlex.quote(str(path.parent))}"


def _target(path: str | Path) -> Path:
    """The path without symbolic links; unlike `Path.resolve`, it leaves a circle of them alone."""
    return Path(os.path.realpath(path))


def _mode(target: Path) -> int | None:
    """The type and permissions of a file; None: there is none."""
    try:
        return target.stat().st_mode
    except FileNotFoundError:
        return None


def _demand_permission(target: Path) -> None:
    """Raise PermissionError for a read-only file, although its folder lets it be replaced."""
    if not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))


def _replace(target: Path, data: bytes, mode: int | None) -> None:
    if mode is not None:
        _demand_permission(target)
    handle, scratch = _scratch(target)
    try:
        with os.fdopen(handle, "wb", 0):
            _write_all(handle, data)
            if mode is not None:
                _keep_owner(handle, target)
                os.fchmod(handle, stat.S_IMODE(mode))
            os.fsync(handle)
            if not scratch.exists():
                # Only with a folder does `link` follow this link (and ignores the folder).
                os.link(f"/proc/self/fd/{handle}", scratch, src_dir_fd=handle)
        scratch.replace(target)
    except BaseException:
        _remove(scratch)
        raise


def _scratch(target: Path) -> tuple[int, Path]:
    """A new file beside `target`, with the permissions that the umask gives, and its name.

    Where the file system can do it, the name is not given to the file yet: a program that is killed
    leaves nothing behind.
    """
    # The name does not contain the target's, which may already be as long as a name can be.
    scratch = target.parent / f".httpdyno-{os.urandom(8).hex()}"
    flags = os.O_WRONLY | os.O_CLOEXEC
    try:
        return os.open(target.parent, flags | os.O_TMPFILE, 0o666), scratch
    except OSError as error:
        if error.errno not in (errno.EOPNOTSUPP, errno.EISDIR):
            raise
    return os.open(scratch, flags | os.O_CREAT | os.O_EXCL, 0o666), scratch


def _remove(scratch: Path) -> None:
    with contextlib.suppress(OSError):
        scratch.unlink()


def _keep_owner(handle: int, target: Path) -> None:
    owner = target.stat()
    with contextlib.suppress(OSError):  # only root may give a file away
        os.fchown(handle, owner.st_uid, owner.st_gid)


def _write_special(target: Path, data: bytes) -> None:
    handle = _open_to_write(target)
    with contextlib.suppress(BrokenPipeError), os.fdopen(handle, "wb", 0):
        os.set_blocking(handle, True)
        _write_all(handle, data)


def _open_to_write(target: Path) -> int:
    """Open a device or a FIFO; a FIFO that nobody reads is waited for, but not for ever."""
    deadline = time.monotonic() + _READER_S
    while True:
        try:
            return os.open(target, os.O_WRONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError as error:
            if error.errno != errno.ENXIO or not target.is_fifo():
                raise
            if time.monotonic() > deadline:
                reason = f"it is a FIFO that no program opened for reading within {_READER_S:g} s"
                raise OSError(errno.ENXIO, reason) from None
        time.sleep(0.05)


def _write_all(handle: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(handle, rest) :]
