"""`load --urls`: a list of URLs, or vegeta's targets, sent in turn."""

from __future__ import annotations

import base64
import json
from dataclasses import asdict
from pathlib import Path

import pytest
from httpdyno import _engine
from httpdyno.cli.load.arguments.address import Address, basic
from httpdyno.cli.load.arguments.url_list import (
    ListedRequest,
    UrlListError,
    parse_url_list,
)
from httpdyno.cli.load.output.record import LoadRecord
from hypothesis import given
from hypothesis import strategies as st
from request_recorder import body, fields, recording, reply

from .conftest import CLOSED_AT, Program

OK, USAGE, TARGET = 0, 2, 3
HERE = Address("h", 80, "/")
PIECES = [
    b"\n",
    b" ",
    b"GET ",
    b"http://h/",
    b"/a",
    b"X: 1",
    b"@",
    b"#",
    b"u:p@",
    b"{",
    b'"',
    b"\xff",
]


def faults(content: bytes, server: Address | None = None) -> tuple[str, ...]:
    """The faults of a list."""
    with pytest.raises(UrlListError) as wrong:
        parse_url_list(content, server)
    return wrong.value.faults


def test_a_list_has_a_url_per_line_and_keeps_its_order_and_repetitions() -> None:
    found = parse_url_list(
        b"# mine\nhttp://h/a\r\n\n  http://h/b?c=d#e\nhttp://h\nhttp://h/a", None
    )
    assert found.server == HERE
    assert [one.path for one in found.requests] == ["/a", "/b?c=d", "/", "/a"]
    assert {one.method for one in found.requests} == {None}


def test_paths_lead_to_the_server_of_the_command_line() -> None:
    server = Address("h", 8443, "/", tls=True)
    found = parse_url_list(b"/a\nPUT /b\nhttps://H:8443/c", server)
    assert found.server == server
    assert [one.path for one in found.requests] == ["/a", "/b", "/c"]
    assert faults(b"/a") == (
        "line 1: expected a URL such as `http://localhost:8080/a`; a path alone needs URL on the"
        " command line",
    )


# The examples of vegeta's manual for its `http` format, in one file.
VEGETA = b"""\
# get a dragon!
GET http://goku:9090/path/to/dragon?item=ball
HEAD http://goku:9090/path/to/success
GET http://user:password@goku:9090/path/to
# specify a test account
X-Account-ID: 8675309

DELETE http://goku:9090/path/to/remove
Confirmation-Token: 90215
Authorization: Token DEADBEEF

POST http://goku:9090/things
X-Account-ID: 99
@newthing.json
PATCH http://goku:9090/thing/71988591
@newthing.json
"""


def test_the_targets_of_vegeta_are_read_as_its_manual_shows_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "newthing.json").write_text("{}")
    found = parse_url_list(VEGETA, None)
    assert found.server == Address("goku", 9090, "/")
    sent = [(one.method, one.path, one.headers, one.body is not None) for one in found.requests]
    login = ("Authorization", basic("user", "password"))
    token = [("Confirmation-Token", "90215"), ("Authorization", "Token DEADBEEF")]
    assert sent == [
        ("GET", "/path/to/dragon?item=ball", [], False),
        ("HEAD", "/path/to/success", [], False),
        ("GET", "/path/to", [login, ("X-Account-ID", "8675309")], False),
        ("DELETE", "/path/to/remove", token, False),
        ("POST", "/things", [("X-Account-ID", "99")], True),
        ("PATCH", "/thing/71988591", [], True),
    ]
    assert found.requests[4].body == found.requests[5].body


def test_the_json_targets_of_vegeta_are_read_too() -> None:
    targets = [
        {"method": "GET", "url": "http://goku/"},
        {
            "method": "POST",
            "url": "http://goku/a",
            "body": base64.b64encode(b"Punch!").decode(),
            "header": {"Content-Type": ["text/plain"], "X": ["1", "2"]},
        },
    ]
    found = parse_url_list("\n".join(map(json.dumps, targets)).encode(), None)
    first, second = found.requests
    assert first == ListedRequest("/", "GET")
    assert second.headers == [("Content-Type", "text/plain"), ("X", "1"), ("X", "2")]
    assert second.body is not None
    assert asdict(second.body) == {"base64": "UHVuY2gh"}


