"""The servers under load: freshly started, on one core, counting requests themselves."""

from __future__ import annotations

import http.client
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from httpdyno import engine

from peers.runs.rows import PAGES, POSTS

STARTING_S = 10.0
_NGINX = """user root;
pid {folder}/nginx.pid;
error_log {folder}/error.log crit;
daemon off;
worker_processes 1;
worker_cpu_affinity {mask};
worker_rlimit_nofile 65536;
events {{ worker_connections 20000; }}
http {{
    access_log off;
    sendfile on;
    tcp_nopush on;
    keepalive_requests {calls};
    server {{
        listen 127.0.0.1:{port} backlog=4096{ssl};
        root {folder}/files;
        location = /pong {{ default_type text/plain; return 200 "PONG"; }}
    }}
    server {{
        listen 127.0.0.1:{status};
        keepalive_requests 1000000000;
        location / {{ stub_status; }}
    }}
}}
"""


_TLS = """ ssl;
        ssl_certificate {folder}/server.pem;
        ssl_certificate_key {folder}/key.pem;
        ssl_protocols TLSv1.3;
        ssl_session_cache off;
        ssl_session_tickets off"""
_CERTIFICATE = (
    "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2"
    " -subj /CN=localhost -out {folder}/server.pem -keyout {folder}/key.pem"
)


@dataclass(frozen=True)
class Served:
    """A running server."""

    address: str
    count: Callable[[], int]
    """Number of requests read since its start."""
    closes: bool = False
    """It closes a connection after the row's number of calls."""


@contextmanager
def reference(
    cpu: int, _calls: int | None = None, _tls: bool = False, _http2: bool = False
) -> Iterator[Served]:
    """The reference server, on its own thread of this process."""
    pages = [(path, "text/plain", body) for path, body in (PAGES | POSTS).items()]
    with engine.reference(pages=pages, cpus=[cpu]) as server:
        yield Served(server.address, lambda: server.requests)


@contextmanager
def nginx(
    cpu: int, calls: int | None = None, tls: bool = False, http2: bool = False
) -> Iterator[Served]:
    """nginx with one worker. It closes connections after `calls`, for tools that cannot.

    With `tls` it serves only TLS, with a new certificate, and resumes no sessions. With `http2` and
    without `tls` it serves only HTTP/2 in clear text.
    """
    program = shutil.which("nginx")
    if program is None:
        raise FileNotFoundError("`nginx` is not installed")
    closes = calls is not None and calls > 1
    with tempfile.TemporaryDirectory(prefix="httpdyno-bench-") as name:
        folder = Path(name)
        port, status = _free_port(), _free_port()
        text = _NGINX.format(
            folder=folder,
            mask=format(1 << cpu, "b"),
            port=port,
            status=status,
            calls=calls if closes else 1_000_000_000,
            ssl=(" http2" if http2 else "") + (_TLS.format(folder=folder) if tls else ""),
        )
        if tls:
            words = _CERTIFICATE.format(folder=folder).split()
            subprocess.run(words, check=True, capture_output=True)
        (folder / "nginx.conf").write_text(text, encoding="utf-8")
        (folder / "files").mkdir()
        folder.chmod(0o755)
        for path, body in PAGES.items():
            (folder / "files" / path[1:]).write_bytes(body)
        words = [program, "-p", name, "-c", str(folder / "nginx.conf")]
        process = subprocess.Popen(words, stderr=subprocess.DEVNULL, start_new_session=True)
        try:
            counter = _Counter(status, process)
            yield Served(f"127.0.0.1:{port}", counter, closes)
        finally:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


class _Counter:
    """nginx's own count of requests, without those that ask for it."""

    def __init__(self, port: int, process: subprocess.Popen[bytes]) -> None:
        self._door = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
        self._own_requests = 0
        end = time.monotonic() + STARTING_S
        while True:
            try:
                self._door.connect()
                break
            except OSError:
                if process.poll() is not None or time.monotonic() > end:
                    raise
                time.sleep(0.01)

    def __call__(self) -> int:
        self._door.request("GET", "/")
        lines = self._door.getresponse().read().decode().splitlines()
        self._own_requests += 1
        return int(lines[2].split()[2]) - self._own_requests


def _free_port() -> int:
    with socket.socket() as door:
        door.bind(("127.0.0.1", 0))
        return int(door.getsockname()[1])


SERVERS = {"reference": reference, "nginx": nginx}
