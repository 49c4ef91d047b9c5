"""`load --http 2`: several calls at once on a connection, against a real server."""

from __future__ import annotations

from http.server import HTTPServer, SimpleHTTPRequestHandler
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING

import pytest
from httpdyno.cli.load.output.record import LoadRecord

from .conftest import Program

if TYPE_CHECKING:
    from httpdyno import _engine

USAGE, TARGET = 2, 3


@pytest.mark.parametrize("flags", [("--http", "2"), ("--http2",), ("--http2-prior-knowledge",)])
@pytest.mark.parametrize("driver", ["epoll", "io_uring"])
def test_calls_share_connections(
    httpdyno: Program, server: _engine.Reference, tmp_path: Path, flags: list[str], driver: str
) -> None:
    url = f"http://{server.address}/hello?delay=5ms"
    load = ["-c", "2", "--streams", "5", "-n", "200", "--driver", driver, "--json", "out.json"]
    answer = httpdyno("load", url, *flags, *load)
    assert "closed load, 2 connections, HTTP/2 with 5 streams on each" in answer.stdout
    assert "streams      at most 5 at once on a connection (limit of the server" in answer.stdout
    measured = LoadRecord.model_validate_json((tmp_path / "out.json").read_text()).measurement
    assert (measured.protocol, measured.calls.ok, measured.connections.opened) == ("h2", 200, 2)
    assert measured.http2 is not None
    assert (measured.http2.streams, measured.http2.most_streams) == (5, 5)
    # Ten at once: 200 calls of 5 ms take 100 ms and more, one after the other 1 s.
    assert measured.mean_in_flight > 5


def test_streams_that_the_server_resets_are_counted_by_their_code(
    httpdyno: Program, server: _engine.Reference
) -> None:
    url = f"http://{server.address}/hello?fault=reset"
    said = " ".join(httpdyno("load", url, "--http", "2", "-n", "20").stdout.split())
    assert "20 stream_reset: the server reset the stream" in said
    assert "20 reset by the server: INTERNAL_ERROR 20" in said
    assert f"curl -v --http2-prior-knowledge '{url}'" in said


def test_a_server_of_another_protocol_is_an_error_and_no_number(called: Program) -> None:
    with HTTPServer(("127.0.0.1", 0), SimpleHTTPRequestHandler) as http1:
        Thread(target=http1.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{http1.server_port}/"
        answer = called("load", url, "--http", "2", "-n", "10")
        http1.shutdown()
    assert answer.returncode == TARGET
    assert "does not speak HTTP/2 in clear text: it answered `" in answer.stderr
    assert answer.stdout == ""


@pytest.mark.parametrize(
    ("flags", "fault"),
    [
        (["--streams", "3"], "`--streams` applies only to HTTP/2 and 3: expected `--http 2` too"),
        (
            ["--resend-refused"],
            "`--resend-refused` applies only to HTTP/2 and 3: expected `--http 2` too",
        ),
        (["--window", "3"], "`--window` applies only to HTTP/2 and 3: expected `--http 2` too"),
        (
            ["--http2", "--http", "1.0"],
            "`--http2` and `--http 1.0` exclude each other: expected one of them",
        ),
        (["--http2", "--burst", "2"], "`--burst` pipelines calls: expected `--streams` for more"),
        (["--http2", "--max-frame", "5"], "`--max-frame 5`: expected"),
        (["--http2", "--streams", "10001"], "`--streams 10001`: expected"),
    ],
)
def test_flags_that_contradict_each_other_are_refused(
    called: Program, flags: list[str], fault: str
) -> None:
    answer = called("load", "http://127.0.0.1:1/", *flags)
    assert answer.returncode == USAGE
    assert fault in answer.stderr


STUDY = """\
title = "Protocols"
workload = "hello"
blocks = 1
warm_up = 0
quick = {{ blocks = 1 }}
[[arms]]
server = "reference"
deployments = ["1-thread"]
[[arms]]
server = "nginx"
deployments = ["1-worker"]
[loads.both]
kind = "closed"
connections = 2
{more}
duration = 0.2
"""


def test_a_study_measures_arms_that_speak_it(called: Program, tmp_path: Path) -> None:
    study = tmp_path / "protocols.toml"
    study.write_text(STUDY.format(more="streams = 4"))
    answer = called("run", str(study), "--dry-run")
    assert answer.returncode == USAGE
    assert '`streams` are those of HTTP/2: expected `http = "2"` too' in answer.stderr
    study.write_text(STUDY.format(more='http = "2"\nstreams = 4'))
    said = " ".join(called("run", str(study), "--dry-run").stdout.split())
    assert "HTTP/2 with 4 streams on each connection" in said
    assert "the deployment `1-worker` speaks HTTP/1 only" in said


def test_two_builds_are_compared_over_http_2(called: Program) -> None:
    flags = ["--http2", "--streams", "8", "--rate", "50", "--dry-run"]
    shown = called("compare", "http://127.0.0.1:1/", "http://127.0.0.1:2/", *flags).stdout
    said = " ".join(shown.split())
    assert said.count("HTTP/2 with 8 streams on each connection") == 2


def test_a_capacity_is_searched_over_http_2(called: Program) -> None:
    flags = ["--url", "http://127.0.0.1:1/", "--limit", "p99<9ms", "--http", "2", "--streams", "8"]
    shown = called("capacity", *flags, "--dry-run").stdout
    assert 'http = "2"\nstreams = 8\n' in shown
