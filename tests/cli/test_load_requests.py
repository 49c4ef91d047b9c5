"""Credentials, cookies, headers from files and typed bodies, as `load` sends them."""

from __future__ import annotations

import gzip
import os
import pty
import subprocess
from contextlib import suppress
from pathlib import Path

import pytest
from httpdyno.cli.load.output.record import LoadRecord
from request_recorder import body, fields, recording, reply

from .conftest import CLOSED_AT, PROGRAM, Program, environment

OK, USAGE, TARGET = 0, 2, 3
ONCE = ["-n", "1", "-c", "1", "-q"]


@pytest.mark.parametrize(
    ("flags", "credentials"),
    [
        (["--user", "Aladdin:open sesame"], "QWxhZGRpbjpvcGVuIHNlc2FtZQ=="),  # of RFC 7617
        (["-uAladdin:open sesame"], "QWxhZGRpbjpvcGVuIHNlc2FtZQ=="),
        (["-qu", "me:a:b"], "bWU6YTpi"),
        (["--user", "me:"], "bWU6"),
        (["--user", "me:@password"], "bWU6czNjcmV0"),
    ],
)
def test_a_user_is_sent_by_basic_authentication(
    flags: list[str], credentials: str, called: Program, tmp_path: Path
) -> None:
    (tmp_path / "password").write_text("s3cret\nmore\n")
    with recording() as server:
        answer = called("load", server.url, *ONCE, *flags)
    assert answer.returncode == OK, answer.stderr
    assert fields(server.requests[0])["authorization"] == f"Basic {credentials}"


def test_credentials_in_the_url_are_sent_and_not_repeated_in_the_request_line(
    called: Program,
) -> None:
    with recording() as server:
        url = server.url.replace("//", "//me%40home:a%3Ab@") + "/x"
        called("load", url, *ONCE, "--also", "GET /y")
        called("load", url, *ONCE)
    first = server.requests[0]
    assert first.startswith(b"GET /x HTTP/1.1\r\n")
    assert fields(first)["authorization"] == "Basic bWVAaG9tZTphOmI="  # me@home:a:b
    assert fields(first)["host"] == f"127.0.0.1:{server.port}"


@pytest.mark.parametrize("credentials", ["me:s3%zzcret", "me:s3cret%", "s3%4:"])
def test_a_wrong_percent_encoding_in_credentials_is_refused(
    credentials: str, called: Program
) -> None:
    for words in ([f"http://{credentials}@h/"], [CLOSED, "--proxy", f"http://{credentials}@h:1"]):
        answer = called("load", *words)
        assert answer.returncode == USAGE
        assert "`: expected two hexadecimal digits after each `%` in the user" in answer.stderr
        assert "s3" not in answer.stderr


def test_percent_encoded_bytes_that_are_no_text_are_sent_as_they_are(called: Program) -> None:
    with recording() as server:
        called("load", server.url.replace("//", "//me:%ff@"), *ONCE)
    assert fields(server.requests[0])["authorization"] == "Basic bWU6/w=="


def test_a_password_is_asked_for_on_a_terminal_and_is_not_shown(tmp_path: Path) -> None:
    with recording() as server:
        main, terminal = pty.openpty()
        program = subprocess.Popen(
            # The terminal becomes the program's own, `/dev/tty`.
            ["setsid", "--ctty", "--wait", *PROGRAM, "load", server.url, *ONCE, "--user", "me"],
            cwd=tmp_path,
            env=environment(),
            stdin=terminal,
            stdout=terminal,
            stderr=terminal,
        )
        os.close(terminal)
        shown = b""
        while b"password of me: " not in shown:
            shown += os.read(main, 1024)
        os.write(main, b"s3cret\n")
        assert program.wait(timeout=60) == OK
        with suppress(OSError):  # a terminal that all have left
            shown += os.read(main, 1024)
        os.close(main)
    assert b"s3cret" not in shown
    assert fields(server.requests[0])["authorization"] == "Basic bWU6czNjcmV0"


def test_cookies_are_sent_in_one_header(called: Program) -> None:
    with recording() as server:
        called("load", server.url, *ONCE, "--cookie", "a=1", "--cookie", "b=two words")
    assert fields(server.requests[0])["cookie"] == "a=1; b=two words"


def test_headers_come_from_a_file_among_others(called: Program, tmp_path: Path) -> None:
    (tmp_path / "headers").write_bytes(b"# mine\r\nX-One: 1\r\n\r\nUser-Agent: me\nX-Two:2")
    with recording() as server:
        called("load", server.url, *ONCE, "-H", "X-Zero: 0", "-H", "@headers", "-H", "X-Last: 3")
    lines = server.requests[0].decode().split("\r\n")[2:-2]
    assert lines == [
        "Accept: */*",
        "X-Zero: 0",
        "X-One: 1",
        "User-Agent: me",
        "X-Two: 2",
        "X-Last: 3",
    ]


