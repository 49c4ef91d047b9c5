"""`httpdyno init` writes a study of requests from elsewhere, and their credentials apart."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest
from httpdyno.cli.main import run
from httpdyno.errors import EnvironmentFault, ExitCode, UsageError
from httpdyno.run import read_study
from httpdyno.running.documents import study_document
from httpdyno.running.own import context_of
from httpdyno.servers import load_catalogue
from httpdyno.servers.check.answers import request_bytes
from httpdyno.study import Study
from httpdyno.workloads import Exchange

ORDER = """curl 'http://localhost:3000/orders?api_key=k3y&page=1' \\
  -H 'Authorization: Bearer s3cret' -H 'Accept: */*' -H 'Cookie: sid=c00kie' --json '{"item":1}'"""
LOGIN = """curl http://localhost:3000/login -d '{"password": "pa55"}' -H 'Content-Type: a/b'"""


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def first_call(exchange: Exchange) -> bytes:
    return request_bytes("h", 80, exchange)


def study(file: str = "mine.toml") -> Study:
    return read_study(Path(file).absolute(), load_catalogue())


def measured(file: str = "mine.toml") -> tuple[Exchange, ...]:
    (name,) = study(file).workloads
    return context_of(study(file)).workloads[name].measured


def test_a_curl_command_becomes_a_study_with_its_credentials_apart(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["init", "mine.toml", "--curl", ORDER, "--curl", LOGIN]) == 0
    told = capsys.readouterr().out
    assert "credentials are in mine.env, mine.1.body: keep" in told
    assert sorted(one.name for one in here.iterdir()) == ["mine.1.body", "mine.env", "mine.toml"]
    text = (here / "mine.toml").read_text()
    for secret in ("k3y", "s3cret", "c00kie", "pa55"):
        assert secret not in text
        assert secret not in told
        assert secret not in study_document(study())
    for name in ("mine.env", "mine.1.body"):
        assert stat.S_IMODE((here / name).stat().st_mode) == 0o600
    order, login = measured()
    assert (order.method, order.path) == ("POST", "/orders?api_key=k3y&page=1")
    assert dict(order.headers) == {
        "Authorization": "Bearer s3cret",
        "Accept": "*/*",
        "Cookie": "sid=c00kie",
        "Content-Type": "application/json",
    }
    assert order.body == b'{"item":1}'
    assert (login.path, login.body) == ("/login", b'{"password": "pa55"}')
    assert study().arms[0].url == "http://localhost:3000"


