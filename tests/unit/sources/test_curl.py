"""Commands of curl become requests; whatever cannot be read is one fault with its place."""

from __future__ import annotations

from pathlib import Path

import pytest
from httpdyno.sources.curl import read_curl
from httpdyno.sources.request import SourceError, SourceRequest
from hypothesis import given
from hypothesis import strategies as st

CHROME = r"""curl 'http://localhost:3000/login?next=http://x/' \
  -H 'Accept: application/json' \
  -H 'content-type: application/json' \
  -b 'sid=abc; theme=dark' \
  -H 'Sec-Fetch-Mode: cors' \
  --data-raw $'{"email":"ann\u0040example.org","it":"\'s \ud83d\ude00"}' \
  --compressed --insecure
"""


def one(text: str, folder: Path = Path()) -> SourceRequest:
    (request,) = read_curl(text, folder).requests
    return request


def test_a_command_as_browsers_copy_it_is_one_request() -> None:
    request = one(CHROME)
    assert request.url is not None
    assert (request.url.origin, request.path) == (
        "http://localhost:3000",
        "/login?next=http://x/",
    )
    assert request.method == "POST"
    assert dict(request.headers) == {
        "Accept": "application/json",
        "content-type": "application/json",
        "Sec-Fetch-Mode": "cors",
        "Cookie": "sid=abc; theme=dark",
        "Accept-Encoding": "deflate, gzip",
    }
    assert request.body == '{"email":"ann@example.org","it":"\'s 😀"}'
    assert read_curl(CHROME).insecure


@pytest.mark.parametrize(
    ("options", "method", "path", "headers", "body"),
    [
        ("", "GET", "/a", {}, None),
        ("-X DELETE", "DELETE", "/a", {}, None),
        ("-XPUT -d x", "PUT", "/a", {"Content-Type": "application/x-www-form-urlencoded"}, "x"),
        ("-d a=1 --data b=2 -G", "GET", "/a?a=1&b=2", {}, None),
        ("-I", "HEAD", "/a", {}, None),
        ("-sSLvk4", "GET", "/a", {}, None),
        ("-u ann:pw", "GET", "/a", {"Authorization": "Basic YW5uOnB3"}, None),
        ("--oauth2-bearer T", "GET", "/a", {"Authorization": "Bearer T"}, None),
        ("-A me -e http://r/", "GET", "/a", {"User-Agent": "me", "Referer": "http://r/"}, None),
        ("-H 'X-A: 1' -H 'X-B;' -H 'Accept:'", "GET", "/a", {"X-A": "1", "X-B": ""}, None),
        ("-H 'X: 1' -H 'x: 2' -H 'Host: h'", "GET", "/a", {"X": "1, 2"}, None),
        (
            """--json '{"a":' --json 1}""",
            "POST",
            "/a",
            {"Content-Type": "application/json", "Accept": "application/json"},
            '{"a":1}',
        ),
        (
            "--data-urlencode 'q=a b&c' --data-urlencode '=x y' --data-urlencode z",
            "POST",
            "/a",
            {"Content-Type": "application/x-www-form-urlencoded"},
            "q=a+b%26c&x+y&z",
        ),
        ('-H "Cookie: a=$A"', "GET", "/a", {"Cookie": "a=${A}"}, None),
        ("--max-time 3 -o /dev/null --retry 2 -w '%{http_code}'", "GET", "/a", {}, None),
    ],
)
def test_options_change_the_request_as_they_do_in_curl(
    options: str, method: str, path: str, headers: dict[str, str], body: str | None
) -> None:
    request = one(f"curl {options} http://localhost/a")
    assert (request.method, request.path) == (method, path)
    assert dict(request.headers) == headers
    assert request.body == body


def test_bodies_of_files_are_those_of_curl(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text("{\n}\n")
    assert one("curl h -d @a.json", tmp_path).body == "{}"
    assert one("curl h --data-binary @a.json", tmp_path).body_file == str(tmp_path / "a.json")
    assert one("curl h --data-urlencode q@a.json", tmp_path).body == "q=%7B%0A%7D%0A"
    assert one("curl h --data-raw @a.json", tmp_path).body == "@a.json"


def test_several_commands_are_several_requests() -> None:
    found = read_curl("curl http://h/a ;\ncurl 'http://h/b' &\n# a comment\ncurl h/c -L\n")
    assert [request.path for request in found.requests] == ["/a", "/b", "/c"]
    assert found.notes == ["redirects are not followed (-L)"]


def test_a_path_is_encoded_as_a_browser_does() -> None:
    assert one("curl 'http://h/é b?q=%20\"#part'").path == "/%C3%A9%20b?q=%20%22"
    assert one("curl h?q=1").path == "/?q=1"


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "no command: expected `curl URL`"),
        ("wget http://h", "line 1, column 1: expected a command of curl"),
        ("curl", "line 1, column 1: this command has no URL"),
        ("curl http://h http://i", "line 1, column 15: a second URL"),
        ("curl http://h |jq .", "line 1, column 15: `|` is an operator of the shell"),
        ("curl http://h > x", "line 1, column 15: `>` is an operator of the shell"),
        ("curl \\\n  'http://h", "line 2, column 3: this quotation mark is never closed"),
        ('curl "http://h', "line 1, column 6: this quotation mark is never closed"),
        ("curl $'http://h", "line 1, column 6: this quotation mark is never closed"),
        ('curl "$(cat url)"', "line 1, column 7: a command in `$(…)` cannot be run here"),
        ('curl ^"http://h^"', "line 1, column 6: this is the form for Windows"),
        ("curl http://h -F a=b", "line 1, column 15: `-F` is an option of curl that is not read"),
        ("curl http://h --form a=b", "`--form` is an option of curl that is not read"),
        ("curl http://h -H", "line 1, column 15: `-H` has no value"),
        ("curl http://h -b cookies.txt", "line 1, column 18: cookies of a file are not read"),
        ("curl http://h -u me", "line 1, column 18: the password is missing"),
        ("curl http://h -d @nothing", "line 1, column 18: `nothing` cannot be read"),
        ("curl http://h -H 'a b: c'", "line 1, column 6: `a b` is not the name of a header"),
        ("curl http://h -H $'a: b\\nc: d'", "the header `a` has a line break"),
        ("curl ftp://h", "line 1, column 6: a URL cannot be used: expected a URL such as"),
        ("curl 'http://h/[1-9]'", "line 1, column 6: curl reads braces and brackets in a URL"),
        ("curl http://h -H 'A: ${HOME}'", "line 1, column 18: `${NAME}` in single quotes is no"),
        ("curl 'http://h/${HOME}'", "line 1, column 6: curl reads braces and brackets in a URL"),
        ('curl http://h -d "$BODY"', "line 1, column 18: a variable in a body"),
        ("curl http://h -d $'\\xff'", "line 1, column 18: its escapes are not text in UTF-8"),
    ],
)
def test_what_cannot_be_read_is_one_fault_with_its_place(text: str, fault: str) -> None:
    with pytest.raises(SourceError) as raised:
        read_curl(text)
    assert fault in str(raised.value)
    assert "\n" not in str(raised.value)


@given(st.text(alphabet="curl h:/'\"\\$-HXdG@=;&\n{}ux0041", max_size=60))
def test_no_text_does_more_than_raise_a_fault(text: str) -> None:
    try:
        found = read_curl(f"curl {text}")
    except SourceError:
        return
    assert found.requests
