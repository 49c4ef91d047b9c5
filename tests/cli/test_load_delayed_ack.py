"""Replies that wait for a delayed acknowledgement, from a real server."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from .conftest import Program

WORDS = "the server waits for a delayed acknowledgement"


class TwoWrites(BaseHTTPRequestHandler):
    """Writes header and body one after the other, as `http.server` does."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", "5")
        self.end_headers()
        self.wfile.write(b"hello")

    def log_message(self, *_: object) -> None:
        """Stay quiet."""


class TwoWritesAtOnce(TwoWrites):
    """The same with TCP_NODELAY."""

    disable_nagle_algorithm = True


@pytest.fixture
def url(request: pytest.FixtureRequest) -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), request.param) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()
        thread.join()


@pytest.mark.parametrize(
    ("url", "told"), [(TwoWrites, True), (TwoWritesAtOnce, False)], indirect=["url"]
)
def test_a_server_that_waits_for_acknowledgements_is_told_so(
    url: str, told: bool, httpdyno: Program
) -> None:
    ended = httpdyno("load", url, "--connections", "2", "-n", "60")
    assert (WORDS in " ".join(ended.stdout.split())) is told
