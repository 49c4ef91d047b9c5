"""`httpdyno ab` beside the real ab: the same requests arrive, and the output has the same lines."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from .compare import assert_same, numbers
from .nginx import nginx
from .replies import Reply, Script, always, by_path, in_turn
from .tools import Both, certificate, run_both, run_both_against

pytestmark = pytest.mark.slow

BANNER = (
    r"This is ApacheBench, Version",
    r"^ ?(Copyright 1996|Licensed to The Apache|Options and output are|The differences are)",
)
DOUBTS = (r"^(WARNING|ERROR): The median", r"^ +(deviation apart|These results are probably)")
COUNTS = (
    "Document Length:",
    "Concurrency Level:",
    "Complete requests:",
    "Failed requests:",
    "Total transferred:",
    "HTML transferred:",
)
AGENT = ["-H", "User-Agent: somebody"]
"""With it, the requests of both are equally long."""
URL = "http://{address}/"


class Case(NamedTuple):
    """A command line, the server's replies, and what else must be equal."""

    words: list[str]
    script: Script | None = None
    counts: tuple[str, ...] = ()
    url: str = URL


def lengths(*bodies: bytes) -> Script:
    """Replies whose bodies differ in length, in turn."""
    return in_turn(*(Reply(body=body) for body in bodies))


NOT_FOUND = always(Reply("404 Not Found", b"no such page"))
MOVED = always(Reply("302 Found", b"", (("Location", "/"),)))
BROKEN = always(Reply("503 Service Unavailable", b"later"))
NO_SERVER = always(Reply(headers=()))
OLD = always(Reply(http="1.0", framing="close"))
LARGE = always(Reply(body=b"x" * 100_000))
SLOWLY = always(Reply(body=b"x" * 3000, pieces=3, between_s=0.01))
SPACED = always(Reply(headers=(("Server", "two words/1.0 (Unix)"),)))
KEPT = ("Keep-Alive requests:",)
FAILED = ("Connect:", "Receive:", "Length:", "Exceptions:")

