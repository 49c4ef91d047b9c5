"""Small servers of the tests' own, in folders of their own."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from httpdyno.servers import Server, load_server

MakeServer = Callable[..., Server]

TOML = """\
name        = "mine"
title       = "Mine"
language    = "Python"
homepage    = "https://example.org"
licence     = "MIT"
maintained  = true
concurrency = "one thread a connection"
workloads   = ["pong"]

[install]
kind = "none"

[version]
command = ["{python}", "-c", "print('mine 1.2.3')"]

[deployments.plain]
command = ["{python}", "app.py", "{port}"]

[ready]
timeout_s = 60

[stop]
grace_s = 30
"""

APP = """\
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = 65536

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/plain")
        self.send_header("Content-Length", "4")
        self.end_headers()
        self.wfile.write(b"PONG")


ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
"""


@pytest.fixture(autouse=True)
def own_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing of a test goes into the user's cache or state."""
    monkeypatch.setenv("HTTPDYNO_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("HTTPDYNO_STATE", str(tmp_path / "state"))


@pytest.fixture
def make_server(tmp_path: Path) -> MakeServer:
    """A function that writes a server's folder and reads it back."""

    def make(*, app: str = APP, toml: str = TOML, name: str = "mine") -> Server:
        folder = tmp_path / name
        folder.mkdir(exist_ok=True)
        (folder / "app.py").write_text(app, encoding="utf-8")
        (folder / "server.toml").write_text(toml, encoding="utf-8")
        return load_server(folder / "server.toml")

    return make


@pytest.fixture
def python() -> str:
    return sys.executable