def test_the_environment_comes_before_the_file_of_a_study(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run(["init", "mine.toml", "--curl", ORDER]) == 0
    monkeypatch.setenv("MINE_AUTHORIZATION", "Bearer new")
    assert dict(measured()[0].headers)["Authorization"] == "Bearer new"
    monkeypatch.setenv("MINE_API_KEY", "a b")
    with pytest.raises(UsageError, match="has a variable with a space"):
        measured()
    (here / "mine.env").write_text("# none\nMINE_COOKIE = x\n")
    with pytest.raises(UsageError, match=r"mine\.env:2: expected `NAME=VALUE`") as raised:
        measured()
    assert "MINE_COOKIE" not in str(raised.value)
    (here / "mine.env").unlink()
    with pytest.raises(EnvironmentFault, match="cannot be read: No such file"):
        measured()


def test_a_value_that_is_not_set_is_told_by_its_name(here: Path) -> None:
    assert run(["init", "mine.toml", "--curl", ORDER]) == 0
    (here / "mine.env").write_text("MINE_API_KEY=x\nMINE_COOKIE=y\n")
    with pytest.raises(UsageError, match=r"`\${MINE_AUTHORIZATION}` is not set: the header `Auth"):
        measured()


def test_braces_of_a_command_stand_for_themselves_and_those_of_flags_are_placeholders(
    here: Path,
) -> None:
    command = """curl http://h/%7Bid%7D -H 'Accept: {a}' -H 'X: {b}' -d '{"q":"{item{id}}"}'"""
    assert run(["init", "mine.toml", "--curl", command]) == 0
    (request,) = measured()
    called = first_call(request)
    assert b'{"q":"{item{id}}"}' in called
    assert b"Accept: {a}\r\nX: {b}\r\n" in called
    words = ["--url", "http://h/", "-H", "X-Key: {random:7:7}", "--body", "token={random:8:8}"]
    assert run(["init", "b.toml", *words]) == 0
    assert sorted(one.name for one in here.iterdir()) == ["b.toml", "mine.env", "mine.toml"]
    called = first_call(measured("b.toml")[0])
    assert b"X-Key: 7\r\n" in called
    assert called.endswith(b"token=8")


def test_headers_of_the_command_line_are_apart_too(here: Path) -> None:
    words = ["--url", "http://localhost:3000/a", "-H", "X-Key: s3cret", "-H", "DNT: 1"]
    assert run(["init", "my-shop.toml", *words]) == 0
    assert "s3cret" not in (here / "my-shop.toml").read_text()
    assert (here / "my-shop.env").read_text().endswith("\nMY_SHOP_X_KEY=s3cret\n")
    assert dict(measured("my-shop.toml")[0].headers) == {"X-Key": "s3cret", "DNT": "1"}


def test_the_same_value_has_one_name_and_another_value_another(here: Path) -> None:
    commands = "\n".join(f"curl -H 'Authorization: {one}' http://h/{one}" for one in "aba")
    (here / "all.sh").write_text(commands)
    assert run(["init", "mine.toml", "--curl", "@all.sh"]) == 0
    assert [dict(one.headers)["Authorization"] for one in measured()] == ["a", "b", "a"]
    lines = (here / "mine.env").read_text().splitlines()
    assert lines[1:] == ["MINE_AUTHORIZATION=a", "MINE_AUTHORIZATION_2=b"]


def test_files_of_editors_and_browsers_become_studies(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (here / "api").mkdir()
    (here / "api" / "order.json").write_text('{"item": 1}')
    (here / "api" / "shop.http").write_text(
        "### order\nPOST http://localhost:3000/orders\nAuthorization: Bearer s3cret\n"
        "\n< order.json\n"
        "### items\nGET http://localhost:3000/items\n"
    )
    assert run(["init", "mine.toml", "--http", "api/shop.http"]) == 0
    order, items = measured()
    assert (order.body, items.path) == (b'{"item": 1}', "/items")
    assert dict(order.headers) == {"Authorization": "Bearer s3cret"}
    assert "s3cret" not in (here / "mine.toml").read_text()
    assert list(study().workloads) == ["shop.http"]
    headers = [{"name": "X-Api-Key", "value": "s3cret"}]
    requests = [
        {"method": "GET", "url": f"http://{host}/a", "headers": headers} for host in ("h", "h", "i")
    ]
    entries = [{"request": one} for one in requests]
    (here / "all.har").write_text(json.dumps({"log": {"entries": entries}}))
    assert run(["init", "b.toml", "--har", "all.har"]) == ExitCode.USAGE
    assert "`--har`: its requests go to 2 servers: `http://h` (2), `http" in capsys.readouterr().err
    assert run(["init", "b.toml", "--har", "all.har", "--origin", "http://h"]) == 0
    assert "note: 1 left out: another server" in capsys.readouterr().err
    (one,) = measured("b.toml")
    assert (one.weight, dict(one.headers)) == (2, {"X-Api-Key": "s3cret"})


def test_an_openapi_document_becomes_a_study_to_edit(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = {
        "/items/{id}": {
            "get": {
                "parameters": [{"name": "id", "in": "path", "schema": {"type": "integer"}}],
                "security": [{"token": []}],
                "responses": {"200": {}},
            }
        }
    }
    schemes = {"securitySchemes": {"token": {"type": "http", "scheme": "bearer"}}}
    document = {"openapi": "3.0.0", "paths": paths, "components": schemes}
    (here / "shop.json").write_text(json.dumps(document))
    assert run(["init", "mine.toml", "--openapi", "shop.json"]) == ExitCode.USAGE
    assert "no server is given" in capsys.readouterr().err
    words = ["--openapi", "shop.json", "--url", "http://localhost:3000"]
    assert run(["init", "mine.toml", *words]) == 0
    told = capsys.readouterr()
    assert "note: edit this value, which the document does not have: `id` of GET /it" in told.err
    assert not (here / "mine.env").exists()
    monkeypatch.setenv("TOKEN", "s3cret")
    (item,) = measured()
    assert (item.path, item.varies) == ("/items/{random:1:1000}", True)
    assert (item.status, item.name) == (200, "GET /items/{id}")
    assert dict(item.headers) == {"Authorization": "Bearer s3cret"}


def test_a_server_that_a_command_starts_gets_the_requests(here: Path) -> None:
    words = ["--command", "./serve {port}", "--curl", "curl -k https://shop.example/a"]
    assert run(["init", "mine.toml", *words]) == 0
    assert study().arms[0].start == "./serve {port}"
    assert run(["init", "b.toml", "--curl", "curl -k https://shop.example/a"]) == 0
    assert (study("b.toml").arms[0].url, study("b.toml").arms[0].insecure) == (
        "https://shop.example",
        True,
    )


@pytest.mark.parametrize("flag", ["--http2", "--http2-prior-knowledge"])
def test_a_command_with_http2_makes_an_arm_that_speaks_it(
    flag: str, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for server, words in (("url", []), ("start", ["--command", "./serve {port}"])):
        curl = f"curl {flag} https://shop.example/a"
        assert run(["init", f"{server}.toml", *words, "--curl", curl]) == 0
        assert study(f"{server}.toml").arms[0].http == "2"
        assert "note: HTTP/" not in capsys.readouterr().err
    assert run(["init", "plain.toml", "--curl", f"curl {flag} http://localhost:3000/a"]) == 0
    assert study("plain.toml").arms[0].http == "2"
    assert "note: HTTP/2 is spoken with prior knowledge" in capsys.readouterr().err


@pytest.mark.parametrize("exists", ["mine.toml", "mine.env", "mine.1.body"])
def test_no_file_is_overwritten_and_none_is_left_behind(
    exists: str, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (here / exists).write_text("mine")
    assert run(["init", "mine.toml", "--curl", ORDER, "--curl", LOGIN]) == ExitCode.USAGE
    assert f"`{exists}` exists already" in capsys.readouterr().err
    assert [(one.name, one.read_text()) for one in here.iterdir()] == [(exists, "mine")]


@pytest.mark.parametrize(
    ("words", "fault"),
    [
        (["--curl", "curl http://h -H 'A: s3cret' | jq"], "`--curl`: line 1, column 30: `|` is an"),
        (["--curl", "@nothing.sh"], "`--curl @nothing.sh`: cannot read `nothing.sh`"),
        (
            ["--curl", "curl http://a/s3cret", "--curl", "curl http://b"],
            "`--curl`: its requests go to 2 servers: `http://a` (1), `http://b` (1): expected one",
        ),
        (
            ["--curl", "curl http://a", "-X", "PUT"],
            "`--curl` says what is sent: expected it",
        ),
        (["--http", "no.http"], "`--http no.http`: cannot read `no.http`"),
        (["--har", "/dev/null"], "`--har /dev/null`: line 1, column 1: not JSON"),
        (["--curl", "curl http://a", "--har", "x"], "`--curl` and `--har` exclude each other"),
        (["--static", "--origin", "http://a"], "`--static` applies only to `--har`"),
        (["--curl", "curl http://a", "--url", "http://b/c"], "has a path, but the requests have"),
    ],
)
def test_faults_are_told_without_the_command(
    words: list[str], fault: str, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["init", "mine.toml", *words]) != 0
    told = capsys.readouterr().err
    assert fault in told
    assert "s3cret" not in told
    assert not list(here.iterdir())
