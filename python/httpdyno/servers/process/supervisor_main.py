"""The supervisor: a small process between httpdyno and a server. Run as a program, never imported.

It is the subreaper (prctl(2), PR_SET_CHILD_SUBREAPER) of everything that the server starts: a
process whose parent exits becomes its child, whatever session or environment that process has. When
its stdin closes, because httpdyno closed it or died, it kills all of them and exits.

stdin holds one line of JSON: `command`, `folder`, `environment`, `cpus` (null for all), `user` (the
numbers of a user and a group; null for its own). stdout gets lines of JSON: `{"pid": N}` or
`{"failed": "subreaper" | "command", "errno": N}`, then `{"exit_code": N}` when the server's first
process has exited. stderr is the server's log.

Standard library only: it runs with `-I -S` to be up within milliseconds.
"""

import contextlib
import ctypes
import json
import os
import resource
import select
import signal
import subprocess
import sys
import time

_PR_SET_CHILD_SUBREAPER = 36
_KILL_WITHIN_S = 10.0
_STDIN = 0
_LOG = 2


def main() -> None:
    """Start the server, then reap its processes until stdin closes."""
    orders = sys.stdin.buffer.readline()
    if not orders.endswith(b"\n"):
        return  # httpdyno died while it wrote them
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        _report(failed="subreaper", errno=ctypes.get_errno())
        return
    wakes = _woken_by_children()
    try:
        server = _spawn(**json.loads(orders))
    except OSError as error:
        _report(failed="command", errno=error.errno)
        return
    _report(pid=server.pid)
    while _STDIN not in select.select([_STDIN, wakes], [], [])[0]:
        os.read(wakes, 4096)
        _reap(server.pid)
    _kill_all(server.pid)


def _woken_by_children() -> int:
    """A descriptor that becomes readable when a child exits."""
    read, write = os.pipe()
    os.set_blocking(write, False)
    signal.set_wakeup_fd(write, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    return read


def _spawn(
    command: list[str],
    folder: str,
    environment: dict[str, str],
    cpus: list[int] | None,
    user: list[int] | None = None,
) -> subprocess.Popen[bytes]:
    """Start the server on its cores with the highest limit of open files.

    The process is to be kept: when it is deleted, it reaps a server that has exited at once, and
    the exit code is lost.
    """
    before = os.sched_getaffinity(0)
    most_files = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most_files, most_files))
    if cpus is not None:
        os.sched_setaffinity(0, cpus)
    uid, gid = user or (None, None)
    try:
        return subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=_LOG,
            stderr=_LOG,
            cwd=folder,
            env=environment,
            start_new_session=True,
            user=uid,
            group=gid,
            extra_groups=None if user is None else [],
        )
    finally:
        os.sched_setaffinity(0, before)


def _reap(server: int) -> bool:
    """Collect every child that has exited; whether any child is left."""
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return False
        if pid == 0:
            return True
        if pid == server:
            _report(exit_code=os.waitstatus_to_exitcode(status))


def _kill_all(server: int) -> None:
    """Kill every descendant. Those whose parent dies become children, so none is left when no child
    is. Gives up on what KILL does not end, such as a process of another user."""
    deadline = time.monotonic() + _KILL_WITHIN_S
    while _reap(server) and time.monotonic() < deadline:
        for pid in _descendants():
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.01)


def _descendants() -> list[int]:
    children: dict[int, list[int]] = {}
    for name in os.listdir("/proc"):  # noqa: PTH208  # pathlib takes long to import
        if name.isdigit():
            children.setdefault(_parent(name), []).append(int(name))
    found = children.get(os.getpid(), [])
    for pid in found:
        found.extend(children.get(pid, ()))
    return found


def _parent(pid: str) -> int:
    """The parent's pid from /proc/PID/stat (proc(5)); 0 when the process is gone."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:  # noqa: PTH123  # likewise
            return int(file.read().rpartition(b")")[2].split()[1])
    except OSError:
        return 0


def _report(**what: object) -> None:
    with contextlib.suppress(OSError):  # httpdyno may be gone; then stdin is closed too
        os.write(1, json.dumps(what).encode() + b"\n")


if __name__ == "__main__":
    main()
