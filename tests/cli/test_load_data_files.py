"""Columns of data files in requests: `--values`, and `data` of a workload."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from base64 import b64decode
from collections import Counter
from pathlib import Path

import pytest
import shop
from request_recorder import body, fields, recording

from .conftest import CLOSED_AT, Program

OK, USAGE = 0, 2
CLOSED = f"http://{CLOSED_AT}/"
ROWS = 100


def _paths(requests: list[bytes]) -> list[str]:
    return [request.split(b" ")[1].decode() for request in requests]


@pytest.fixture
def users(tmp_path: Path) -> Path:
    """100 users in CSV, in the folder of the program."""
    file = tmp_path / "users.csv"
    lines = "".join(f"{row},ann {row}@example.org,s3cret {row}\n" for row in range(1, ROWS + 1))
    file.write_text(f"id,email,password\n{lines}")
    return file


@pytest.mark.usefixtures("users")
def test_rows_are_taken_in_order_and_each_call_has_one_row_escaped_for_its_place(
    called: Program,
) -> None:
    with recording() as server:
        answer = called(
            *("load", f"{server.url}/u/{{users.id}}?mail={{users.email}}", "-n", "120", "-c", "1"),
            *("--values", "users.csv", "--warm-up", "0", "-H", "X-User: {users.email}"),
            *("--json-body", '{"id": {users.id}, "password": "{users.password}"}'),
        )
    assert answer.returncode == OK, answer.stderr
    rows = [number % ROWS + 1 for number in range(120)]
    expected = [f"/u/{row}?mail=ann%20{row}%40example.org" for row in rows]
    assert _paths(server.requests) == expected
    for row, request in zip(rows, server.requests, strict=True):
        sent = body(request)
        assert json.loads(sent) == {"id": row, "password": f"s3cret {row}"}
        assert fields(request)["content-length"] == f"{len(sent)}"
        assert fields(request)["x-user"] == f"ann {row}@example.org"


@pytest.mark.usefixtures("users")
def test_two_threads_send_each_row_once_and_then_the_load_ends(called: Program) -> None:
    with recording() as server:
        answer = called(
            *("load", f"{server.url}/{{people.id}}", "-c", "4", "--threads", "2", "-d", "30s"),
            *("--values", "people=users.csv:once"),
        )
    assert answer.returncode == OK, answer.stderr
    sent = Counter(_paths(server.requests))
    assert sent == {f"/{row}": 1 for row in range(1, ROWS + 1)}
    assert "The load ended when each row of `people` was used once." in answer.stdout


@pytest.mark.usefixtures("users")
def test_more_calls_than_rows_that_are_used_once_are_refused_before_the_load(
    called: Program,
) -> None:
    for count, code in ((ROWS + 1, USAGE), (ROWS, OK)):
        with recording() as server:
            answer = called(
                *("load", f"{server.url}/{{users.id}}", "-n", f"{count}", "-c", "2"),
                *("--values", "users.csv:once"),
            )
        assert answer.returncode == code, answer.stderr
        assert len(server.requests) == (0 if code else ROWS)
        assert ("expected at most 100 calls, not 101" in answer.stderr) is bool(code)


@pytest.mark.usefixtures("users")
def test_random_rows_are_those_of_their_seed(called: Program) -> None:
    def sent(seed: str, threads: str) -> Counter[str]:
        with recording() as server:
            answer = called(
                *("load", f"{server.url}/{{users.id}}", "-n", "60", "-c", "2", "--warm-up", "0"),
                *("--values", "users.csv:random", "--seed", seed, "--threads", threads),
            )
        assert answer.returncode == OK, answer.stderr
        return Counter(_paths(server.requests))

    first = sent("1", "1")
    assert first == sent("1", "2")
    assert first != sent("2", "1")
    assert len(first) > 30


@pytest.mark.usefixtures("users")
def test_a_session_of_a_workload_has_one_row_for_all_its_calls(
    called: Program, tmp_path: Path
) -> None:
    (tmp_path / "visit.toml").write_text(
        """\
session = true
data = ["users.csv:once"]

[[requests]]
path = "/login"
method = "POST"
headers = { Content-Type = "application/json" }
body = '{"email": "{users.email}"}'

[[requests]]
path = "/items/{users.id}"
weight = 2
"""
    )
    with recording() as server:
        answer = called("load", server.url, "-c", "3", "-d", "30s", "--workload", "visit.toml")
    assert answer.returncode == OK, answer.stderr
    items = Counter(path for path in _paths(server.requests) if path != "/login")
    assert items == {f"/items/{row}": 2 for row in range(1, ROWS + 1)}
    mails = Counter(json.loads(body(one))["email"] for one in server.requests if body(one))
    assert mails == {f"ann {row}@example.org": 1 for row in range(1, ROWS + 1)}


@pytest.mark.usefixtures("users")
def test_each_user_of_a_file_logs_in_once_and_orders_with_the_token_of_the_login(
    called: Program, tmp_path: Path
) -> None:
    (tmp_path / "shoppers.jsonl").write_text(
        "".join(
            json.dumps({"email": f"u{row}@x.org", "password": f"secret of u{row}@x.org"}) + "\n"
            for row in range(60)
        )
    )
    (tmp_path / "user.toml").write_text(
        """\
