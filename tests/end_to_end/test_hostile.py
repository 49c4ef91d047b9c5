"""`httpdyno load`, the whole program, against servers and machines that fail it.

Whatever they do, there is an exit code, counts that add up, and one sentence.
"""

from __future__ import annotations

import json
import os
import resource
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

TARGET, ENVIRONMENT, INVALID = 3, 4, 6
SOURCES = Path(__file__).parents[2] / "python"
PONG = b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nPONG"
FLOOD = b"HTTP/1.1 200 OK\r\n\r\n" + b"x" * 100_000
MORE_MEMORY = 32 << 10
"""KiB that a flood may cost the program beyond a plain reply."""


@contextmanager
def raw_server(answer: Callable[[socket.socket], None]) -> Iterator[str]:
    """A server that calls `answer` with each connection once bytes have come on it; its URL."""

    def serve(connection: socket.socket) -> None:
        with connection:
            try:
                while connection.recv(4096):
                    answer(connection)
            except OSError:
                return  # The client is gone, as it should be.

    def accept() -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return  # The listener was shut down.
            threading.Thread(target=serve, args=[connection], daemon=True).start()

    with socket.create_server(("127.0.0.1", 0)) as listener:
        accepting = threading.Thread(target=accept)
        accepting.start()
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}/"
        finally:
            listener.shutdown(socket.SHUT_RDWR)
            accepting.join()


def load(
    *arguments: str, folder: Path | None = None, before: Callable[[], None] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run `httpdyno load` with these arguments in a folder, after `before` in the new process."""
    environment = {**os.environ, "PYTHONPATH": str(SOURCES), "NO_COLOR": "1", "COLUMNS": "120"}
    return subprocess.run(
        [sys.executable, "-m", "httpdyno", "load", *arguments],
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
        preexec_fn=before,
    )


def send(data: bytes) -> Callable[[socket.socket], None]:
    """An answer of these bytes."""
    return lambda connection: connection.sendall(data)


def flood(connection: socket.socket) -> None:
    """An answer without end."""
    while True:
        connection.sendall(FLOOD)


@pytest.mark.parametrize(
    ("answer", "class_"),
    [
        (send(b"\x15\x03\x01\x00\x02\x02F"), "protocol"),
        (send(PONG[:-1]), "reply_timeout"),
        (flood, "reply_timeout"),
        (lambda connection: connection.close(), "early_close"),
    ],
    ids=["a TLS alert", "half a reply", "a flood", "a close"],
)
def test_each_call_to_a_hostile_server_ends_in_its_class(
    answer: Callable[[socket.socket], None], class_: str, tmp_path: Path
) -> None:
    with raw_server(answer) as url:
        # Where no timeout is expected, a busy machine must not cause one.
        timeout = "300ms" if class_ == "reply_timeout" else "60s"
        flags = ["-n", "4", "-c", "2", "--timeout", timeout, "--connect-timeout", "60s"]
        result = load(url, *flags, "--json", "out.json", folder=tmp_path)
    assert result.returncode == INVALID, result.stderr
    assert "Traceback" not in result.stderr
    calls = json.loads((tmp_path / "out.json").read_text())["measurement"]["calls"]
    assert calls["errors"] == {class_: 4}
    assert f"4 {class_}: " in result.stdout


@pytest.mark.parametrize("driver", ["epoll", "io_uring"])
def test_a_flood_costs_no_memory_that_a_reply_does_not(driver: str) -> None:
    def peak_kib(answer: Callable[[socket.socket], None]) -> int:
        with raw_server(answer) as url:
            flags = ["-n", "2", "-c", "2", "--timeout", "700ms", "--driver", driver, "-q"]
            command = [sys.executable, "-m", "httpdyno", "load", url, *flags]
            program = subprocess.Popen(
                command,
                env={**os.environ, "PYTHONPATH": str(SOURCES)},
                stderr=subprocess.DEVNULL,
            )
            _, status, usage = os.wait4(program.pid, 0)
            program.returncode = os.waitstatus_to_exitcode(status)
        return usage.ru_maxrss

    assert peak_kib(flood) <= peak_kib(send(PONG)) + MORE_MEMORY


@pytest.mark.parametrize("driver", ["epoll", "io_uring"])
def test_bytes_behind_each_reply_make_the_run_suspect(driver: str) -> None:
    too_much = PONG.replace(b"Content-Length: 4", b"Content-Length: 1")
    with raw_server(lambda connection: connection.sendall(too_much)) as url:
        done = load(url, "-n", "50", "-c", "1", "--driver", driver)
    told = " ".join(done.stdout.split())
    assert "50 × 200" in told
    assert "connections were closed because the server sent bytes that belong to no reply" in told


def test_a_low_limit_of_open_files_is_told_before_the_run() -> None:
    def lower() -> None:
        resource.setrlimit(resource.RLIMIT_NOFILE, (256, 256))

    with raw_server(send(PONG)) as url:
        result = load(url, "-c", "1000", before=lower)
    assert result.returncode == ENVIRONMENT
    assert "`1000` connections need 1064 open files, and this process may have 256" in result.stderr
    assert "hint: " in result.stderr
    assert "Traceback" not in result.stderr


def test_a_name_without_an_address_is_one_error() -> None:
    result = load("http://no-such-host.invalid/")
    assert result.returncode == TARGET
    errors = [line for line in result.stderr.splitlines() if line.startswith("error: ")]
    assert len(errors) == 1
    assert "`no-such-host.invalid`" in errors[0]


FEW_PORTS = """
import fcntl, socket, struct, subprocess, sys
with socket.socket() as any_socket:
    up = struct.pack("16sh14x", b"lo", 1)
    fcntl.ioctl(any_socket, 0x8914, up)  # SIOCSIFFLAGS: IFF_UP
with open("/proc/sys/net/ipv4/ip_local_port_range", "w") as ports:
    ports.write("40000 40007")
with socket.create_server(("127.0.0.1", 8080)):
    sys.exit(subprocess.run([sys.executable, *sys.argv[1:]]).returncode)
"""
"""In a network of its own: eight ports for outgoing connections, a server that never answers."""


def few_ports(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run Python with these arguments where only eight ports are left."""
    return subprocess.run(
        ["unshare", "--net", sys.executable, "-c", FEW_PORTS, *arguments],
        env={**os.environ, "PYTHONPATH": str(SOURCES), "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("driver", ["epoll", "io_uring"])
def test_ports_that_run_out_are_told_as_such(driver: str, tmp_path: Path) -> None:
    if (refused := few_ports("-c", "")).returncode:
        pytest.skip(f"no network namespace of its own here: {refused.stderr.strip()[-200:]}")
    out = tmp_path / "out.json"
    flags = ["-c", "12", "-d", "500ms", "--timeout", "300ms", "--drain", "100ms", "-q"]
    flags += ["--driver", driver, "--json", str(out)]
    result = few_ports("-m", "httpdyno", "load", "http://127.0.0.1:8080/", *flags)
    assert result.returncode == INVALID, result.stderr
    calls = json.loads(out.read_text())["measurement"]["calls"]
    assert calls["ok"] == 0
    assert calls["errors"]["addresses"] >= 4
    assert calls["due"] == calls["sent"] == sum(calls["errors"].values()) + calls["in_flight"]
