"""A server of TechEmpower's tests without a database, right or with a fault in each reply."""

from __future__ import annotations

import contextlib
import html
import json
import random
import threading
from collections.abc import Callable, Iterator
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from urllib.parse import parse_qs, urlsplit

from httpdyno.workloads.world import ADDED, FORTUNES

Reply = tuple[dict[str, str], bytes]
Fault = Callable[[str, dict[str, str], bytes], Reply]
SECONDS = count()
JSON = "application/json"


def row() -> dict[str, int]:
    return {"id": random.randint(1, 10_000), "randomNumber": random.randint(1, 10_000)}


def page(rows: list[tuple[int, str]]) -> str:
    cells = "".join(f"<tr><td>{n}</td><td>{html.escape(text)}</td></tr>" for n, text in rows)
    return (
        "<!DOCTYPE html><html><head><title>Fortunes</title></head><body><table>"
        f"<tr><th>id</th><th>message</th></tr>{cells}</table></body></html>"
    )


def sorted_rows() -> list[tuple[int, str]]:
    return sorted([*FORTUNES.items(), (0, ADDED)], key=lambda one: one[1])


def right(path: str) -> Reply:
    at = urlsplit(path)
    given = parse_qs(at.query).get("queries", [""])[0]
    number = min(max(int(given), 1), 500) if given.isdecimal() else 1
    body, kind = json.dumps([row() for _ in range(number)]), JSON
    match at.path:
        case "/json":
            body = '{"message": "Hello, World!"}'
        case "/plaintext":
            body, kind = "Hello, World!", "text/plain"
        case "/db":
            body = json.dumps(row())
        case "/fortunes":
            body, kind = page(sorted_rows()), "text/html;charset=UTF-8"
    head = {"Server": "mine", "Date": formatdate(next(SECONDS), usegmt=True), "Content-Type": kind}
    return head, body.encode()


@contextlib.contextmanager
def serving(fault: Fault | None = None) -> Iterator[int]:
    """Serves on a port of 127.0.0.1. `fault` gets the path, the head and the body of each reply."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_GET(self) -> None:
            head, body = right(self.path)
            if fault is not None:
                head, body = fault(self.path, head, body)
            lines = [f"{name}: {value}\r\n" for name, value in head.items()]
            first = f"HTTP/1.1 200 OK\r\nContent-Length: {len(body)}\r\n"
            self.wfile.write(f"{first}{''.join(lines)}\r\n".encode() + body)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield server.server_address[1]
        server.shutdown()
        thread.join()
