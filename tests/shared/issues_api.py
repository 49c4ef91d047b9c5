"""A local server that plays GitHub's comments on issues: list, create, edit; or refuse."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

TOKEN = "ghs_1234567890abcdef"
BOT = {"login": "github-actions[bot]", "type": "Bot"}


class Issues:
    """The comments of one pull request, and the requests that were made."""

    def __init__(self) -> None:
        self.comments: list[dict[str, Any]] = []
        self.requests: list[str] = []
        self.writes = True
        """False: the token is that of a fork, which may only read."""
        self.answers: dict[str, bytes] = {}
        """By method: what is answered in place of JSON."""
        self.moved: set[str] = set()
        """The methods that are redirected."""
        self.url = ""

    def add(self, body: str, user: dict[str, str] = BOT) -> dict[str, Any]:
        one = {"id": 100 + len(self.comments), "body": body, "user": user}
        self.comments.append(one | {"html_url": f"{self.url}/pull/7#{one['id']}"})
        return self.comments[-1]


@contextmanager
def issues_api() -> Iterator[Issues]:
    """The server; its address is `url`."""
    issues = Issues()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            page = int(re.search(r"[?&]page=(\d+)", self.path)[1])  # type: ignore[index]
            self._answer(200, issues.comments[100 * (page - 1) : 100 * page])

        def do_POST(self) -> None:
            self._write(issues.add)

        def do_PATCH(self) -> None:
            number = int(self.path.rpartition("/")[2])
            (one,) = [comment for comment in issues.comments if comment["id"] == number]
            self._write(lambda body: one | (one.update(body=body) or {}))

        def _write(self, change: Any) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["body"]
            if not issues.writes:
                self._answer(403, {"message": "Resource not accessible by integration"})
            else:
                self._answer(201, change(body))

        def _answer(self, status: int, value: object) -> None:
            issues.requests.append(f"{self.command} {self.path.partition('?')[0]}")
            if self.headers["Authorization"] != f"Bearer {TOKEN}":
                status, value = 401, {"message": "Bad credentials"}
            data = issues.answers.get(self.command, json.dumps(value).encode())
            if self.command in issues.moved:
                issues.moved.remove(self.command)
                status = 302
            self.send_response(status)
            if status == 302:
                self.send_header("Location", f"{issues.url}{self.path}?page=1")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: object) -> None: ...

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        issues.url = f"http://127.0.0.1:{server.server_port}"
        try:
            yield issues
        finally:
            server.shutdown()
            thread.join()
