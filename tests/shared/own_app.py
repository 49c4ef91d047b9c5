"""A user's own app of a few lines: it counts its requests, and can listen in several ways."""

from __future__ import annotations

from pathlib import Path

APP = """\
import collections, json, os, pathlib, signal, socket, socketserver, ssl, sys, threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

COUNTS = collections.Counter()
PAGES = {"/": b"Hello", "/a": b"a page", "/b": b"another", "/wrong": b"not what was expected"}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = 65536

    def answer(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        path = self.path
        COUNTS[f"{self.command} {path}"] += 1
        status, page = (200, PAGES[path]) if path in PAGES else (404, b"no")
        if path == "/orders" and self.command == "POST":
            status, page = 201, b"ordered " + body
        if path == "/mine":
            known = self.headers.get("Authorization") == "Bearer s3cret"
            status, page = (200, b"yours") if known else (401, b"who are you?")
        if path == "/changes":
            status, page = 200, str(COUNTS[f"GET {path}"]).encode()
        self.send_response(status)
        self.send_header("Content-Type", "text/plain")
        self.send_header("Content-Length", str(len(page)))
        self.end_headers()
        self.wfile.write(page)

    do_GET = do_POST = answer

    def address_string(self):
        return "somebody"

    def log_message(self, *_):
        pass


class OnSocket(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
    daemon_threads = True


def end(*_):
    folder = pathlib.Path(__file__).parent / "counts"
    folder.mkdir(exist_ok=True)
    (folder / f"{os.getpid()}.json").write_text(json.dumps(COUNTS))
    os._exit(0)


signal.signal(signal.SIGTERM, end)
where = sys.argv[1] if len(sys.argv) > 1 else os.environ["PORT"]
if where.isdigit():
    server = ThreadingHTTPServer(("127.0.0.1", int(where)), Handler)
else:
    server = OnSocket(where, Handler)
if len(sys.argv) > 3:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(sys.argv[2], sys.argv[3])
    server.socket = context.wrap_socket(server.socket, server_side=True)
if os.environ.get("GREETING"):
    PAGES["/"] = os.environ["GREETING"].encode()
print("listening", server.server_address[1] if where == "0" else where, flush=True)
server.daemon_threads = True
if os.environ.get("FORKS") and all(os.fork() for _ in range(int(os.environ["FORKS"]))):
    os._exit(0)
server.serve_forever()
"""

HEAD = """\
title = "My app"
blocks = {blocks}
warm_up = 0
"""
LOAD = """\
[loads.some]
kind = "closed"
connections = 1
requests = 40
"""
PAGE = """\
[[workloads.page.requests]]
path = "/"
expect = { status = 200, body = "Hello" }
"""


def write_app(folder: Path) -> Path:
    """Write the app; it takes a port (or the path of a socket), and a certificate and its key."""
    file = folder / "app.py"
    file.write_text(APP, encoding="utf-8")
    return file


def study(arms: str, workloads: str = PAGE, blocks: int = 1, load: str = LOAD) -> str:
    """The text of a study of the app."""
    return HEAD.format(blocks=blocks) + arms + workloads + load
