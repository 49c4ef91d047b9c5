"""Recordings of browsers become requests."""

from __future__ import annotations

import json
from typing import Any

import pytest
from httpdyno.sources.har import read_har
from httpdyno.sources.request import SourceError, one_origin


def entry(url: str, method: str = "GET", media_type: str = "text/html", **more: Any) -> Any:
    headers = [{"name": ":authority", "value": "h"}, {"name": "Accept-Encoding", "value": "br"}]
    headers += [{"name": "cookie", "value": "a=1"}, {"name": "cookie", "value": "b=2"}]
    request = {"method": method, "url": url, "headers": headers, **more}
    return {"request": request, "response": {"status": 200, "content": {"mimeType": media_type}}}


def har(*entries: Any) -> str:
    return json.dumps({"log": {"version": "1.2", "entries": entries}})


def test_requests_are_those_of_one_server_without_static_files() -> None:
    text = har(
        entry("http://h/items?page=1#top"),
        entry("http://h/app.js"),
        entry("http://h/logo", media_type="image/png"),
        entry("http://h/items?page=1"),
        entry("http://h/orders", "post", postData={"mimeType": "x", "text": '{"a":1}'}),
        entry("http://h/form", "POST", postData={"params": [{"name": "a", "value": "b c"}]}),
        entry("ws://h/live"),
        entry("data:text/plain,x"),
    )
    found = read_har(text)
    shown = [(one.method, one.path, one.weight, one.body) for one in found.requests]
    assert shown == [
        ("GET", "/items?page=1", 2, None),
        ("POST", "/orders", 1, '{"a":1}'),
        ("POST", "/form", 1, "a=b+c"),
    ]
    assert found.requests[0].headers == (("cookie", "a=1; b=2"),)
    assert found.notes == [
        "2 left out: static files (`--static` keeps them)",
        "2 left out: not HTTP",
    ]
    assert len(read_har(text, static=True).requests) == 5


def test_a_recording_names_no_variable_of_the_environment() -> None:
    (request,) = read_har(har(entry("http://h/${HOME}?a=${HOME}"))).requests
    assert request.path == "/$%7BHOME}?a=$%7BHOME}"


def test_several_servers_are_one_error_that_lists_them() -> None:
    text = har(entry("https://h/a"), entry("https://h/b"), entry("https://other:1/c"))
    with pytest.raises(SourceError) as raised:
        one_origin(read_har(text).requests)
    assert str(raised.value) == (
        "its requests go to 2 servers: `https://h` (2), `https://other:1` (1): expected one"
    )
    found = read_har(text, origin="https://h")
    assert [one.path for one in found.requests] == ["/a", "/b"]
    assert found.notes == ["1 left out: another server than that of `--origin`"]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "line 1, column 1: not JSON"),
        ('{\n "log": }', "line 2, column 9: not JSON"),
        ("[" * 100_000, "nested too deeply"),
        ("[]", "`log` is missing, or is not an object: expected a HAR file"),
        ('{"log": {"entries": {}}}', "`entries` is missing, or is not a list"),
        (har(entry("http://h/"), {}), "entry 2: `request` is missing, or is not an object"),
        (har(entry("http://h:x/")), "entry 1: a URL cannot be used: expected a URL"),
        (har(entry("http://h/a.png")), "no request that can be sent (1 left out: static files"),
        (har(entry("http://h/", headers=[{"name": "a b", "value": ""}])), "entry 1: `a b` is not"),
        (har(entry("http://h/", headers=[{"name": "a"}])), "entry 1: `value` is missing"),
        (har(entry("http://h/", headers=[{"name": "a", "value": "${HOME}"}])), "names a variable"),
        (
            har(entry("http://h/", postData={"params": [{"name": "a", "fileName": "b"}]})),
            "entry 1: a form with a file cannot be sent again",
        ),
    ],
)
def test_what_cannot_be_read_is_one_fault_with_its_entry(text: str, fault: str) -> None:
    with pytest.raises(SourceError) as raised:
        read_har(text)
    assert fault in str(raised.value)
