"""Inputs that `load` reads and sends: files, pipes, bodies, URLs; and what it keeps secret."""

from __future__ import annotations

import json
import os
import socket
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from httpdyno.cli.load.arguments import input_files
from httpdyno.cli.load.arguments.input_files import file_in_memory, read_input
from httpdyno.cli.load.output.record import LoadRecord
from httpdyno.engine_plan import Digest

from .conftest import CLOSED_AT, Program

if TYPE_CHECKING:
    from httpdyno import _engine

OK, TARGET = 0, 3


@pytest.mark.parametrize(
    "body",
    [
        "--body a=1",
        "--body @<(printf a=1)",
        "--body @/dev/stdin < <(printf a=1)",
        "--body @file",
        "--body @fifo & printf a=1 > fifo; wait $!",
    ],
)
def test_a_body_comes_from_text_a_file_or_a_pipe(
    body: str, shell: Program, server: _engine.Reference, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("a=1")
    os.mkfifo(tmp_path / "fifo")
    # 100 bytes of head at most; the body makes the difference that the server would refuse.
    url = f"http://{server.address}/hello"
    answer = shell(f"$httpdyno load $url -n 200 -q --json o.json {body}", url=url)
    assert answer.returncode == OK, answer.stderr
    plan = LoadRecord.model_validate_json((tmp_path / "o.json").read_text()).plan
    assert plan.requests[0].method == "POST"
    sent = LoadRecord.model_validate_json((tmp_path / "o.json").read_text()).measurement.bytes_sent
    empty = shell("$httpdyno load $url -n 200 -q --json e.json -X POST", url=url)
    assert empty.returncode == OK, empty.stderr
    without = LoadRecord.model_validate_json((tmp_path / "e.json").read_text())
    assert sent - without.measurement.bytes_sent >= 200 * len("a=1")


def test_a_pipe_that_nobody_writes_to_is_an_error_and_no_hang(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    monkeypatch.setattr(input_files, "_PATIENCE_S", 0.0)
    with pytest.raises(ValueError, match="nothing came within 0 s"):
        read_input(str(fifo))


def test_a_pipe_that_never_ends_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(input_files, "MOST_BYTES", 1 << 20)
    with pytest.raises(ValueError, match="`/dev/zero` has more than 1 MiB"):
        read_input("/dev/zero")


def test_a_regular_file_is_left_to_the_engine_and_a_pipe_is_kept_in_memory(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"content")
    (tmp_path / "link").symlink_to("file")
    assert read_input(str(tmp_path / "link")) == file
    assert read_input("/dev/null") == b""
    with Path(file_in_memory(b"content")).open("rb") as memory:
        assert memory.read() == b"content"


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("/absent", "cannot read `/absent`: No such file or directory"),
        ("/", "cannot read `/`: Is a directory"),
        ("/dev/fd/987", "cannot read `/dev/fd/987`: Bad file descriptor"),
    ],
)
def test_what_cannot_be_read_is_told_with_its_reason(name: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        read_input(name)


@pytest.mark.parametrize("name", ["/proc/self/mem", "/proc/self/task"])
def test_what_can_be_opened_but_not_read_is_told_by_its_name(called: Program, name: str) -> None:
    answer = called("load", f"http://{CLOSED_AT}/", "-H", f"@{name}")
    assert answer.returncode == 2
    assert f"`--header @{name}`: cannot read `{name}`: " in answer.stderr


def test_a_sparse_file_beyond_all_bounds_is_refused_without_reading_it(tmp_path: Path) -> None:
    huge = tmp_path / "huge"
    huge.touch()
    os.truncate(huge, 1 << 40)
    with pytest.raises(ValueError, match="expected 1 GiB at most"):
        read_input(str(huge))


@pytest.mark.parametrize("flag", ["--ca", "--key key.pem --cert"])
def test_certificates_may_come_through_a_pipe_and_are_read_before_the_server_is_reached(
    flag: str, shell: Program, tmp_path: Path
) -> None:
    (tmp_path / "key.pem").touch()
    answer = shell(f"$httpdyno load https://{CLOSED_AT}/ {flag} <(echo -----BEGIN X-----)")
    assert answer.returncode == 2
    assert "cannot be read: missing section end marker" in answer.stderr


def test_a_host_without_scheme_is_loaded_by_http(
    httpdyno: Program, server: _engine.Reference
) -> None:
    answer = httpdyno("load", f"{server.address}/hello", "-n", "200")
    assert answer.returncode == OK, answer.stderr
    assert answer.stderr.startswith(f"http://{server.address}/hello\nclosed load, 10 connections")


SECRETS = [
    *["-H", "Authorization: Bearer s3cret", "-H", "Cookie: id=s3cret"],
    *["-H", "X-Api-Key: s3cret", "-H", "X-Vault: s3cret", "-H", "Accept: text/plain"],
    *["--body", "user=me&password=s3cret"],
]


def test_no_credential_and_no_body_is_written_down(
    httpdyno: Program, server: _engine.Reference, tmp_path: Path
) -> None:
    proxy = f"http://user:s3@cret@{server.address}"
    url = "http://127.0.0.1:9/absent?token=s3cret"
    files = ["--json", "o.json", "--hdr", "o.hgrm", "--intervals", "o.ndjson"]
    answer = httpdyno(
        *["load", url, "-n", "50", *SECRETS, "--expect-body", "s3cret", "--proxy", proxy, *files]
    )
    text = (tmp_path / "o.json").read_text()
    written = [answer.stdout, answer.stderr, *(p.read_text() for p in tmp_path.iterdir())]
    assert not [one for one in written if "s3cret" in one or "cret@" in one]
    record = LoadRecord.model_validate_json(text)
    assert record.url == "http://127.0.0.1:9/absent?token=***"
    assert f"http://***@{server.address}" in record.command
    assert dict(record.plan.requests[0].headers)["Authorization"] == "***"
    assert dict(record.plan.requests[0].headers)["Accept"] == "text/plain"
    assert record.plan.requests[0].expect.body == Digest.of(b"s3cret")


def test_secrets_are_kept_for_who_wants_them(
    httpdyno: Program, server: _engine.Reference, tmp_path: Path
) -> None:
    url = f"http://{server.address}/hello?token=s3cret"
    answer = httpdyno("load", url, "-n", "50", "-q", *SECRETS, "--keep-secrets", "--json", "o.json")
    assert answer.stderr == ""
    record = LoadRecord.model_validate_json((tmp_path / "o.json").read_text())
    assert record.url == url
    assert "X-Api-Key: s3cret" in record.command
    assert dict(record.plan.requests[0].headers)["Cookie"] == "id=s3cret"
    assert asdict(record.plan)["requests"][0]["body"] == {"text": SECRETS[-1]}


def test_a_record_of_a_newer_version_is_refused(
    httpdyno: Program, server: _engine.Reference, tmp_path: Path
) -> None:
    url = f"http://{server.address}/hello"
    httpdyno("load", url, "-n", "50", "-q", "--json", "o.json")
    record = json.loads((tmp_path / "o.json").read_text())
    assert record["version"] == 1
    with pytest.raises(ValueError, match="Input should be 1"):
        LoadRecord.model_validate(record | {"version": 2})


def test_a_server_that_never_answers_a_handshake_is_told_from_one_that_is_not_there(
    httpdyno: Program,
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"https://127.0.0.1:{silent.getsockname()[1]}/"
        answer = httpdyno("load", url, "--connect-timeout", "200ms")
    assert answer.returncode == TARGET
    assert "no complete TLS handshake within 200ms" in answer.stderr
    assert "\nhint: check that the port serves https; " in answer.stderr
    assert "--ca" not in answer.stderr