def test_the_authorization_of_a_target_replaces_that_of_its_url() -> None:
    (one,) = parse_url_list(b"GET http://u:p@h/\nauthorization: Token x", None).requests
    assert one.headers == [("authorization", "Token x")]


def test_all_faults_of_a_list_are_reported_at_once_each_with_its_line() -> None:
    more = "expected a header `NAME: VALUE`, a body `@FILE`, or the next URL"
    line = (
        "expected a URL such as `http://localhost:8080/a`, or a method before it, such as"
        " `GET http://localhost:8080/a`"
    )
    content = b"""\
http://h/a
X: no target before
GET ftp://h/
Authorization s3cret
X: belongs to the faulty target
@absent
get http://h/
GET http://h:x/
http://h/a b
http://h/\xc3\xa4
http://s3cret@h:81/
http://h:82/
"""
    assert faults(content) == (
        f"line 2: {line}",
        "line 3: expected a URL such as `http://localhost:8080/a`",
        f"line 4: {more}",
        "line 6: cannot read `absent`: No such file or directory: expected the file of a body",
        f"line 7: {line}",
        "line 8: expected a URL such as `http://localhost:8080/`, with a port from 1 to 65535 if"
        " any",
        "line 9: expected no space and only ASCII; percent-encode the rest",
        "line 10: expected no space and only ASCII; percent-encode the rest",
        "line 11: `http://h:81` is not the server of line 1, `http://h`:"
        " expected one scheme, host and port",
    )


@pytest.mark.parametrize(
    "target",
    [
        "{",
        "[]",
        "{}",
        '{"method": "GET"}',
        '{"method": 1, "url": "http://h/"}',
        '{"method": "GET", "url": "http://h/", "more": 1}',
        "[" * 100_000,
    ],
)
def test_a_faulty_json_target_says_what_was_expected(target: str) -> None:
    content = '{"method": "GET", "url": "http://h/"}\n' + target
    (fault,) = faults(content.encode())
    assert fault.startswith("line 2: expected a JSON object such as")


@pytest.mark.parametrize(
    ("target", "fault"),
    [
        ('"body": "?"', "expected a body in base64"),
        ('"body": 1', "expected a body in base64"),
        ('"header": {"X": "1"}', 'expected headers such as `{"Accept": ["text/html"]}`'),
        ('"header": []', 'expected headers such as `{"Accept": ["text/html"]}`'),
        ('"header": {"X Y": ["1"]}', "expected a header `NAME: VALUE`"),
        ('"header": {"X": ["a\\nb"]}', "expected no line break or control character in the value"),
    ],
)
def test_a_json_target_with_a_faulty_part_names_the_part(target: str, fault: str) -> None:
    (found,) = faults(f'{{"method": "GET", "url": "http://h/", {target}}}'.encode())
    assert fault in found


@pytest.mark.parametrize("content", [b"", b"\n# nothing\n"])
def test_an_empty_list_is_refused(content: bytes) -> None:
    assert faults(content) == ("no request: expected a URL such as `http://localhost:8080/a`",)


def test_a_list_of_nonsense_reports_its_first_20_faults_only() -> None:
    assert len(faults(b"nonsense\n" * 1000)) == 20


@given(st.binary() | st.lists(st.sampled_from(PIECES)).map(b"".join))
def test_any_bytes_are_a_list_or_faults_with_their_lines(content: bytes) -> None:
    requests: list[ListedRequest] = []
    told: tuple[str, ...] = ()
    try:
        requests = parse_url_list(content, HERE).requests
    except UrlListError as wrong:
        told = wrong.faults
    assert bool(requests) != bool(told)
    assert all("expected" in fault for fault in told)
    assert all(one.path.isascii() and one.path.startswith("/") for one in requests)


def test_100_000_urls_are_read_and_one_more_is_refused() -> None:
    lines = b"".join(b"http://h/%d\n" % number for number in range(100_000))
    assert len(parse_url_list(lines, None).requests) == 100_000
    assert faults(lines + b"http://h/") == ("expected at most 100,000 requests",)


