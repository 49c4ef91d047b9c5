"""A running server is held against the rules of TechEmpower's suite, over a real socket."""

from __future__ import annotations

import pytest
from httpdyno.engine_plan import Target
from httpdyno.servers.check import suite
from httpdyno.servers.check.suite import Client, Step
from httpdyno.servers.check.techempower import PATHS, verify
from techempower_server import Fault, page, serving, sorted_rows


def steps(fault: Fault | None = None, *tests: str) -> list[Step]:
    paths = {test: path for test, path in PATHS.items() if not tests or test in tests}
    with serving(fault) as port:
        client = Client(Target(host="127.0.0.1", port=port), f"127.0.0.1:{port}")
        return list(verify(client, paths, date_pause_s=0.0))


def found(outcome: str, done: list[Step]) -> set[str]:
    every = (one for step in done for one in step.findings)
    return {f"{one.rule}: {one.seen}" for one in every if one.outcome == outcome}


def test_a_server_that_keeps_all_rules_passes_with_its_wire() -> None:
    done = steps()
    assert {step.outcome for step in done} == {"pass"}, found("fail", done)
    assert [step.test for step in done[:5]] == ["json"] * 3 + ["plaintext"] * 2
    assert done[0].sent.startswith("GET /json HTTP/1.1\nHost: 127.0.0.1:")
    assert done[0].received.startswith("HTTP/1.1 200 OK\nContent-Length: 28\n")
    assert done[0].received.endswith('\n\n{"message": "Hello, World!"}')
    (long,) = [step for step in done if step.request == "GET /queries?queries=501"]
    assert long.received.endswith("…")


def with_head(name: str, value: str) -> Fault:
    return lambda _, head, body: ({**head, name: value}, body)


def with_body(text: str) -> Fault:
    return lambda _, head, __: (head, text.encode())


def changed(old: str, new: str) -> Fault:
    return lambda _, head, body: (head, body.replace(old.encode(), new.encode()))


@pytest.mark.parametrize(
    ("test", "fault", "outcome", "finding"),
    [
        ("json", with_head("Server", ""), "fail", "header Server: missing"),
        ("json", with_head("Date", ""), "fail", "header Date: missing"),
        ("json", with_head("Date", "today"), "warn", "Date as in RFC 9110: `today`"),
        (
            "json",
            with_head("Date", "Sat, 28 Nov 2026 22:00:45 GMT"),
            "fail",
            "Date is another one 0 s later: both times `Sat, 28 Nov 2026 22:00:45 GMT`",
        ),
        ("json", with_head("Content-Encoding", "gzip"), "fail", "no compression: `gzip`"),
        (
            "json",
            with_head("Content-Type", "text/plain"),
            "fail",
            "Content-Type application/json: `text/plain`",
        ),
        (
            "json",
            changed("World", "you"),
            "fail",
            '{"message": "Hello, World!"} as JSON: `message` is `Hello, you!`',
        ),
        ("json", with_body("[]"), "fail", '{"message": "Hello, World!"} as JSON: no object'),
        ("json", changed('"}', '", "more": 1}'), "warn", "no other keys: "),
        ("plaintext", changed("!", ""), "fail", "the body is `Hello, World!`: `Hello, World`"),
        (
            "plaintext",
            changed("!", ""),
            "fail",
            "16 requests in one packet get 16 replies: reply 1: the body is `Hello, World!`: "
            "`Hello, World`",
        ),
        ("db", with_body('{"id": 7, "randomNumber": 3}'), "fail", "each request draws an id: alwa"),
        ("db", with_body('{"id": 7}'), "fail", "a row: `id` and `randomNumber` are numbers: `rand"),
        (
            "db",
            with_body('[{"id": 7, "randomNumber": 3}]'),
            "warn",
            "an object, and no array around it: an array",
        ),
        (
            "db",
            with_body('{"id": "7", "randomNumber": 10001}'),
            "warn",
            "numbers from 1 to 10,000: `10001`",
        ),
        ("queries", with_body("[]"), "fail", "2 in the array: 0 rows"),
        ("queries", with_body("[]"), "warn", "500 in the array: 0 rows"),
        ("updates", with_body("{}"), "fail", "an array of rows: `id` and `randomNumber` are numb"),
        ("fortunes", changed("&lt;", "<"), "fail", "messages are escaped: <script"),
        (
            "fortunes",
            with_body(page(sorted_rows()[::-1])),
            "fail",
            "sorted by message: `another order`",
        ),
        (
            "fortunes",
            with_body(page([one for one in sorted_rows() if one[0]])),
            "fail",
            "the row that is added to each page: `missing`",
        ),
        ("fortunes", with_body("x" * 70_000), "fail", "UTF-8, at most 65,536 bytes: 70,000 bytes"),
        ("fortunes", with_head("Content-Type", "text/html"), "fail", "Content-Type text/html; cha"),
        ("fortunes", changed("<!DOCTYPE html>", ""), "fail", "a doctype: none"),
        ("fortunes", changed("<th>id</th>", ""), "fail", "the table's head is `id`, `message`: "),
    ],
)
def test_a_broken_rule_is_named_with_what_came(
    test: str, fault: Fault, outcome: str, finding: str
) -> None:
    named = found(outcome, steps(fault, test))
    assert any(one.startswith(finding) for one in named), named


@pytest.mark.parametrize("body", ["[" * 100_000, "1" * 5_000, "\x1b[31m", '{"id": ', "\x00\x9b"])
@pytest.mark.parametrize("test", list(PATHS))
def test_no_reply_breaks_the_check_or_reaches_a_terminal(test: str, body: str) -> None:
    done = steps(with_body(body), test)
    assert "fail" in {step.outcome for step in done}
    texts = [text for step in done for text in (step.received, *(f.seen for f in step.findings))]
    assert all(text.replace("\n", "").isprintable() for text in texts)


def test_a_slow_server_is_not_asked_at_each_byte(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(suite, "CUT_LIMIT_S", 0.0)
    cut = steps(None, "json")[1]
    assert cut.outcome == "warn"
    assert cut.findings[0].seen == "stopped after 0 s, before byte 1"
