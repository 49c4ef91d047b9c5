"""A wrong answer is told by what differs, and a right one is right however it is framed."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest
from httpdyno.servers import check_workloads
from httpdyno.servers.check.answers import difference, request_bytes
from httpdyno.servers.check.client import Conversation
from httpdyno.workloads import WORKLOADS, Exchange, Workload
from httpdyno.workloads.workload import Right

from .scripted import answers, page, scripted

PONG = WORKLOADS["pong"]
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\n"

RIGHT = {
    "with a length": page(b"PONG"),
    "chunked, with an extension and a trailer": HEAD
    + b"Transfer-Encoding: chunked\r\n\r\n1;x=y\r\nP\r\n3\r\nONG\r\n0\r\nT: 1\r\n\r\n",
    "ended by the close": HEAD + b"\r\nPONG",
}

HTML = WORKLOADS["fortunes"]
TYPES = ["text/html; charset=utf-8", "text/html;charset=UTF-8", "Text/HTML;  charset=utf-8"]

WRONG = {
    page(b"PONG", status="500 Oops"): "status 500, expected 200",
    page(b"PONG", content_type="text/html"): "type `text/html`, expected `text/plain`",
    page(b"PUNG"): "body: from byte 1: got 'PUNG', expected 'PONG'",
    page(b"PON"): "body: 3 bytes, expected 4; from byte 3: got 'PON', expected 'PONG'",
    page(b"PONG\n"): "body: 5 bytes, expected 4; from byte 4: got 'PONG\\n', expected 'PONG'",
    HEAD + b"Content-Length: 9\r\n\r\nPONG": "the server closed the connection after 4 bytes",
    HEAD + b"Content-Length: x\r\n\r\nPONG": "`x` is not a length",
    HEAD
    + b"Transfer-Encoding: chunked\r\n\r\n2\r\nPONG\r\n0\r\n\r\n": "a chunk is longer than it says",
    HEAD + b"Transfer-Encoding: chunked\r\n\r\n\xff\x1b\r\nPONG": "`ÿ\\x1b` is not a length",
    page(b"PONG", content_type="\x1b[31m"): "type `\\x1b[31m`, expected `text/plain`",
    b"\x1b]0;title\x07\r\n\r\n": "not an HTTP/1 status line: '\\x1b]0;title\\x07'",
    b"SSH-2.0-OpenSSH\r\n\r\n": "not an HTTP/1 status line: 'SSH-2.0-OpenSSH'",
    b"": "the server closed the connection",
}


@pytest.mark.parametrize("framing", RIGHT)
def test_a_right_answer_is_right_however_it_is_framed(framing: str) -> None:
    with scripted(answers(RIGHT[framing])) as port:
        (row,) = check_workloads("127.0.0.1", port, [PONG])
    assert row.ok, row.detail
    assert row.detail == "200, 4 bytes"


@pytest.mark.parametrize("content_type", TYPES)
def test_a_blank_before_a_parameter_of_a_type_is_optional(content_type: str) -> None:
    reply = page(HTML.measured[0].answer, content_type=content_type)
    with scripted(answers(reply)) as port:
        (row,) = check_workloads("127.0.0.1", port, [HTML])
    assert row.ok, row.detail


@pytest.mark.parametrize("reply", WRONG)
def test_a_wrong_answer_is_told_by_what_differs(reply: bytes) -> None:
    with scripted(answers(reply)) as port:
        (row,) = check_workloads("127.0.0.1", port, [PONG])
    assert not row.ok
    assert row.detail.startswith(WRONG[reply])


def test_a_recorded_exchange_is_ok_whatever_comes_and_tells_what_came() -> None:
    exchange = dataclasses.replace(PONG.measured[0], recorded=True)
    workload = Workload("mine", "Mine", "…", measured=PONG.measured, edges=(exchange,))
    with scripted(answers(page(b"PUNG"))) as port:
        required, recorded = check_workloads("127.0.0.1", port, [workload])
    assert (required.ok, required.agrees) == (False, False)
    assert (recorded.ok, recorded.agrees) == (True, False)
    assert "from byte 1: got 'PUNG'" in required.detail
    assert recorded.detail == "answers 'PUNG'"


EXAMPLE = b'{"id": "{int:1:10}"}'
JUDGED = [
    ("json", EXAMPLE, b'{"id": 7.0}', "200, 11 bytes"),
    (
        "json",
        EXAMPLE,
        b'{"id": "\x1b[0m"}',
        "body: 14 bytes, not like the JSON example: no JSON (control character"
        " (\\u0000-\\u001F) found while parsing a string at line 1 column 9)",
    ),
    (
        "json",
        EXAMPLE,
        b'{"id": 11}',
        "body: 10 bytes, not like the JSON example: /id: expected a whole number from 1 to 10,"
        " found 11",
    ),
    ("regex", b"^<h1>Shop", b"<h1>Shop</h1>", "200, 13 bytes"),
    (
        "regex",
        b"^<h1>Shop",
        b"<h1>\x1b</h1>",
        "body: 10 bytes, not matched by the regular expression `^<h1>Shop`: it begins with"
        ' "<h1>\\u{1b}</h1>"',
    ),
]


@pytest.mark.parametrize(("right", "answer", "body", "detail"), JUDGED)
def test_answers_that_are_no_fixed_bytes_are_judged_as_under_load(
    right: Right, answer: bytes, body: bytes, detail: str
) -> None:
    exchange = dataclasses.replace(
        PONG.measured[0], right=right, answer=answer, content_type="", status=None
    )
    workload = Workload("mine", "Mine", "…", measured=(exchange,))
    with scripted(answers(page(body))) as port:
        (row,) = check_workloads("127.0.0.1", port, [workload])
    assert row.ok is detail.startswith("200")
    assert row.detail.startswith(detail)


@pytest.mark.parametrize(
    ("right", "answer", "body"),
    [
        ("json", b'{"id": "{id}", "of": "{users.name}"}', b'{"id": 7, "of": "Ann"}'),
        ("html", b"<b id={id}>{users.name}</b>", b"<b id=7>Ann</b>"),
    ],
)
def test_an_answer_may_have_values_that_its_request_sent(
    tmp_path: Path, right: Right, answer: bytes, body: bytes
) -> None:
    file = tmp_path / "users.csv"
    file.write_text("name,age\nAnn,7\nBob,8\n")
    exchange = dataclasses.replace(
        PONG.measured[0],
        path="/{id=sequence:7}?{users.age}",
        varies=True,
        data=(f"users={file}",),
        right=right,
        answer=answer,
        content_type="",
    )
    workload = Workload("mine", "Mine", "…", measured=(exchange,))
    for reply, is_right in [
        (body, True),
        (body.replace(b"7", b"8"), False),
        (body.replace(b"Ann", b"Bob"), False),
    ]:
        with scripted(answers(page(reply))) as port:
            (row,) = check_workloads("127.0.0.1", port, [workload])
        assert row.ok is is_right, row.detail
        assert ("expected" in row.detail) is not is_right


def test_nobody_listening_is_a_row_like_any_other() -> None:
    with scripted(answers(b"")) as port:
        pass
    (row,) = check_workloads("127.0.0.1", port, [PONG])
    assert not row.ok
    assert row.detail == "no connection: Connection refused"


def test_a_request_carries_its_headers_and_its_body() -> None:
    exchange = Exchange(
        method="POST",
        path="/x",
        headers=(("X-One", "1"),),
        body=b"two",
        answer=b"",
        content_type="text/plain",
        why="…",
    )
    assert request_bytes("127.0.0.1", 80, exchange) == (
        b"POST /x HTTP/1.1\r\nHost: 127.0.0.1:80\r\nX-One: 1\r\nConnection: close\r\n"
        b"Content-Length: 3\r\n\r\ntwo"
    )


def test_replies_on_one_connection_are_told_apart_trailers_and_all() -> None:
    replies = RIGHT["chunked, with an extension and a trailer"] + page(b"next")
    with scripted(answers(replies)) as port, Conversation("127.0.0.1", port) as conversation:
        conversation.send(b"GET / HTTP/1.1\r\n\r\n")
        assert [conversation.receive().body for _ in range(2)] == [b"PONG", b"next"]


def test_a_difference_far_into_a_body_shows_only_its_neighbourhood() -> None:
    expected, got = b"a" * 1000 + b"b" + b"c" * 1000, b"a" * 1000 + b"B" + b"c" * 1000
    assert difference(expected, got) == (
        "body: from byte 1,000: got 'aaaaaaaaaaBccccccccc', expected 'aaaaaaaaaabccccccccc'"
    )
