"""The flags of what is sent: the same in every verb, and a workload of a study that runs again."""

from __future__ import annotations

import importlib
import json
import os
import shlex
from dataclasses import fields
from pathlib import Path

import click
import pytest
from httpdyno.cli.command import command_of
from httpdyno.cli.compare.flags import without_credentials
from httpdyno.cli.faults import Faults
from httpdyno.cli.frame.verbs import VERBS
from httpdyno.cli.load.arguments.flags import LoadFlags, flags_of
from httpdyno.cli.load.arguments.own_workload import read_workload
from httpdyno.cli.load.arguments.plan import plan_of
from httpdyno.cli.load.arguments.request_flags import RequestFlags, StudyRequestFlags
from httpdyno.cli.main import run
from httpdyno.cli.values import Values
from httpdyno.engine_plan import File, Like, Request, Text
from httpdyno.errors import ExitCode, UsageError
from httpdyno.output.secrets import masked_flags
from httpdyno.run import read_study
from httpdyno.running.own import context_of
from httpdyno.servers import load_catalogue
from httpdyno.servers.check.requests import request

LIMIT = ("--limit", "p99<50ms")
URL = "http://127.0.0.1:3000"


def read(*words: str, is_same: bool = False) -> dict[str, object]:
    """The table that these flags of a study make."""
    command = command_of(_flags, "flags")
    with command.make_context("flags", list(words)) as context:
        flags: StudyRequestFlags = context.command.invoke(context)
    faults = Faults("help")
    workload = read_workload(flags, Values(faults), is_same=is_same)
    faults.raise_any()
    assert workload.table is not None
    return {"name": workload.name, **workload.table}


def _flags(flags: StudyRequestFlags) -> StudyRequestFlags:
    return flags


def sent_by_load(*words: str) -> list[Request]:
    return plan_of(flags_of(["http://127.0.0.1:3000", *words]), Faults("help")).requests


@pytest.mark.parametrize("verb", ["load", "capacity", "compare", "ci", "init"])
def test_each_verb_has_the_same_flags(verb: str) -> None:
    found = getattr(
        importlib.import_module(f"httpdyno.cli.{VERBS[verb].module}"), VERBS[verb].attribute
    )
    own = {one.name: one for one in command_of(found, verb).params}
    for one in command_of(_flags, "flags").params:
        if one.name in ("path", "grpc") and verb == "load":
            continue  # its URL has the path, or the method
        given = own[one.name or ""]
        assert isinstance(given, click.Option)
        assert isinstance(one, click.Option)
        assert (given.opts, given.help, given.metavar) == (one.opts, one.help, one.metavar)
    assert {one.name for one in fields(RequestFlags)} <= own.keys()


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("", {"name": "GET /", "requests": [{"path": "/"}]}),
        ("--path /a?b=1", {"name": "GET /a?b=1", "requests": [{"path": "/a?b=1"}]}),
        (
            """-X POST --json-body '{"a": 1}' --path /orders --expect-status 201""",
            {
                "name": "POST /orders",
                "requests": [
                    {
                        "path": "/orders",
                        "headers": {"Content-Type": "application/json"},
                        "body": '{"a": 1}',
                        "expect": {"status": 201},
                    }
                ],
            },
        ),
        (
            "-X PUT --data a=b -H 'content-type: text/x' --cookie a=1 --cookie b=2",
            {
                "name": "PUT /",
                "requests": [
                    {
                        "method": "PUT",
                        "path": "/",
                        "headers": {"content-type": "text/x", "Cookie": "a=1; b=2"},
                        "body": "a=b",
                    }
                ],
            },
        ),
        (
            "--path /a --also 'DELETE /b x3' --expect any",
            {
                "name": "GET /a and 1 more",
                "requests": [
                    {"path": "/a", "expect": {"any": True}},
                    {"method": "DELETE", "path": "/b", "weight": 3, "expect": {"any": True}},
                ],
            },
        ),
        (
            "--expect-length 0",
            {"name": "GET /", "requests": [{"path": "/", "expect": {"length": 0}}]},
        ),
        (
            "--expect-status 200 --expect-status 404",
            {"name": "GET /", "requests": [{"path": "/", "expect": {"status": [200, 404]}}]},
        ),
        ("--expect-same", {"name": "GET /", "requests": [{"path": "/", "expect": {"same": True}}]}),
        (
            """--expect 'json:{"id": "{int}"}'""",
            {
                "name": "GET /",
                "requests": [{"path": "/", "expect": {"json": '{"id": "{int}"}'}}],
            },
        ),
        (
            "--expect regex:^ok --check 1/50",
            {
                "name": "GET /",
                "requests": [{"path": "/", "expect": {"regex": "^ok", "check": "1/50"}}],
            },
        ),
        (
            "--expect-body ok -u a:b",
            {
                "name": "GET /",
                "requests": [
                    {
                        "path": "/",
                        "headers": {"Authorization": "Basic YTpi"},
                        "expect": {"body": "ok"},
                    }
                ],
            },
        ),
    ],
)
def test_flags_become_a_workload_of_a_study(words: str, expected: dict[str, object]) -> None:
    assert read(*shlex.split(words)) == expected


