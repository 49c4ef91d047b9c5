"""Placeholders in the URL, the headers and the body of `load`, as a server receives them."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from request_recorder import body, fields, recording

from .conftest import CLOSED_AT, Program

OK, USAGE = 0, 2
CLOSED = f"http://{CLOSED_AT}/"


def _paths(requests: list[bytes]) -> list[str]:
    return [request.split(b" ")[1].decode() for request in requests]


def test_the_url_headers_and_a_json_body_vary(called: Program) -> None:
    with recording() as server:
        answer = called(
            *("load", f"{server.url}/items/{{sequence:5}}?{{{{uuid}}}}", "-n", "20", "-c", "2"),
            *("-H", "X-Request: {uuid}", "--warm-up", "0"),
            *("--json-body", '{"n": {random:1:3}, "who": "{choice:a \\ b,c}"}', "--json", "m.json"),
        )
    assert answer.returncode == OK, answer.stderr
    # The number of a call counts from 0 on: so its path has 5 for the first.
    expected = {f"/items/{number}?{{uuid}}" for number in range(5, 25)}
    assert set(_paths(server.requests)) == expected
    assert len({fields(request)["x-request"] for request in server.requests}) == 20
    sent = [json.loads(body(request)) for request in server.requests]
    assert {one["n"] for one in sent} == {1, 2, 3}
    assert {one["who"] for one in sent} == {"a \\ b", "c"}
    # The record shows what was written, not the values.
    (request,) = json.loads(Path("m.json").read_text())["plan"]["requests"]
    assert request["placeholders"] is True
    assert request["path"] == "/items/{sequence:5}?{{uuid}}"
    assert request["expect"]["body"] is None  # no reply is compared with the first one


def test_a_form_is_percent_encoded_and_also_and_lists_vary(called: Program, tmp_path: Path) -> None:
    with recording() as server:
        called("load", server.url, "-n", "1", "-c", "1", "--data", "a={choice:1 & 2}")
        called("load", server.url, "-n", "4", "-c", "1", "--also", "GET /x{sequence:1}")
    assert body(server.requests[0]) == b"a=1%20%26%202"
    assert _paths(server.requests[1:]) == ["/", "/x1", "/", "/x2"]
    (tmp_path / "urls.txt").write_text("/a{sequence:1}\nGET /b\nX-N: {sequence:7}\n")
    with recording() as server:
        called("load", server.url, "-n", "4", "-c", "1", "--urls", "urls.txt")
    assert _paths(server.requests) == ["/a1", "/b", "/a2", "/b"]
    assert [fields(one).get("x-n") for one in server.requests] == [None, "7", None, "8"]


def test_text_in_braces_that_is_no_placeholder_is_sent_as_it_is(
    called: Program, tmp_path: Path
) -> None:
    text = '{"a":{"b":{}}, "c": "{ x }"}'
    (tmp_path / "body.json").write_text('{"a": "{name}"}')
    with recording() as server:
        called("load", server.url, "-n", "1", "-c", "1", "--json-body", text)
        called("load", server.url, "-n", "1", "-c", "1", "--json-body", "@body.json")
        called("load", server.url, "-n", "1", "-c", "1", "--body", "{{a}} {{{{b}}}}")
    sent = [body(request).decode() for request in server.requests]
    assert sent == [text, '{"a": "{name}"}', "{a} {{{b}}}"]


def test_paths_of_replayed_sessions_are_sent_as_they_are(called: Program, tmp_path: Path) -> None:
    (tmp_path / "log").write_text("/{a}\n")
    with recording() as server:
        answer = called(
            *("load", server.url, "-n", "1", "--sessions-file", "log", "-H", "X: {sequence:3}")
        )
    assert answer.returncode == OK, answer.stderr
    assert _paths(server.requests) == ["/{a}"]
    assert fields(server.requests[0])["x"] == "3"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([f"{CLOSED}items/{{id}}"], r"column \d+: `\{id\}`: `id` is no placeholder"),
        ([CLOSED, "--json-body", "{\n{random:2:1}}"], r"`--json-body \*\*\*`: line 2, column 1: "),
        ([CLOSED, "--also", "GET /{zipf:1:9:0}"], r"column 6: .* an exponent above 0"),
        ([CLOSED, "-H", "X-A: {uuid"], None),
        ([CLOSED, "-H", "Accept: {now:x}"], r"column 9: `\{now:x\}`: expected `\{now\}`"),
        ([CLOSED, "--urls", "urls.txt"], r"line 2: column 4: `\{sequence\}`: expected an integer"),
    ],
)
def test_a_wrong_placeholder_is_named_with_its_place(
    words: list[str], said: str | None, called: Program, tmp_path: Path
) -> None:
    (tmp_path / "urls.txt").write_text("/a\n/b?{sequence}\n")
    answer = called("load", *words, "-n", "1")
    if said is None:  # a brace that nothing closes is a brace
        assert answer.returncode != USAGE
    else:
        assert answer.returncode == USAGE
        assert re.search(said, answer.stderr), answer.stderr


def test_the_error_of_a_secret_does_not_show_it(called: Program) -> None:
    for words in (
        ["-H", "Authorization: Bearer {s3cret}"],
        ["--cookie", "sid={s3cret}"],
        ["--json-body", '{"password": "s3cret", "n": "{random:1}"}'],
    ):
        answer = called("load", CLOSED, *words)
        assert answer.returncode == USAGE
        assert "s3cret" not in answer.stderr
        assert "column" in answer.stderr


def test_a_text_outside_of_the_strings_of_json_is_refused(called: Program) -> None:
    with recording() as server:
        answer = called("load", server.url, "-n", "1", "--json-body", '{"id": {uuid}}')
    assert answer.returncode == USAGE
    assert "`{uuid}` is not a JSON value: expected it in double quotes" in answer.stderr
