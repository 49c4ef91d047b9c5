"""nginx, for comparisons against a server that people use."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

STARTING_S = 60.0
PAGES = {"pong": b"PONG", "1k": b"x" * 1000, "50k": b"x" * 50_000}
_CONFIGURATION = """\
daemon off;
pid {folder}/nginx.pid;
error_log {folder}/error.log;
worker_processes 1;
events {{ worker_connections 4096; }}
http {{
    access_log off;
    keepalive_requests 1000000;
    client_body_temp_path {folder};
    proxy_temp_path {folder};
    fastcgi_temp_path {folder};
    uwsgi_temp_path {folder};
    scgi_temp_path {folder};
    server {{
        listen 127.0.0.1:{port} backlog=4096;
        root {folder}/pages;
        location = / {{ default_type text/plain; return 200 "Hello, world!"; }}
        location = /moved {{ return 302 /; }}
        location = /broken {{ return 503; }}
    }}
}}
"""


@contextmanager
def nginx(folder: Path) -> Iterator[str]:
    """The address of an nginx with one worker and a few pages."""
    program = shutil.which("nginx", path=f"{os.environ['PATH']}:/usr/sbin")
    if program is None:
        pytest.skip("`nginx` is not installed")
    (folder / "pages").mkdir(parents=True)
    for name, body in PAGES.items():
        (folder / "pages" / name).write_bytes(body)
    for place in (folder, *folder.parents):  # its worker is another user
        if place.owner() != "root" or place.stat().st_mode & 0o005 == 0o005:
            break
        place.chmod(place.stat().st_mode | 0o055)
    with socket.socket() as door:
        door.bind(("127.0.0.1", 0))
        port = int(door.getsockname()[1])
    text = _CONFIGURATION.format(folder=folder, port=port)
    (folder / "nginx.conf").write_text(text, encoding="utf-8")
    process = subprocess.Popen(
        [program, "-p", str(folder), "-c", "nginx.conf"],
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        _wait_for(port, process)
        yield f"127.0.0.1:{port}"
    finally:
        os.killpg(process.pid, signal.SIGTERM)
        process.wait()


def _wait_for(port: int, process: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + STARTING_S
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=5).close()
        except OSError:
            if process.poll() is not None or time.monotonic() > end:
                raise
            time.sleep(0.02)
        else:
            return
