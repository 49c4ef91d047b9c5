"""The replies of a load are checked as far as they are declared, and the summary says how far."""

from __future__ import annotations

import http.server
import itertools
import json
import threading
import uuid
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from httpdyno.cli.load.output.checked import checked
from httpdyno.engine_plan import EnginePlan
from httpdyno.engine_plan.reading import read

from .conftest import Program
from .measurements import measurement

PAGE, ERROR = b"<h1>Shop</h1>" + b"item " * 50, b"<h1>Database unavailable</h1>"


@contextmanager
def serving(bodies: Iterable[bytes]) -> Iterator[str]:
    """A server whose replies have status 200, and these bodies one after the other."""
    rest, lock = iter(bodies), threading.Lock()

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            with lock:
                body = next(rest)
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Keep the output of the tests clean."""

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


def dynamic() -> Iterator[bytes]:
    """Pages of one size that have an id each."""
    while True:
        yield PAGE + uuid.uuid4().bytes


CASES = {
    "one page": (itertools.repeat(PAGE), [], "", "status, and every byte as in the first reply"),
    "an error page every other time": (
        itertools.cycle([PAGE, ERROR]),
        [],
        "200 of 400 replies had another size than the first one",
        "status only; 200 bodies have another size than the first",
    ),
    "an error page of the same size once": (
        itertools.chain([PAGE] * 99, [PAGE[::-1]], itertools.repeat(PAGE)),
        [],
        "1 of 400 replies had another body than the first one",
        "status and size; 1 of 400 bodies differ from the first",
    ),
    "a page with an id": (
        dynamic(),
        [],
        "",
        "status and size; 399 of 400 bodies differ from the first",
    ),
    "an error page of the same size from the second reply on": (
        itertools.chain([PAGE], itertools.repeat(PAGE[::-1])),
        [],
        "399 of 400 replies had one and the same other body",
        "status and size; 399 of 400 have the same other body",
    ),
    "an error page that is accepted": (
        itertools.cycle([PAGE, ERROR]),
        ["--expect", "any"],
        "",
        "status only",
    ),
}


@pytest.mark.parametrize(("bodies", "flags", "doubt", "words"), CASES.values(), ids=CASES)
def test_replies_unlike_the_first_one_are_doubted_unless_all_of_them_are(
    called: Program,
    tmp_path: Path,
    bodies: Iterable[bytes],
    flags: list[str],
    doubt: str,
    words: str,
) -> None:
    with serving(bodies) as url:
        run = called("load", url, "-n", "400", "-c", "1", *flags, "--json", "out.json")
    assert run.returncode == 0
    reasons = json.loads((tmp_path / "out.json").read_text())["reasons"]
    found = [reason["text"] for reason in reasons if reason["code"] == "unlike_replies"]
    assert found == ([doubt] if doubt else [])
    assert f"checked      {words}" in run.stdout
    if doubt:
        assert run.stdout.startswith("SUSPECT")


def _plan(*requests: dict[str, object]) -> EnginePlan:
    return read(
        {"target": {}, "load": {"kind": "closed", "connections": 1}, "stop": {"count": 1}}
        | {"requests": list(requests)}
    )


@pytest.mark.parametrize(
    ("requests", "words"),
    [
        ([{}], "status only"),
        ([{"method": "HEAD", "expect": {"body": {"like": True}}}], "status only"),
        ([{"expect": {"body": {"length": 9}}}], "status and length"),
        ([{"expect": {"body": {"text": "x"}}}], "status, and every byte"),
        (
            [{"expect": {"body": {"text": "x"}, "check_every": 10}}],
            "status, and every byte (of every 10th body)",
        ),
        (
            [{"expect": {"body": {"same": True}}}],
            "status, and every byte as in the first reply",
        ),
        (
            [{"expect": {"body": {"length": 9}}}, {}, {}],
            "status; length of 1 request, no body of 2 requests",
        ),
    ],
)
def test_the_check_of_each_kind_of_expectation_has_its_words(
    requests: list[dict[str, object]], words: str
) -> None:
    assert checked(_plan(*requests), measurement()) == words


def test_two_expectations_of_a_body_exclude_each_other(called: Program) -> None:
    run = called("load", "http://h/", "--expect", "any", "--expect-same")
    assert run.returncode == 2
    assert "`--expect` and `--expect-same` exclude each other: expected one of them" in run.stderr