def test_a_list_is_a_workload_with_the_name_of_its_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "order.json").write_text('{"item": 1}')
    listed = tmp_path / "shop.txt"
    listed.write_text(
        "http://localhost:9/items?page=1\n\nPOST http://localhost:9/orders\nX-A: b\n@order.json\n"
    )
    (tmp_path / "paths.txt").write_text("/a\nDELETE /b\n")
    found = read("--urls", str(listed), "-H", "Accept: text/html", "--bodies-from", str(tmp_path))
    accept = {"Accept": "text/html"}
    assert found["name"] == "shop.txt"
    assert found["requests"] == [
        {"path": "/items?page=1", "headers": accept},
        {
            "path": "/orders",
            "headers": {**accept, "X-A": "b"},
            "body_file": str(tmp_path / "order.json"),
        },
    ]
    paths = read("--urls", str(tmp_path / "paths.txt"), is_same=True)
    same = {"expect": {"same": True}}
    assert paths["requests"] == [{"path": "/a", **same}, {"method": "DELETE", "path": "/b", **same}]


@pytest.mark.parametrize(
    ("words", "fault"),
    [
        ("--path /a --urls x.txt", "`--urls` names the paths: expected it without `--path`"),
        ("--workload hello -X POST", "`--workload` says what is sent and which replies are right:"),
        ("--workload hello --urls x", "expected it without `--urls`"),
        ("--workload nothing", "`--workload nothing`: expected"),
        ("--workload ./no.toml", "`--workload ./no.toml`: `"),
        ("--workload hello -H a:b", "`--workload hello` is built in, with headers of its own"),
        ("-H a:b -H A:c", "the header `A` is given twice"),
        ("-H 'Authorization: ***'", "`***` stands for a value that was not stored"),
        ("--user me:***", "`***` stands for a value that was not stored"),
        ("--json-body ***", "`***` stands for a value that was not stored"),
        ("--bodies-from .", "`--bodies-from` applies only to a list"),
        ("--method 'A B'", "expected a method such as `GET` or `POST`"),
    ],
)
def test_flags_that_contradict_each_other_are_faults(words: str, fault: str) -> None:
    with pytest.raises(UsageError) as raised:
        read(*shlex.split(words))
    assert fault in raised.value.message