session = true
data = ["shoppers.jsonl:once", "users.csv:random"]

[[requests]]
path = "/login"
headers = { Content-Type = "application/json" }
body = '{"email": "{shoppers.email}", "password": "{shoppers.password}"}'
keep = { token = { json = "/access_token" } }
expect = { status = 200, any = true }

[[requests]]
path = "/orders"
headers = { Authorization = "Bearer {token}", Content-Type = "application/json" }
body = '{"item": {users.id}, "count": 1}'
expect = { status = 201, any = true }
"""
    )
    log = tmp_path / "shop.log"
    program = [sys.executable, shop.__file__, "0", "--log", str(log)]
    with subprocess.Popen(program, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        url = f"http://127.0.0.1:{server.stdout.readline().split()[1]}"
        answer = called(
            *("load", url, "--workload", "./user.toml", "-c", "4", "--threads", "2"),
            *("-d", "30s", "--json", "m.json"),
        )
        server.terminate()
    assert answer.returncode == OK, answer.stderr
    calls = [line.split() for line in log.read_text().splitlines()]
    bodies = [(target, json.loads(b64decode(sent))) for _, target, _, sent in calls]
    logins = Counter(sent["email"] for target, sent in bodies if target == "/login")
    assert logins == {f"u{row}@x.org": 1 for row in range(60)}
    orders = [sent["item"] for target, sent in bodies if target == "/orders"]
    assert len(orders) == 60
    assert set(orders) <= set(range(1, ROWS + 1))
    assert "@x.org" not in answer.stdout + answer.stderr + Path("m.json").read_text()


def test_lines_of_json_are_a_data_file_and_lists_name_their_columns(
    called: Program, tmp_path: Path
) -> None:
    (tmp_path / "a.jsonl").write_text('{"n": 1, "s": "x y"}\n\n{"s": "é", "n": 22}\n')
    (tmp_path / "urls.txt").write_text("/a/{a.n}\nGET /b\nX-S: {a.s}\n")
    with recording() as server:
        answer = called(
            *("load", server.url, "--urls", "urls.txt", "--values", "a.jsonl"),
            *("-n", "4", "-c", "1", "--warm-up", "0"),
        )
    assert answer.returncode == OK, answer.stderr
    assert _paths(server.requests) == ["/a/1", "/b", "/a/22", "/b"]
    assert [fields(one)["x-s"] for one in server.requests[1::2]] == ["x y", "Ã©"]


@pytest.mark.usefixtures("users")
def test_values_are_in_no_output(called: Program, tmp_path: Path) -> None:
    with recording() as server:
        answer = called(
            *("load", f"{server.url}/{{users.id}}", "-n", "50", "-H", "X: {users.password}"),
            *("--values", "users.csv", "--json", "m.json", "--report", "r.html"),
            *("--expect-body", "other"),
        )
    assert b"s3cret" in server.requests[0]
    outputs = [answer.stdout, answer.stderr]
    outputs += [(tmp_path / name).read_text() for name in ("m.json", "r.html")]
    assert all("s3cret" not in text for text in outputs)
    (data,) = json.loads(outputs[2])["plan"]["data"]
    assert (data["name"], data["order"]) == ("users", "in_order")


HOSTILE = {
    b"": r"f\.csv` is empty: expected the names of columns",
    b"\n": r"f\.csv` is empty: expected the names of columns",
    b"id\n": r"f\.csv` has no row",
    b"id,b\n1,2\n\n3\n": r"f\.csv`, line 4: 1 value, but 2 columns",
    b"id,id\n1,2\n": r"f\.csv`, line 1: two columns .* `id`",
    b"id\n1\n\xff\n": r"f\.csv`, line 3: expected text in UTF-8",
    b'id\n1\n"2\n3\n': r"f\.csv`, line 3: a quote is not closed",
    b"x" * (2 << 20): r"f\.csv`, line 1: a row has more than",
}


@pytest.mark.parametrize("content", HOSTILE, ids=lambda content: repr(content[:12]))
def test_a_hostile_file_is_one_error_that_names_it_and_its_line(
    content: bytes, called: Program, tmp_path: Path
) -> None:
    (tmp_path / "f.csv").write_bytes(content)
    answer = called("load", f"{CLOSED}{{f.id}}", "--values", "f.csv", "-n", "1")
    assert answer.returncode == USAGE
    assert re.search(HOSTILE[content], answer.stderr), answer.stderr


def test_what_is_no_file_is_one_error_soon(called: Program, tmp_path: Path) -> None:
    (tmp_path / "folder.csv").mkdir()
    os.mkfifo(tmp_path / "fifo.csv")
    for name, said in (
        ("gone.csv", "cannot read `gone.csv`: No such file"),
        ("folder.csv", "cannot read `folder.csv`: Is a directory"),
        ("fifo.csv", "`fifo.csv"),
    ):
        answer = called("load", f"{CLOSED}{{f.id}}", "--values", f"f={name}", "-n", "1")
        assert answer.returncode == USAGE
        assert said in answer.stderr


def test_deep_json_is_one_error(called: Program, tmp_path: Path) -> None:
    (tmp_path / "f.ndjson").write_text('{"id": 1}\n' + '{"id":' * 100_000 + "\n")
    answer = called("load", f"{CLOSED}{{f.id}}", "--values", "f.ndjson", "-n", "1")
    assert answer.returncode == USAGE
    assert "f.ndjson`, line 2: expected an object in JSON" in answer.stderr


def test_a_value_that_does_not_fit_its_place_is_named_but_not_shown(
    called: Program, tmp_path: Path
) -> None:
    (tmp_path / "f.csv").write_text('id,token\n1,a\n2,"s3cret\nb"\nnone,c\n')
    answer = called(
        *("load", CLOSED, "--values", "f.csv", "-n", "1", "-H", "X: {f.token}"),
        *("--json-body", '{"id": {f.id}}'),
    )
    assert answer.returncode == USAGE
    assert "f.csv`, line 3, column `token`: a header has no line break" in answer.stderr
    assert "f.csv`, line 5, column `id`: it is not a JSON value" in answer.stderr
    assert "s3cret" not in answer.stderr


@pytest.mark.usefixtures("users")
@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([f"{CLOSED}{{users.mail}}"], r"column \d+: .* or a known name: `\{users\.id\}`, "),
        ([f"{CLOSED}{{users.id:1}}"], r"`\{users\.id:1\}`: expected no argument"),
        ([CLOSED], r"no request has a value of `users`: .* such as `\{users\.id\}`"),
        ([f"{CLOSED}{{users.id}}", "--values", "users.csv"], "2 data files are called `users`"),
        ([f"{CLOSED}{{users.id}}", "--values", "a-b.csv"], "such as `users=a-b.csv`"),
        ([CLOSED, "--workload", "hello"], "expected it without `--values`"),
    ],
)
def test_what_cannot_be_meant_is_refused(words: list[str], said: str, called: Program) -> None:
    answer = called("load", *words, "--values", "users.csv", "-n", "1")
    assert answer.returncode == USAGE
    assert re.search(said, answer.stderr), answer.stderr


@pytest.mark.usefixtures("users")
def test_rows_that_are_used_once_are_for_one_request(called: Program) -> None:
    answer = called(
        *("load", f"{CLOSED}{{users.id}}", "--also", "GET /{users.id}", "-n", "1"),
        *("--values", "users.csv:once"),
    )
    assert answer.returncode == USAGE
    assert "several requests have values of it" in answer.stderr


MIX = """\
data = ["users.csv"]