@pytest.mark.parametrize(
    ("flags", "method", "media_type", "content"),
    [
        (["--data", "a=1&b=2"], "POST", "application/x-www-form-urlencoded", b"a=1&b=2"),
        (["--data", "@form", "-X", "PUT"], "PUT", "application/x-www-form-urlencoded", b"c=3\n"),
        (["--json-body", '{"a": 1}'], "POST", "application/json", b'{"a": 1}'),
        (["--json-body", "{}", "-H", "content-type: a/b"], "POST", "a/b", b"{}"),
        (["--body", "plain"], "POST", None, b"plain"),
    ],
)
def test_a_body_has_the_media_type_of_its_flag_unless_a_header_names_one(
    flags: list[str],
    method: str,
    media_type: str | None,
    content: bytes,
    called: Program,
    tmp_path: Path,
) -> None:
    (tmp_path / "form").write_bytes(b"c=3\n")
    with recording() as server:
        answer = called("load", server.url, *ONCE, *flags)
    assert answer.returncode == OK, answer.stderr
    (sent,) = server.requests
    got = (sent.split()[0].decode(), fields(sent).get("content-type"), body(sent))
    assert got == (method, media_type, content)


def test_gzip_is_asked_for_and_the_decoded_body_is_compared(called: Program) -> None:
    packed = reply(gzip.compress(b"hello"), "Content-Encoding: gzip")
    flags = ["-n", "4", "-c", "1", "-q", "--json", "-"]
    with recording(lambda _: packed) as server:
        right = called("load", server.url, *flags, "--gzip", "--expect-body", "hello")
        wrong = called("load", server.url, *flags, "--gzip", "--expect-body", "hallo")
        raw = called("load", server.url, *flags, "--expect-body", "hello")
    assert fields(server.requests[0])["accept-encoding"] == "gzip"
    assert "accept-encoding" not in fields(server.requests[-1])
    calls = [
        LoadRecord.model_validate_json(answer.stdout).measurement.calls
        for answer in (right, wrong, raw)
    ]
    assert [(one.ok, one.wrong_body) for one in calls] == [(4, 0), (0, 4), (0, 4)]


def test_gzip_leaves_an_accept_encoding_of_the_user(called: Program) -> None:
    with recording() as server:
        called("load", server.url, *ONCE, "--gzip", "-H", "Accept-Encoding: gzip, br")
    assert fields(server.requests[0])["accept-encoding"] == "gzip, br"


CLOSED = f"http://{CLOSED_AT}/"
AUTH = "Authorization: x"


@pytest.mark.parametrize(
    ("flags", "sentence"),
    [
        (["--user", ":s3"], "`--user :***`: expected `NAME:PASSWORD`, `NAME:@FILE` or `NAME`"),
        (["--user", "me:@s3"], "`--user me:***`: the file after `@` cannot be read"),
        (["--user", "me"], "the password is asked for only on a terminal"),
        (["--user", "a:s3", "-H", AUTH], "`Authorization` is given by `--header` too"),
        (["--cookie", "s3"], "`--cookie ***`: expected `NAME=VALUE`"),
        (["--cookie", "a b=s3"], "`--cookie a b=***`: expected `NAME=VALUE`"),
        (["--cookie", "a=s3;x"], "`--cookie a=***`: expected `NAME=VALUE`"),
        (["--cookie", "a=s3", "-H", "cookie: b=1"], "`Cookie` is given by `--header` too"),
        (["-H", "@absent"], "`--header @absent`: cannot read `absent`"),
        (["-H", "@headers"], "`--header @headers`: line 2: expected `NAME: VALUE`"),
        (["--data", "a", "--json-body", "b"], "`--data` and `--json-body` exclude each other"),
        (["--data", "@absent"], "`--data @absent`: cannot read `absent`"),
    ],
)
def test_bad_input_is_one_clear_sentence(
    flags: list[str], sentence: str, called: Program, tmp_path: Path
) -> None:
    (tmp_path / "headers").write_text("X: 1\nAuthorization s3\n")
    answer = called("load", CLOSED, *flags)
    assert answer.returncode == USAGE
    assert sentence in answer.stderr
    assert "s3" not in answer.stderr


def test_two_users_are_a_fault_and_neither_is_shown(called: Program) -> None:
    answer = called("load", f"http://a:s3@{CLOSED_AT}/", "--user", "b:s3")
    assert answer.returncode == USAGE
    assert "`--user` and the user in the URL exclude each other" in answer.stderr
    assert "s3" not in answer.stderr


@pytest.mark.parametrize("flag", ["--user", "-u", "--cookie", "--data", "--json-body"])
def test_a_secret_that_is_not_quoted_is_not_repeated(flag: str, called: Program) -> None:
    answer = called("load", CLOSED, flag, "x:", "s3cret")
    assert answer.returncode == USAGE
    assert "expected quotes around a value with spaces" in answer.stderr
    assert "s3cret" not in answer.stderr


def test_what_is_given_by_these_flags_is_not_written_down(called: Program, tmp_path: Path) -> None:
    with recording() as server:
        url = server.url.replace("//", "//u:s3cret@")
        flags = ["--cookie", "id=s3cret", "--data", "p=s3cret", "-n", "20", "-c", "1"]
        by_url = called("load", url, *flags, "--json", "url.json")
        by_flag = called("load", server.url, *flags, "-u", "u:s3cret", "--json", "flag.json")
    assert b"s3cret" in server.requests[0]
    texts = [(tmp_path / name).read_text() for name in ("url.json", "flag.json")]
    shown = [one for answer in (by_url, by_flag) for one in (answer.stdout, answer.stderr)]
    assert not [one for one in (*texts, *shown) if "s3cret" in one]
    assert f"http://***@127.0.0.1:{server.port}" in by_url.stdout
    headers = dict(LoadRecord.model_validate_json(texts[1]).plan.requests[0].headers)
    assert (headers["Authorization"], headers["Cookie"]) == ("***", "***")
