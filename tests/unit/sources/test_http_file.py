"""Files of VS Code's REST Client and of JetBrains become requests."""

from __future__ import annotations

from pathlib import Path

import pytest
from httpdyno.sources.http_file import read_http_file
from httpdyno.sources.request import SourceError
from hypothesis import given
from hypothesis import strategies as st

SHOP = """\
@host = http://localhost:3000
@api = {{host}}/api
# @name login
POST {{host}}/login HTTP/1.1
Content-Type: application/json

{
  "email": "ann@example.org"
}

> {%
  client.global.set("token", response.body.token);
%}

### list of items
// a comment
GET {{api}}/items
    ?page=1
    &size=10
Authorization: Bearer {{$processEnv TOKEN}}
# X-Off: 1
X-Empty:

###
POST {{api}}/orders
Content-Type: application/x-www-form-urlencoded

item=1
&count=2
###

http://localhost:3000/plain

### from a file
PUT {{api}}/file

< order.json
"""


def test_each_part_of_a_file_is_a_request(tmp_path: Path) -> None:
    (tmp_path / "order.json").write_text("{}")
    found = read_http_file(SHOP, tmp_path)
    assert {one.url.origin for one in found.requests if one.url} == {"http://localhost:3000"}
    shown = [(one.name, one.method, one.path) for one in found.requests]
    assert shown == [
        ("login", "POST", "/login"),
        ("list of items", "GET", "/api/items?page=1&size=10"),
        (None, "POST", "/api/orders"),
        (None, "GET", "/plain"),
        ("from a file", "PUT", "/api/file"),
    ]
    login, items, orders, _, file = found.requests
    assert login.body == '{\n  "email": "ann@example.org"\n}'
    assert dict(items.headers) == {"Authorization": "Bearer ${TOKEN}"}
    assert orders.body == "item=1&count=2"
    assert file.body_file == str(tmp_path / "order.json")
    assert found.notes == ["the scripts and stored replies of the file are left out"]


def test_a_path_goes_to_the_host_of_its_header() -> None:
    (request,) = read_http_file("GET /a?b=c d\nHost: localhost:81\n").requests
    assert request.url is not None
    assert (request.url.port, request.path, request.headers) == (81, "/a?b=c%20d", ())
    (alone,) = read_http_file("GET /a\n").requests
    assert alone.url is None


def test_lines_with_an_at_sign_in_a_body_are_the_body() -> None:
    (request,) = read_http_file("POST http://h/\n\n@a = 1\n### \n").requests
    assert request.body == "@a = 1"


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "no request: expected a line such as"),
        ("# only\n###\n// comments\n", "no request"),
        (
            "\nGET {{host}}/a\n",
            "line 2: `{{host}}` has no value in the file: expected a line",
        ),
        ("GET http://h/\nnonsense\n", "line 2: expected a header `NAME: VALUE` or a blank line"),
        ("GET http://h/{{$guid}}\n", "line 1: `{{$guid}}` has no value in the file"),
        ("@a = {{b}}\n@b = {{a}}\nGET {{a}}\n", "line 3: its variables need each other"),
        ("GET http://h/${HOME}\n", "line 1: `${NAME}` would send a variable of the environment"),
        ("GET http://h/\nA: ${HOME}\n", "line 2: `${NAME}` would send a variable"),
        ("GET ftp://h/\n", "line 1: a URL cannot be used: expected a URL such as"),
        ("PUT http://h/\n\n< no.json\n", "line 3: `no.json` is not a file"),
    ],
)
def test_what_cannot_be_read_is_one_fault_with_its_line(text: str, fault: str) -> None:
    with pytest.raises(SourceError) as raised:
        read_http_file(text)
    assert fault in str(raised.value)


def test_variables_do_not_grow_without_bound() -> None:
    doubled = "".join(f"@a{n} = {{{{a{n + 1}}}}}{{{{a{n + 1}}}}}\n" for n in range(60))
    with pytest.raises(SourceError, match="need each other, or are too long"):
        read_http_file(f"{doubled}@a60 = xx\nGET http://h/{{{{a0}}}}\n")


@given(st.text(alphabet="GET http:/h{}@#=<>%\n ", max_size=80))
def test_no_text_does_more_than_raise_a_fault(text: str) -> None:
    try:
        assert read_http_file(text).requests
    except SourceError:
        return
