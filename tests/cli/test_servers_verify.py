"""`httpdyno servers verify`: the wire of each check, its findings, and its exit codes."""

from __future__ import annotations

import json

from techempower_server import serving

from .conftest import Program


def test_the_wire_of_each_check_is_printed_with_its_findings(called: Program) -> None:
    with serving() as port:
        done = called("servers", "verify", f"http://127.0.0.1:{port}", "--test", "plaintext")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[:2] == ["plaintext: GET /plaintext", "  > GET /plaintext HTTP/1.1"]
    assert "  < HTTP/1.1 200 OK" in lines
    assert "  < Hello, World!" in lines
    assert "  pass  the body is `Hello, World!`" in lines
    assert lines[-1] == "2 checks: 2 passed"


def test_a_broken_rule_ends_with_exit_code_3(called: Program) -> None:
    with serving(lambda _, head, __: ({**head, "Server": ""}, b"Hello")) as port:
        url = f"http://127.0.0.1:{port}"
        done = called("servers", "verify", url, "--test", "plaintext", "--json")
    assert done.returncode == 3
    first, second = json.loads(done.stdout)
    assert [first["outcome"], second["outcome"]] == ["fail", "fail"]
    assert first["findings"][1] == {"outcome": "fail", "rule": "header Server", "seen": "missing"}


def test_a_test_may_have_another_path(called: Program) -> None:
    with serving() as port:
        done = called("servers", "verify", f"127.0.0.1:{port}", "--test", "db=/none")
    assert done.returncode == 0
    assert "an object, and no array around it: an array" in done.stdout
    assert "db: GET /none" in done.stdout


def test_a_server_that_does_not_run_is_named_once(called: Program) -> None:
    done = called("servers", "verify", "http://127.0.0.1:1")
    assert done.returncode == 3
    assert done.stderr.splitlines()[0] == (
        "error: `http://127.0.0.1:1` cannot be reached: no connection: Connection refused"
    )
    assert not done.stdout


def test_an_unknown_test_and_a_url_with_a_path_are_refused_at_once(called: Program) -> None:
    done = called("servers", "verify", "http://127.0.0.1:1/x", "--test", "dbs", "--suite", "mine")
    assert done.returncode == 2
    assert "`dbs` is not a test: expected json, plaintext, db" in done.stderr
    assert "expected only scheme, host and port" in done.stderr
    assert "`--suite mine`: expected `techempower`" in done.stderr