CASES = {
    "one request": Case([]),
    "ten requests": Case(["-n", "10"]),
    "two at once": Case(["-n", "10", "-c", "2"]),
    "as many at once as requests": Case(["-n", "10", "-c", "10"]),
    "an odd number": Case(["-n", "7", "-c", "3"]),
    "values without a space": Case(["-n12", "-c3"]),
    "letters together": Case(["-kqdn5"], counts=KEPT),
    "progress": Case(["-n", "400", "-c", "4"]),
    "progress by the tenth": Case(["-n", "1100", "-c", "8", "-k"], counts=KEPT),
    "no progress": Case(["-n", "200", "-q"]),
    "keep-alive": Case(["-k", "-n", "20", "-c", "3"], counts=KEPT),
    "keep-alive, one request": Case(["-k"], counts=KEPT),
    "keep-alive, the server closes": Case(
        ["-k", "-n", "6"], always(Reply(then="close")), counts=KEPT
    ),
    "keep-alive, a close every third": Case(
        ["-k", "-n", "9"], in_turn(Reply(), Reply(), Reply(then="close")), counts=KEPT
    ),
    "an HTTP/1.0 server": Case(["-n", "8", "-c", "2"], OLD),
    "an HTTP/1.0 server and keep-alive": Case(["-k", "-n", "8"], OLD, KEPT),
    "a large body": Case(["-n", "6", "-c", "2"], LARGE),
    "a large body and keep-alive": Case(["-k", "-n", "6"], LARGE, KEPT),
    "a body in pieces": Case(["-n", "4", "-c", "2"], SLOWLY),
    "an empty body": Case(["-n", "4"], always(Reply(body=b""))),
    "no content": Case(["-n", "4"], always(Reply("204 No Content", b"", framing="close"))),
    "no server header": Case(["-n", "3"], NO_SERVER),
    "a server of two words": Case(["-n", "3"], SPACED),
    "not found": Case(["-n", "5"], NOT_FOUND, ("Non-2xx responses:",)),
    "moved": Case(["-n", "5"], MOVED, ("Non-2xx responses:",)),
    "unavailable, keep-alive": Case(["-k", "-n", "5"], BROKEN, ("Non-2xx responses:", *KEPT)),
    "every other status is wrong": Case(
        ["-n", "8"], in_turn(Reply(), Reply("500 No", b"Hello, world?")), ("Non-2xx responses:",)
    ),
    "lengths differ": Case(["-n", "8"], lengths(b"four", b"and five"), FAILED),
    "lengths differ, keep-alive": Case(["-k", "-n", "9"], lengths(b"a", b"bb", b"ccc"), FAILED),
    "lengths may differ": Case(["-l", "-n", "8"], lengths(b"four", b"and five")),
    "the path and the query": Case(["-n", "2"], url="http://{address}/a/b%20c?d=e&f=%2F"),
    "a fragment": Case(["-n", "2"], url="http://{address}/page#part"),
    "no scheme": Case(["-n", "2"], url="{address}/page"),
    "a name": Case(["-n", "2"], url="http://localhost:{port}/"),
    "HEAD": Case(["-i", "-n", "4"]),
    "HEAD and keep-alive": Case(["-i", "-k", "-n", "4"], counts=KEPT),
    "a method": Case(["-m", "DELETE", "-n", "3"]),
    "a method of its own": Case(["-m", "PURGE", "-n", "3"]),
    "POST without a body": Case(["-m", "POST", "-n", "3"]),
    "POST": Case([*AGENT, "-p", "{files}/body", "-n", "4"], counts=("Total body sent:",)),
    "POST, keep-alive": Case(
        [*AGENT, "-k", "-p", "{files}/body", "-n", "6", "-c", "2"],
        counts=("Total body sent:", *KEPT),
    ),
    "POST of JSON": Case(["-p", "{files}/body", "-T", "application/json", "-n", "2"]),
    "POST of nothing": Case(["-p", "{files}/empty", "-n", "2"]),
    "POST of much": Case([*AGENT, "-p", "{files}/large", "-n", "3"], counts=("Total body sent:",)),
    "PUT": Case(["-u", "{files}/body", "-T", "text/csv", "-n", "2"]),
    "PATCH with a body": Case(["-p", "{files}/body", "-m", "PATCH", "-n", "2"]),
    "a content type without a body": Case(["-T", "text/html", "-n", "2"]),
    "a cookie": Case(["-C", "a=1", "-n", "2"]),
    "two cookies": Case(["-C", "a=1", "-C", "b=2", "-n", "2"]),
    "headers": Case(["-H", "X-One: 1", "-H", "Accept-Encoding: gzip", "-n", "2"]),
    "a header without a space": Case(["-H", "X-One:1", "-n", "2"]),
    "a header of spaces": Case(["-H", "X-One:   a  b ", "-n", "2"]),
    "the same header twice": Case(["-H", "X-One: 1", "-H", "X-One: 2", "-n", "2"]),
    "another host": Case(["-H", "Host: example.org", "-n", "2"]),
    "another Accept": Case(["-H", "Accept: text/html", "-n", "2"]),
    "another agent": Case([*AGENT, "-n", "2"]),
    "authentication": Case(["-A", "user:pass word", "-n", "2"]),
    "authentication twice": Case(["-A", "user:pass", "-P", "proxy:secret", "-n", "2"]),
    "everything in its order": Case(
        ["-H", "X-Last: 1", "-P", "p:q", "-A", "a:b", "-C", "c=d", "-k", "-p", "{files}/body"],
        counts=KEPT,
    ),
    "a proxy": Case(["-X", "{address}", "-n", "3"], url="http://example.org/page?x=1"),
    "a proxy, keep-alive": Case(
        ["-X", "{address}", "-k", "-n", "3"], url="http://example.org:8080/", counts=KEPT
    ),
    "a source address": Case(["-B", "127.0.0.1", "-n", "2"]),
    "small buffers": Case(["-b", "16384", "-n", "2"], LARGE),
    "a timeout": Case(["-s", "5", "-n", "2"]),
    "go on after errors": Case(["-r", "-n", "4", "-c", "2"]),
    "no percentages": Case(["-d", "-n", "5"]),
    "no deviations": Case(["-S", "-n", "5"]),
    "neither": Case(["-d", "-S", "-n", "5"]),
    "HTML": Case(["-w", "-n", "5"]),
    "HTML, keep-alive": Case(["-w", "-k", "-n", "5"]),
    "HTML with attributes": Case(
        ["-x", "border=1", "-y", "align=left", "-z", "bgcolor=red", "-n", "5"]
    ),
    "HTML of failures": Case(["-w", "-n", "5"], lengths(b"a", b"bb")),
    "HTML of other statuses": Case(["-w", "-n", "5"], NOT_FOUND),
    "HTML of a POST": Case(["-w", "-p", "{files}/body", "-n", "3"]),
    "the request and its reply": Case(["-v", "2"]),
    "the status": Case(["-v", "3", "-n", "2"]),
    "another status": Case(["-v", "2"], NOT_FOUND),
    "files too": Case(["-n", "5", "-e", "{folder}/e.csv", "-g", "{folder}/g.tsv"]),
    "a number after a time": Case(["-t", "60", "-n", "5"]),
    "pages by path": Case(["-n", "3"], by_path({"/page": Reply(body=b"page")}), url=URL + "page"),
}


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """The bodies that the command lines name."""
    contents = {"body": b'{"a": "\xc3\xbc"}\r\n', "empty": b"", "large": bytes(range(256)) * 300}
    for name, content in contents.items():
        (tmp_path / name).write_bytes(content)
    return tmp_path