[[requests]]
path = "/plain"
"""


@pytest.mark.usefixtures("users")
def test_headers_beside_a_workload_have_its_columns_and_variables_of_the_environment(
    called: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SHOP_KEY", "k{uuid}1")
    (tmp_path / "mix.toml").write_text(MIX)
    headers = ["-H", "X-User: {users.email}", "-H", "X-Key: ${SHOP_KEY}"]
    with recording() as server:
        answer = called(
            *("load", server.url, "--workload", "./mix.toml", "-n", "3", "-c", "1"),
            *("--warm-up", "0", "--json", "m.json", *headers),
        )
    assert answer.returncode == OK, answer.stderr
    sent = [(fields(one)["x-user"], fields(one)["x-key"]) for one in server.requests]
    assert sent == [(f"ann {row}@example.org", "k{uuid}1") for row in (1, 2, 3)]
    assert "k{" not in (tmp_path / "m.json").read_text()


def test_a_variable_that_is_not_set_is_a_fault(called: Program) -> None:
    answer = called("load", CLOSED, "-H", "Authorization: Bearer ${NO_SUCH_TOKEN}")
    assert answer.returncode == USAGE
    assert "`${NO_SUCH_TOKEN}` is not set: the header `Authorization` needs it" in answer.stderr


@pytest.mark.usefixtures("users")
def test_a_study_has_the_same_header_beside_a_workload(called: Program, tmp_path: Path) -> None:
    (tmp_path / "mix.toml").write_text(MIX)
    words = ["capacity", "--url", CLOSED, "--limit", "p99<50ms", "--workload", "./mix.toml"]
    answer = called(*words, "-H", "X-User: {users.email}", "--dry-run")
    assert answer.returncode == OK, answer.stderr
    assert "X-User" in answer.stdout
    answer = called(*words, "-H", "X-User: {users.mail}", "--dry-run")
    assert answer.returncode == USAGE
    assert "`--header" in answer.stderr
