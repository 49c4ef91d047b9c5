"""The replies of a load are checked as far as they are declared, and the summary says how far."""

from __future__ import annotations

import http.server
import itertools
import json
import re
import threading
import uuid
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from httpdyno.cli.load.output.reply_check import describe_check
from httpdyno.engine_plan import EnginePlan
from httpdyno.engine_plan.reading import read

from .conftest import Program
from .measurements import REPLIES, measurement

PAGE, ERROR = b"<h1>Shop</h1>" + b"item " * 50, b"<h1>Database unavailable</h1>"


@contextmanager
def serving(bodies: Iterable[bytes]) -> Iterator[str]:
    """A server whose replies have status 200, and these bodies one after the other."""
    rest, lock = iter(bodies), threading.Lock()

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = 65536  # a reply in one piece waits for no delayed acknowledgement

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
            [{"expect": {"body": {"like": True}, "check_one_in": 10}}],
            "status, and every byte as in the first reply (of 1 in 10 bodies)",
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
    assert describe_check(_plan(*requests), measurement()) == words


ITEM = '{"id": "{int:1:10000}", "name": "{string}", "tags": ["{each}", "{string}"]}'


def items(*wrong: bytes) -> Iterator[bytes]:
    """Items with an id each, and these bodies at the beginning."""
    yield from wrong
    for number in itertools.count(1):
        yield json.dumps({"tags": [], "name": "a" * number, "id": number}).encode()


def test_bodies_that_vary_are_right_if_they_are_like_the_example(
    called: Program, tmp_path: Path
) -> None:
    (tmp_path / "item.json").write_text(ITEM)
    with serving(items()) as url:
        run = called("load", url, "-n", "40", "--expect", "json:@item.json")
    assert run.returncode == 0
    assert "checked      status, and JSON like the example" in run.stdout
    with serving(items(b'{"id": 7}')) as url:
        run = called("load", url, "-n", "40", "-c", "1", "--expect", f"json:{ITEM}")
    assert "1 of 40 replies had a wrong body" in run.stdout
    words = "a body of 9 bytes that is not like the JSON example: the key `name` is missing"
    assert words in " ".join(run.stdout.split())


def test_bodies_are_right_if_the_regular_expression_matches_them(called: Program) -> None:
    with serving(itertools.repeat(PAGE)) as url:
        flags = ("load", url, "-n", "10", "--expect")
        right = called(*flags, "regex:<h1>(Shop|Cart)</h1>")
        wrong = called(*flags, "regex:^<h1>Cart")
    assert right.returncode == 0
    words = "checked status, and text matched by the regular expression"
    assert words in " ".join(right.stdout.split())
    assert wrong.returncode != 0
    assert "all 10 replies had a wrong body" in wrong.stdout + wrong.stderr


def test_pages_are_right_however_they_are_written(called: Program, tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text("<h1 id=top class='a'>Shop &amp; more</h1>")
    alike = b"<!-- shop -->\n<H1 class=a id=top>\n  Shop &#38; more</H1>"
    with serving(itertools.cycle([PAGE, alike])) as url:
        flags = ("load", url, "-n", "10", "-c", "1", "--expect", "html:@page.html")
        wrong = called(*flags)
    assert "5 of 10 replies had a wrong body" in wrong.stdout
    said = " ".join(wrong.stdout.split())
    assert "that is not equal to the HTML example: at the beginning: expected the tag" in said
    with serving(itertools.repeat(alike)) as url:
        right = called("load", url, *flags[2:])
    assert right.returncode == 0
    assert "checked status, and HTML equal to the example" in " ".join(right.stdout.split())


@pytest.mark.parametrize(
    ("expect", "fault"),
    [
        (
            "all",
            "expected `any`, `json:TEXT`, `json:@FILE`, `html:TEXT`, `html:@FILE` or `regex:TEXT`",
        ),
        ("html:", "an HTML example without a tag or text: expected some"),
        ("json:", "the example is no JSON: EOF while parsing a value"),
        ('json:{"a": "{itn}"}', "in the example, /a: `{itn}` is no wildcard: expected {int}"),
        ("regex:(", "the regular expression has a fault: unclosed group"),
        ("json:@nowhere.json", "cannot read `nowhere.json`: No such file or directory"),
        ("json:@latin.json", "`latin.json` is no UTF-8"),
    ],
)
def test_faults_of_an_expectation_are_named_before_the_load_begins(
    called: Program, tmp_path: Path, expect: str, fault: str
) -> None:
    (tmp_path / "latin.json").write_bytes(b'"\xe9"')
    run = called("load", "http://127.0.0.1:1/", "--expect", expect)
    assert run.returncode in (2, 4)
    assert fault in run.stderr


def test_an_expected_answer_is_recorded_as_its_digest(called: Program, tmp_path: Path) -> None:
    with serving(itertools.repeat(b'{"token": "s3cret"}')) as url:
        flags = ("--expect", 'json:{"token": "s3cret"}', "--json", "out.json")
        assert called("load", url, "-n", "5", *flags).returncode == 0
    written = (tmp_path / "out.json").read_text()
    assert "s3cret" not in written
    body = json.loads(written)["plan"]["requests"][0]["expect"]["body"]
    assert (body["length"], body["notation"]) == (19, "json")


JSON, TEXT = {"body": {"json": "{}"}}, {"body": {"text": "x"}}
SAMPLES = [
    (
        [{"expect": JSON | {"check_one_in": 50}}],
        (1000, 0),
        "status, and JSON like the example; 1 of 50 bodies: 1,000 checked, none wrong, at most"
        " 0.30 % wrong at 95 %",
    ),
    (
        [{"expect": TEXT | {"check_one_in": 10}}],
        (100, 5),
        "status, and every byte; 1 of 10 bodies: 100 checked, 5 wrong, at most 10 % wrong at 95 %",
    ),
    (
        [{"expect": JSON | {"check_one_in": 50}}],
        (0, 0),
        "status, and JSON like the example; 1 of 50 bodies: none checked",
    ),
    ([{"expect": JSON}], (1000, 0), "status, and JSON like the example"),
    (
        [{"expect": JSON | {"check_one_in": 50}}, {"expect": TEXT}],
        (1000, 1),
        "status; JSON like the example of 1 request, every byte of 1 request; part of the bodies:"
        " 1,000 checked, 1 wrong",
    ),
]


@pytest.mark.parametrize(("requests", "counts", "words"), SAMPLES)
def test_a_sample_of_bodies_says_how_many_of_all_may_be_wrong(
    requests: list[dict[str, object]], counts: tuple[int, int], words: str
) -> None:
    replies = REPLIES | dict(zip(("checked", "wrong"), counts, strict=True))
    assert describe_check(_plan(*requests), measurement(replies=replies)) == words


def test_a_wrong_body_in_the_sample_fails_and_bounds_the_share_of_the_others(
    called: Program,
) -> None:
    bodies = itertools.cycle([b"{}", b"[]"])
    with serving(bodies) as url:
        flags = ("-n", "200", "--expect", "json:{}", "--check", "1/10")
        run = called("load", url, *flags)
    shown = " ".join(run.stdout.split())
    found = re.search(r"1 of 10 bodies: 20 checked, (\d+) wrong, at most", shown)
    assert found is not None
    assert 0 < int(found[1]) < 20


def test_two_expectations_of_a_body_exclude_each_other(called: Program) -> None:
    run = called("load", "http://h/", "--expect", "any", "--expect-same")
    assert run.returncode == 2
    assert "`--expect` and `--expect-same` exclude each other: expected one of them" in run.stderr