@pytest.mark.parametrize("name", CASES)
def test_the_same_requests_arrive_and_the_output_has_the_same_lines(files: Path, name: str) -> None:
    case = CASES[name]
    both = run_both("ab", [*case.words, case.url], files, case.script)
    html = any(word in case.words for word in ("-w", "-x"))
    variable = {"Document Length:"} if "-l" in case.words else set()
    counts = [label for label in (*COUNTS, *case.counts) if label not in variable]
    assert both.ours.requests, both.ours.err
    assert_same(
        both,
        counts=() if html else counts,
        without=BANNER,
        optional=DOUBTS,
        stderr=True,
    )


def test_connections_carry_the_same_numbers_of_requests(tmp_path: Path) -> None:
    script = in_turn(Reply(), Reply(then="close"))
    both = run_both("ab", ["-k", "-n", "8", URL], tmp_path, script)
    assert_same(both, order="per_connection", without=BANNER, optional=DOUBTS)


@pytest.mark.parametrize("words", [[], ["-k"], ["-f", "TLS1.2"], ["-f", "TLS1.3", "-k"], ["-I"]])
def test_tls_sends_the_same_requests(tmp_path: Path, words: list[str]) -> None:
    context = certificate(tmp_path)
    url = "https://localhost:{port}/"
    both = run_both("ab", [*words, "-n", "4", "-c", "2", url], tmp_path, tls=context)
    tls = (r"^SSL/TLS Protocol:", r"^Server Temp Key:")
    assert_same(both, counts=COUNTS, without=(*BANNER, *tls), optional=DOUBTS)
    assert "SSL/TLS Protocol:       TLSv1." in both.ours.out


def counted(both: Both, label: str) -> tuple[float, float]:
    """A number of the real tool's output, and of ours."""
    return numbers(both.real.out, label)[0], numbers(both.ours.out, label)[0]


@pytest.fixture(scope="module")
def busy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of an nginx."""
    with nginx(tmp_path_factory.mktemp("nginx") / "nginx") as address:
        yield address


@pytest.mark.parametrize("words", [["-n", "400", "-c", "8"], ["-k", "-n", "400", "-c", "8"]])
@pytest.mark.parametrize("page", ["", "pong", "50k", "moved", "none"])
def test_nginx_answers_the_same(tmp_path: Path, busy: str, words: list[str], page: str) -> None:
    both = run_both_against("ab", [*words, URL + page], tmp_path, busy)
    assert_same(both, counts=COUNTS, without=BANNER, optional=DOUBTS, stderr=True)


def test_a_time_limit_ends_the_test(tmp_path: Path) -> None:
    slow = always(Reply(after_s=0.05))
    both = run_both("ab", ["-t", "1", "-c", "2", URL], tmp_path, slow)
    assert_same(both, order="none", without=BANNER, optional=DOUBTS)
    real, ours = counted(both, "Time taken for tests:")
    assert 1 <= ours < 5
    assert 1 <= real < 5
    assert counted(both, "Complete requests:")[1] > 0
