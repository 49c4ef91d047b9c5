"""Runs a command for which `io_uring_setup` is forbidden, as Docker's usual profile forbids it.

python without_io_uring.py COMMAND...
"""

from __future__ import annotations

import ctypes
import errno
import os
import sys

IO_URING_SETUP = 425
"""The same number on every processor architecture."""
PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 38, 22, 2
LOAD_NUMBER, IF_EQUAL, RETURN = 0x20, 0x15, 0x06
ALLOW, ERRNO = 0x7FFF0000, 0x00050000


class _Instruction(ctypes.Structure):
    _fields_ = (
        ("code", ctypes.c_ushort),
        ("if_true", ctypes.c_ubyte),
        ("if_false", ctypes.c_ubyte),
        ("k", ctypes.c_uint),
    )


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.POINTER(_Instruction)))


def main() -> None:
    """Install the filter, then become the command."""
    instructions = (_Instruction * 4)(
        _Instruction(LOAD_NUMBER, 0, 0, 0),
        _Instruction(IF_EQUAL, 0, 1, IO_URING_SETUP),
        _Instruction(RETURN, 0, 0, ERRNO | errno.EPERM),
        _Instruction(RETURN, 0, 0, ALLOW),
    )
    c = ctypes.CDLL(None, use_errno=True)
    program = ctypes.byref(_Program(len(instructions), instructions))
    if c.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) or c.prctl(
        PR_SET_SECCOMP, SECCOMP_MODE_FILTER, program, 0, 0
    ):
        sys.exit(f"error: no seccomp filter: {os.strerror(ctypes.get_errno())}")
    os.execvp(sys.argv[1], sys.argv[1:])  # noqa: S606 - it runs what its caller names


if __name__ == "__main__":
    main()