def test_the_requests_of_a_list_arrive_in_its_order_byte_for_byte(
    called: Program, tmp_path: Path
) -> None:
    (tmp_path / "thing").write_bytes(b"\x00thing")
    with recording() as server:
        (tmp_path / "urls").write_text(
            f"{server.url}/a\n"
            f"POST {server.url.replace('//', '//u:p@')}/b\n"
            "X-Mine: 1\nAccept: text/plain\n@thing\n"
            f"{server.url}/a\n"
        )
        flags = ["-n", "6", "-c", "1", "-q", "-H", "User-Agent: me", "-H", "X-All: 2"]
        answer = called("load", "--urls", "urls", *flags)
    assert answer.returncode == OK, answer.stderr
    host = f"Host: 127.0.0.1:{server.port}\r\n"
    get = f"GET /a HTTP/1.1\r\n{host}Accept: */*\r\nUser-Agent: me\r\nX-All: 2\r\n\r\n"
    post = (
        f"POST /b HTTP/1.1\r\n{host}User-Agent: me\r\nX-All: 2\r\nAuthorization: Basic dTpw\r\n"
        "X-Mine: 1\r\nAccept: text/plain\r\nContent-Length: 6\r\n\r\n\x00thing"
    )
    assert server.requests == [one.encode() for one in (get, post, get) * 2]


def test_a_list_comes_through_a_pipe_and_paths_need_only_the_server(
    shell: Program,
) -> None:
    with recording() as server:
        line = "printf '/a\\n/b\\n' | $httpdyno load $url --urls - -n 4 -c 1 -q"
        answer = shell(line, url=f"127.0.0.1:{server.port}")
    assert answer.returncode == OK, answer.stderr
    assert server.lines() == ["GET /a HTTP/1.1", "GET /b HTTP/1.1"] * 2


def test_flags_for_a_body_apply_to_each_request_that_has_none_of_its_own(
    called: Program, tmp_path: Path
) -> None:
    (tmp_path / "own").write_text("own")
    with recording() as server:
        (tmp_path / "urls").write_text("/a\nPUT /b\nPOST /c\n@own\nPOST /d\nContent-Type: x/y\n")
        called("load", server.url, "--urls", "urls", "--json-body", "{}", "-n", "4", "-c1", "-q")
    got = [(fields(one).get("content-type"), body(one)) for one in server.requests]
    assert [line.split()[0] for line in server.lines()] == ["POST", "PUT", "POST", "POST"]
    assert got == [
        ("application/json", b"{}"),
        ("application/json", b"{}"),
        (None, b"own"),
        ("x/y", b"{}"),
    ]


@pytest.mark.slow
def test_100_000_urls_are_loaded_in_turn(called: Program, tmp_path: Path) -> None:
    count = 100_000
    (tmp_path / "urls").write_text("".join(f"/{number}\n" for number in range(count)))
    with recording() as server:
        flags = ["-d", "1s", "-c", "1", "-q", "--json", "o.json", "--expect-status", "200"]
        answer = called("load", server.url, "--urls", "urls", *flags)
    assert answer.returncode == OK, answer.stderr
    sent = server.lines()
    assert sent == [f"GET /{number} HTTP/1.1" for number in range(len(sent))]
    record = LoadRecord.model_validate_json((tmp_path / "o.json").read_text())
    assert len(record.plan.requests) == count


@pytest.mark.parametrize(
    ("flags", "sentence"),
    [
        (["--urls", "absent"], "`--urls absent`: cannot read `absent`: No such file or directory"),
        (["--urls", "/dev/null"], "`--urls /dev/null`: no request: expected a URL"),
        (["http://h/a", "--urls", "urls"], "`--urls` names the paths: expected a URL without one"),
        (["--urls", "urls", "--also", "GET /"], "expected them in the list of `--urls`"),
        (["--urls", "two"], "`--urls two`: line 2: `http://h:81` is not the server of line 1"),
    ],
)
def test_a_fault_of_a_list_is_a_sentence_and_no_load(
    flags: list[str], sentence: str, called: Program, tmp_path: Path
) -> None:
    (tmp_path / "urls").write_text("http://h/")
    (tmp_path / "two").write_text("http://h/\nhttp://h:81/\n")
    answer = called("load", *flags)
    assert answer.returncode == USAGE
    assert sentence in answer.stderr


