"""`load --http3`, against Caddy, whose QUIC and HTTP/3 are those of quic-go."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from httpdyno.cli.load.output.record import LoadRecord
from httpdyno.measurement import Measurement

from .conftest import Program

USAGE, TARGET = 2, 3
BODY = "Hello, HTTP/3!\n"
needs_caddy = pytest.mark.skipif(shutil.which("caddy") is None, reason="needs caddy")
_CADDYFILE = """\
{{
    auto_https off
    admin off
    servers {{
        protocols h1 h2 h3
    }}
}}
https://localhost:{port} {{
    tls {folder}/certificate.pem {folder}/key.pem
    root * {folder}
    file_server
}}
"""


@pytest.fixture(scope="module")
def caddy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """The URL of a server of files, and its certificate."""
    folder = tmp_path_factory.mktemp("caddy")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    (folder / "hello").write_text(BODY)
    (folder / "large").write_bytes(bytes(range(256)) * 4096)
    (folder / "Caddyfile").write_text(_CADDYFILE.format(port=port, folder=folder))
    words = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]
    made = ["-keyout", f"{folder}/key.pem", "-out", f"{folder}/certificate.pem"]
    subprocess.run(["openssl", *words, *names, *made], check=True, capture_output=True)
    command = ["caddy", "run", "--config", f"{folder}/Caddyfile", "--adapter", "caddyfile"]
    env = os.environ | {"XDG_DATA_HOME": str(folder), "XDG_CONFIG_HOME": str(folder)}
    with subprocess.Popen(command, env=env, stderr=subprocess.PIPE, text=True) as server:
        assert server.stderr is not None
        # The line comes when the sockets of TCP and UDP are there.
        assert any("serving initial configuration" in line for line in server.stderr)
        yield f"https://localhost:{port}", folder / "certificate.pem"
        server.send_signal(signal.SIGTERM)
        server.stderr.read()


def measured(folder: Path) -> Measurement:
    return LoadRecord.model_validate_json((folder / "out.json").read_text()).measurement


@needs_caddy
@pytest.mark.parametrize("flags", [("--http", "3"), ("--http3",)])
def test_calls_are_streams_of_quic_connections_and_every_byte_is_checked(
    httpdyno: Program, caddy: tuple[str, Path], tmp_path: Path, flags: tuple[str, ...]
) -> None:
    url, certificate = caddy
    load = ["-c", "2", "--streams", "5", "-n", "500", "--expect-body", BODY, "--json", "out.json"]
    answer = httpdyno("load", f"{url}/hello", *flags, "--ca", str(certificate), *load)
    assert "closed load, 2 connections, HTTP/3 with 5 streams on each" in answer.stdout
    assert "QUIC" in answer.stdout
    found = measured(tmp_path)
    assert (found.protocol, found.calls.ok, found.connections.opened) == ("h3", 500, 2)
    assert found.http2 is not None
    assert found.quic is not None
    assert found.http2.most_streams == 5
    assert found.quic.packets_sent >= 500 / 5
    assert found.quic.min_rtt_s is not None
    assert 0 < found.quic.min_rtt_s < 1
    assert found.handshakes is not None
    assert (found.handshakes.full, found.handshakes.version) == (2, "1.3")
    assert found.engine.driver == "epoll"
    assert found.first_reply is not None
    assert (found.first_reply.http, found.first_reply.status) == ("3", 200)


@needs_caddy
def test_a_paced_load_keeps_its_schedule(
    httpdyno: Program, caddy: tuple[str, Path], tmp_path: Path
) -> None:
    load = ["-k", "--http3", "--rate", "200", "-c", "3", "-d", "1s", "--json", "out.json"]
    httpdyno("load", f"{caddy[0]}/hello", *load)
    found = measured(tmp_path)
    assert (found.calls.due, found.calls.failed) == (200, 0)


@needs_caddy
def test_large_replies_come_whole_and_connections_are_replaced(
    httpdyno: Program, caddy: tuple[str, Path], tmp_path: Path
) -> None:
    url, _ = caddy
    load = ["-k", "--http3", "-n", "40", "-c", "2", "--streams", "2", "--json", "out.json"]
    httpdyno("load", f"{url}/large", *load, "--calls-per-connection", "4")
    found = measured(tmp_path)
    assert (found.calls.ok, found.body_bytes) == (40, 40 << 20)
    # The last connection of each place may carry fewer.
    assert found.connections.opened in (10, 11)


@needs_caddy
def test_bodies_that_a_server_does_not_want_take_no_memory_of_later_ones(
    httpdyno: Program, caddy: tuple[str, Path], tmp_path: Path
) -> None:
    # The server of files answers without reading them, and stops the stream.
    load = ["-k", "--http3", "-n", "30", "--streams", "3", "--json", "out.json"]
    body = tmp_path / "body"
    body.write_bytes(b"x" * 2_000_000)
    send = ["-X", "POST", "--body", f"@{body}", "--timeout", "10s"]
    httpdyno("load", f"{caddy[0]}/hello", *load, *send)
    assert measured(tmp_path).calls.ok == 30


@needs_caddy
def test_sessions_send_their_bursts_as_streams(
    httpdyno: Program, caddy: tuple[str, Path], tmp_path: Path
) -> None:
    load = ["--sessions", "20", "--calls", "4", "--burst", "2", "--streams", "2", "-n", "20"]
    httpdyno("load", f"{caddy[0]}/hello", "-k", "--http3", *load, "--json", "out.json")
    found = measured(tmp_path)
    assert (found.calls.ok, found.connections.opened) == (80, 20)


@needs_caddy
def test_a_certificate_that_nobody_signed_is_an_error(
    called: Program, caddy: tuple[str, Path]
) -> None:
    answer = called("load", f"{caddy[0]}/hello", "--http3", "-n", "1")
    assert answer.returncode == TARGET
    assert "TLS handshake" in answer.stderr
    assert "over QUIC failed" in answer.stderr
    assert "`--ca FILE`" in answer.stderr


def test_a_port_without_udp_is_an_error_and_no_number(called: Program) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    answer = called("load", f"https://127.0.0.1:{port}/", "-k", "--http3", "-n", "1")
    assert answer.returncode == TARGET
    assert "nothing listens on this port of UDP" in answer.stderr


def test_a_server_that_does_not_answer_over_udp_is_named(called: Program) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as silent:
        silent.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{silent.getsockname()[1]}"
        flags = ["-k", "--http3", "-n", "1", "--connect-timeout", "300ms"]
        answer = called("load", f"https://{address}/", *flags)
    assert answer.returncode == TARGET
    said = " ".join(answer.stderr.split())
    assert f"`{address}` cannot be reached with HTTP/3: no answer over UDP within 300ms" in said
    assert "nothing between blocks UDP" in said


@pytest.mark.parametrize(
    ("flags", "fault"),
    [
        (["--proxy", "http://127.0.0.1:1"], "HTTP/3 does not go with `--proxy`"),
        (["--kernel-timestamps"], "HTTP/3 does not go with `--kernel-timestamps`"),
        (["--max-frame", "20000"], "`--max-frame` applies only to HTTP/2"),
        (["--http2"], "`--http2` and `--http3` exclude each other"),
        (["--http", "1.0"], "`--http3` and `--http 1.0` exclude each other"),
        (["--burst", "2"], "`--burst` pipelines calls: expected `--streams`"),
    ],
)
def test_what_http3_does_not_go_with_is_an_error_before_the_load(
    called: Program, flags: list[str], fault: str
) -> None:
    answer = called("load", "https://127.0.0.1:1/", "--http3", "-n", "1", *flags)
    assert answer.returncode == USAGE
    assert fault in " ".join(answer.stderr.split())


def test_a_target_without_tls_and_other_verbs_are_refused(called: Program) -> None:
    plain = called("load", "http://127.0.0.1:1/", "--http3", "-n", "1")
    assert plain.returncode == USAGE
    assert "HTTP/3 does not go with a target without TLS" in " ".join(plain.stderr.split())
    capacity = called("capacity", "https://127.0.0.1:1/", "--http3", "--limit", "p99<20ms")
    assert capacity.returncode == USAGE
    assert "HTTP/3 is only for `httpdyno load`" in " ".join(capacity.stderr.split())
