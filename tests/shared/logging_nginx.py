"""nginx on a machine of the tests, with an access log whose lines can be counted."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
from namespaces import SERVER, Namespaces

PORT = 8080
BODY = "Hello, world!"
_CONFIGURATION = """\
user root;
daemon off;
pid {folder}/nginx.pid;
error_log stderr error;
worker_processes 1;
events {{ worker_connections 4096; }}
http {{
    access_log {folder}/access.log;
    keepalive_requests 1000000;
    client_body_temp_path {folder};
    proxy_temp_path {folder};
    fastcgi_temp_path {folder};
    uwsgi_temp_path {folder};
    scgi_temp_path {folder};
    server {{
        listen {address}:{port} backlog=4096;
        location / {{ default_type text/plain; return 200 "{body}"; }}
    }}
}}
"""
_CONNECT = (
    "import socket, sys; socket.create_connection((sys.argv[1], int(sys.argv[2])), 5).close()"
)


class LoggingNginx:
    """A running nginx with one worker. It ends with its machine."""

    def __init__(self, machines: Namespaces, folder: Path) -> None:
        program = shutil.which("nginx", path=f"{os.environ['PATH']}:/usr/sbin")
        if program is None:
            pytest.skip("`nginx` is not installed")
        folder.mkdir(parents=True)
        self.host = machines.address(SERVER)
        self.log = folder / "access.log"
        text = _CONFIGURATION.format(folder=folder, address=self.host, port=PORT, body=BODY)
        (folder / "nginx.conf").write_text(text, encoding="utf-8")
        argv = [program, "-e", "stderr", "-p", str(folder), "-c", "nginx.conf"]
        process = machines.start(SERVER, argv, stderr=subprocess.DEVNULL)
        connect = [sys.executable, "-c", _CONNECT, self.host, str(PORT)]
        while machines.run(SERVER, connect).returncode:
            assert process.poll() is None, "nginx ended"
            time.sleep(0.02)

    @property
    def url(self) -> str:
        """The address to load."""
        return f"http://{self.host}:{PORT}/"

    def lines(self, path: str) -> int:
        """The requests of a path in the access log so far."""
        with self.log.open(encoding="utf-8") as log:
            return sum(f" {path} " in line for line in log)