def test_no_credential_of_a_list_is_shown_or_written_down(called: Program, tmp_path: Path) -> None:
    with recording() as server:
        (tmp_path / "list").write_text(
            f"GET {server.url.replace('//', '//u:s3cret@')}/a?token=s3cret\nCookie: s3cret\n"
        )
        answer = called("load", "--urls", "list", "-n", "20", "-c", "1", "--json", "o.json")
    assert b"s3cret" in server.requests[0]
    text = (tmp_path / "o.json").read_text()
    assert not [one for one in (answer.stdout, answer.stderr, text) if "s3cret" in one]
    record = LoadRecord.model_validate_json(text)
    assert record.url == f"{server.url}/a?token=***"
    assert record.plan.requests[0].path == "/a?token=***"
    assert dict(record.plan.requests[0].headers)["Authorization"] == "***"


def test_a_missing_body_file_gets_the_hint_of_a_missing_file(
    called: Program, tmp_path: Path
) -> None:
    list_of = tmp_path / "targets.txt"
    list_of.write_text("POST http://127.0.0.1:9/a\n@missing.json\n")
    done = called("load", "--urls", "targets.txt")
    assert "line 2: cannot read `missing.json`: No such file or directory" in done.stderr
    assert "hint: check the path and its permissions" in done.stderr
    list_of.write_text("POST http://127.0.0.1:9/a\n@missing.json\n\nnonsense\n")
    assert "hint: httpdyno load --help" in called("load", "--urls", "targets.txt").stderr


def test_the_summary_names_the_server_of_a_list_and_no_path_that_is_not_requested(
    called: Program, tmp_path: Path
) -> None:
    with recording() as server:
        paths = {"one": [f"GET {server.url}/a"], "two": [f"GET {server.url}/{x}" for x in "ab"]}
        for name, lines in paths.items():
            (tmp_path / name).write_text("\n".join(lines))
        shown = {name: called("load", "--urls", name, "-n", "20").stdout for name in paths}
    assert f"\n{server.url}/a\n" in shown["one"]
    assert f"\n{server.url}\n" in shown["two"]
    assert ", 2 requests in turn" in shown["two"]


def test_https_on_a_port_without_tls_is_no_matter_of_certificates(
    called: Program, server: _engine.Reference
) -> None:
    answer = called("load", f"https://{server.address}/", "-n", "1")
    assert answer.returncode == TARGET
    assert "the server's bytes are not TLS" in answer.stderr
    assert "hint: the server speaks no TLS on this port: try `http://`" in answer.stderr


def test_a_wrong_body_is_told_by_its_first_wrong_byte(called: Program) -> None:
    with recording(lambda _: reply(b"HellO\n")) as server:
        answer = called("load", server.url, "-n", "10", "--expect-body", "Hello\n")
    assert "the byte at offset 4 is `O`, not `o`" in " ".join(answer.stdout.split())


def test_a_body_that_is_missing_is_reported_once(tmp_path: Path, called: Program) -> None:
    (tmp_path / "urls").write_text("POST http://127.0.0.1:9/a\n@missing\n" * 1000 + "nonsense\n")
    answer = called("load", "--urls", "urls")
    assert answer.stderr.count("missing") == 1
    assert "line 2: cannot read `missing`: No such file or directory" in answer.stderr
    assert "(and 999 more lines with it)" in answer.stderr
    assert "line 2001: expected a URL" in answer.stderr


def test_a_list_sends_only_files_of_its_own_folder_unless_another_is_allowed(
    tmp_path: Path, called: Program
) -> None:
    (tmp_path / "lists").mkdir()
    (tmp_path / "lists" / "mine").write_text("a=1")
    (tmp_path / "lists" / "link").symlink_to("/etc/hostname")
    (tmp_path / "other").write_text("a=2")
    for name, allowed in (("lists/mine", True), ("lists/link", False), ("other", False)):
        (tmp_path / "lists" / "urls").write_text(f"POST http://{CLOSED_AT}/a\n@{name}\n")
        answer = called("load", "--urls", "lists/urls")
        refused = f"line 2: `@{name}` is outside of `{tmp_path.resolve() / 'lists'}`: expected"
        assert (refused in answer.stderr) != allowed
        assert ("refused the connection" in answer.stderr) == allowed
    answer = called("load", "--urls", "lists/urls", "--bodies-from", ".")
    assert "refused the connection" in answer.stderr
    answer = called("load", f"http://{CLOSED_AT}/", "--bodies-from", ".")
    assert "`--bodies-from` applies only to a list: expected `--urls` with it" in answer.stderr