def dry(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    code = run([*words, "--dry-run"])
    shown = capsys.readouterr()
    assert code == ExitCode.OK, shown.err
    return shown.out


def test_the_study_of_a_capacity_can_be_written_and_sends_what_load_sends(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    listed = tmp_path / "shop.txt"
    listed.write_text("GET /items?page=1\n\nPOST /orders\nContent-Type: application/json\nDNT: 1\n")
    words = ["--urls", str(listed), "-H", "Accept: */*", "--expect-same"]
    shown = dry(capsys, "capacity", "--url", URL, *words, *LIMIT)
    file = tmp_path / "again.toml"
    file.write_text(shown.partition("\n\n\n")[0])
    study = read_study(file, load_catalogue())
    assert study.arms[0].url == URL
    again = [request(one) for one in context_of(study).workloads["shop.txt"].measured]
    of_load = sent_by_load(*words)
    assert [(one.method, one.path) for one in again] == [(one.method, one.path) for one in of_load]
    assert [one.expect for one in again] == [one.expect for one in of_load]
    for ours, theirs in zip(again, of_load, strict=True):
        assert set(ours.headers) <= set(theirs.headers)


def test_a_list_does_not_send_variables_of_the_environment(tmp_path: Path) -> None:
    listed = tmp_path / "somebody.txt"
    listed.write_text("http://h/${HOME}\n")
    assert read("--urls", str(listed), "-H", "X: ${KEY}")["requests"] == [
        {"path": "/$%7BHOME}", "headers": {"X": "${KEY}"}}
    ]
    listed.write_text("GET http://h/\nX: ${HOME}\n")
    with pytest.raises(UsageError, match="the header `X` names a variable of the environment"):
        read("--urls", str(listed))


def test_the_server_of_a_capacity_may_be_that_of_the_list(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    listed = tmp_path / "shop.txt"
    listed.write_text(f"{URL}/a\n{URL}/b\n")
    shown = dry(capsys, "capacity", "--urls", str(listed), *LIMIT)
    assert f'url = "{URL}"' in shown
    # A server that a command starts has a port of its own.
    shown = dry(capsys, "capacity", "--command", "./a {port}", "--urls", str(listed), *LIMIT)
    assert URL not in shown
    assert 'path = "/b"' in shown
    assert run(["capacity", "--url", "http://other", "--urls", str(listed), *LIMIT]) == 2
    assert "is not the server of the command line" in capsys.readouterr().err


def test_servers_that_are_named_get_the_requests_of_the_flags_too(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shown = dry(capsys, "capacity", "nginx", "--path", "/file.png", *LIMIT)
    assert '[{ path = "/file.png", expect = { status = 200 } }]' in shown
    shown = dry(capsys, "capacity", "nginx", "--path", "/file.png", "-X", "HEAD", *LIMIT)
    assert 'workload = "HEAD /file.png"' in shown
    assert "hello" in dry(capsys, "capacity", "nginx", *LIMIT)
    assert 'workload = "pong"' in dry(capsys, "capacity", "nginx", "--workload", "pong", *LIMIT)
    file = tmp_path / "mix.toml"
    file.write_text(
        'requests = [{ path = "/a", weight = 3 }, { path = "/b", headers = { DNT = "1" } }]'
    )
    shown = dry(
        capsys, "capacity", "nginx", "--workload", str(file), "-H", "dnt: 2", "-H", "TE: 3", *LIMIT
    )
    assert '{ path = "/a", weight = 3, headers = { dnt = "2", TE = "3" } }' in shown
    assert '{ path = "/b", headers = { TE = "3", DNT = "1" } }' in shown


def test_a_comparison_sends_what_the_flags_say(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    words = ["cmd:a {port}", "cmd:b {port}", "-X", "PATCH", "--json-body", '{"a": 1}']
    shown = dry(capsys, "compare", *words, "--path", "/orders")
    assert "PATCH /orders" in shown
    assert run(["compare", *words, "--study", "x.toml"]) == ExitCode.USAGE
    assert "`--study` and `--method` exclude each other" in capsys.readouterr().err


def test_no_credential_of_a_flag_is_in_the_stored_study_or_command(
    capsys: pytest.CaptureFixture[str],
) -> None:
    secret = ["-H", "Authorization: Bearer s3cret", "--user=me:s3cret", "--cookie", "id=s3cret"]
    shown = dry(capsys, "capacity", "--url", URL, *secret[:2], *secret[3:], *LIMIT)
    assert "s3cret" not in shown
    assert 'headers = { Authorization = "***", Cookie = "***" }' in shown
    body = ["--json-body", '{"password": "s3cret"}', '--json-body={"item": 1}']
    masked = masked_flags(["capacity", "--url", URL, *secret, *body, "-HX-Key: s3cret"])
    assert "s3cret" not in " ".join(masked)
    assert masked[-1:] == ["-HX-Key: ***"]
    assert '--json-body={"item": 1}' in masked
    assert "Authorization: ***" in without_credentials(["compare", "main", ".", *secret])


def test_init_writes_the_requests_of_its_flags(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "shop.txt").write_text(f"{URL}/items\n\nPOST {URL}/orders\nDNT: 1\n")
    words = ["--urls", "shop.txt", "--expect-status", "200", "-H", "X-Key: ${KEY}"]
    assert run(["init", "mine.toml", *words]) == 0
    study = read_study(tmp_path / "mine.toml", load_catalogue())
    first, second = study.workloads["shop.txt"].requests
    assert study.arms[0].url == URL
    assert (first.path, first.expect.status) == ("/items", 200)
    assert (second.method, second.headers) == ("POST", {"X-Key": "${KEY}", "DNT": "1"})
    assert run(["init", "c.toml", "--path", "/a"]) == ExitCode.USAGE
    assert "no server is given" in capsys.readouterr().err
    assert json.dumps(sorted(one.name for one in tmp_path.iterdir())) == '["mine.toml", "shop.txt"]'
    assert run(["init", "d.toml", "--url", URL, "--workload", "pong"]) == 0
    assert read_study(tmp_path / "d.toml", load_catalogue()).workload == "pong"


def test_a_study_that_was_stored_does_not_send_the_masks_of_its_headers(tmp_path: Path) -> None:
    file = tmp_path / "kept.toml"
    file.write_text(
        'arms = [{ name = "a", url = "http://h" }]\ntitle = "a"\n'
        'loads.a = { kind = "closed", connections = 1, duration = "1s" }\n'
        'workloads.b.requests = [{ path = "/", headers = { X-Key = "***" } }]\n'
    )
    with pytest.raises(UsageError) as raised:
        read_study(file, load_catalogue())
    assert "kept.toml:4: the header `X-Key` is `***`, in place of a value that" in str(raised.value)


def test_bodies_of_load_are_what_they_were() -> None:
    assert sent_by_load("--body", "x")[0].body == Text(text="x")
    assert sent_by_load("--body", f"@{__file__}")[0].body == File(file=__file__)
    assert sent_by_load()[0].expect.body == Like()
    assert LoadFlags().header == []


def test_placeholders_of_flags_are_those_of_the_study(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    flags = ["--url", f"{URL}/items/{{random:1:9}}", "-H", "X-Id: {uuid}"]
    reader, writer = os.pipe()
    os.write(writer, b"{uuid}")
    os.close(writer)
    assert run(["init", "piped.toml", *flags, "--body", f"@/dev/fd/{reader}"]) == 0
    os.close(reader)
    assert run(["init", "typed.toml", *flags, "--body", "{uuid}"]) == 0
    for name, body in (("piped", "{{uuid}}"), ("typed", "{uuid}")):
        study = read_study(tmp_path / f"{name}.toml", load_catalogue())
        ((workload),) = study.workloads.values()
        (sent,) = workload.requests
        assert (sent.path, sent.body) == ("/items/{random:1:9}", body)
        assert sent.headers["X-Id"] == "{uuid}"
        assert sent.expect.any
    capsys.readouterr()
    command = ["--command", "./app {port}", "--path", "/{id}"]
    for words in (command, ["--url", f"{URL}/{{id}}"]):
        for verb in (["init", "wrong.toml"], ["capacity", "--dry-run"]):
            assert run([*verb, *words]) == ExitCode.USAGE
            said = capsys.readouterr().err
            assert "column 2: `{id}`: `id` is no placeholder" in said, said
