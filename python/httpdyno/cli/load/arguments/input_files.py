"""Files that flags name: bodies, certificates, keys, lists of URLs.

The engine reads regular files itself, by their path. What can be read only once, such as a FIFO, a
pipe on stdin or a shell's `<(command)`, is read here: within a time and up to a size.
"""

from __future__ import annotations

import os
import select
import stat
from pathlib import Path

from httpdyno.cli.faults import UnreadableError
from httpdyno.cli.values import plain_text
from httpdyno.output.files import descriptor_of

__all__ = ["MOST_BYTES", "file_in_memory", "read_input", "read_whole", "text_or_file"]

MOST_BYTES = 64 * 1024**2
"""The most that is read from a pipe."""
_MOST_IN_A_FILE = 1024**3
"""The longest request that the engine sends."""
_PATIENCE_S = 5.0
"""The longest wait for the writer of a pipe, each time."""


def read_input(name: str) -> Path | bytes:
    """The path of a regular file, or the content of anything else. Raises ValueError."""
    if not name:
        raise ValueError("expected the name of a file")
    try:
        name.encode()
        descriptor = descriptor_of(name)
        if descriptor is not None:
            return _drain(os.dup(descriptor), name)
        path = Path(name).resolve()
        # A FIFO that nobody writes to must not hang here.
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            return _drain(handle, name)
        size = os.fstat(handle).st_size
        os.close(handle)
    except UnicodeEncodeError:
        raise ValueError("expected the name of a file in UTF-8") from None
    except OSError as refused:
        raise UnreadableError(f"cannot read `{name}`: {refused.strerror}") from None
    if size > _MOST_IN_A_FILE:
        raise ValueError(f"`{name}` has {size:,} bytes: expected 1 GiB at most")
    return path


def read_whole(name: str) -> bytes:
    """The content of a file or pipe, 64 MiB at most; `-` is stdin. Raises ValueError."""
    found = read_input("/dev/stdin" if name == "-" else name)
    if isinstance(found, bytes):
        return found
    try:
        with found.open("rb") as file:
            content = file.read(MOST_BYTES + 1)
    except OSError as refused:  # `/proc/self/mem` can be opened, but not read
        raise UnreadableError(f"cannot read `{name}`: {refused.strerror}") from None
    if len(content) > MOST_BYTES:
        raise ValueError(f"`{name}` has more than {MOST_BYTES // 1024**2} MiB")
    return content


def text_or_file(text: str) -> str:
    """The text, or for `@FILE` the content of the file. Raises ValueError."""
    if not text.startswith("@"):
        return plain_text(text)
    try:
        return read_whole(text[1:]).decode()
    except UnicodeDecodeError:
        raise ValueError(f"`{text[1:]}` is no UTF-8") from None


def file_in_memory(content: bytes) -> str:
    """The path of a file with this content that only this process has, until it ends."""
    handle = os.memfd_create("httpdyno")
    with os.fdopen(handle, "wb", closefd=False) as file:
        file.write(content)
    return f"/proc/self/fd/{handle}"


def _drain(handle: int, name: str) -> bytes:
    """All that comes out of a descriptor until its end, which is then closed."""
    content = bytearray()
    waiter = select.poll()
    waiter.register(handle, select.POLLIN)
    with os.fdopen(handle, "rb", 0):
        while len(content) <= MOST_BYTES:
            if not waiter.poll(_PATIENCE_S * 1000):
                raise ValueError(f"cannot read `{name}`: nothing came within {_PATIENCE_S:g} s")
            try:
                piece = os.read(handle, 1 << 20)
            except OSError as refused:
                raise UnreadableError(f"cannot read `{name}`: {refused.strerror}") from None
            if not piece:
                return bytes(content)
            content += piece
    raise ValueError(
        f"`{name}` has more than {MOST_BYTES // 1024**2} MiB: put it into a file first"
    )
