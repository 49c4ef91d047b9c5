"""`load`, the whole program, against the reference server: counts, exit codes, files."""

from __future__ import annotations

import json
import re
import signal
import socket
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from httpdyno import engine
from httpdyno.cli.load.output.record import LoadRecord
from httpdyno.cli.reference import served_pages

from .conftest import Program, started

if TYPE_CHECKING:
    from httpdyno import _engine

OK, ENVIRONMENT, THRESHOLD, INVALID, INTERRUPTED = 0, 4, 5, 6, 130
OTHER_LIMITS = {"server_starved", "generator_stopped", "stopped_answering"}
"""Reasons that explain why a server used little of a processor; see test_load_outputs.py."""


@pytest.mark.parametrize("driver", ["epoll", "io_uring"])
@pytest.mark.parametrize(
    ("flags", "asked"),
    [
        (["-n", "2000"], 2000),
        (["-n", "500", "--rate", "5000", "--arrivals", "exponential"], 500),
        (["-n", "20", "--sessions", "200", "--calls", "5", "--burst", "2"], 100),
        (["-n", "60", "--no-keep-alive", "--http", "1.0"], 60),
        (["-n", "400", "--also", "GET /pong x3"], 400),
    ],
)
def test_the_server_got_as_many_requests_as_the_engine_counts(
    flags: list[str], asked: int, driver: str, httpdyno: Program, server: _engine.Reference
) -> None:
    if driver == "io_uring" and (reason := engine.probe().io_uring):
        pytest.skip(f"io_uring cannot be used here: {reason}")
    url = f"http://{server.address}/hello"
    answer = httpdyno("load", url, "--driver", driver, "--json", "-", *flags)
    record = LoadRecord.model_validate_json(answer.stdout)
    calls = record.measurement.calls
    assert record.measurement.engine.driver == driver
    assert (calls.due, calls.sent, calls.ok, server.requests) == (asked,) * 4


def test_a_run_says_what_it_does_then_what_it_did(
    httpdyno: Program, server: _engine.Reference
) -> None:
    answer = httpdyno("load", f"http://{server.address}/hello", "-n", "200", "-c", "2")
    assert answer.returncode == OK
    assert "closed load, 2 connections, HTTP/1.1, 200 requests" in answer.stderr
    assert "calls        200 due = 200 sent" in answer.stdout
    assert "coordinated omission" in answer.stdout
    assert "\x1b" not in answer.stdout + answer.stderr


@pytest.mark.parametrize("threads", ["1", "2"])
def test_a_run_ends_once_its_percentile_is_known_well_enough(
    httpdyno: Program, server: _engine.Reference, threads: str, tmp_path: Path
) -> None:
    # A median of delays between 5 and 15 ms is known to a third after the fewest seconds.
    url = f"http://{server.address}/hello?delay=uniform:5ms-15ms"
    rate = ["--rate", "200", "--threads", threads, "--duration", "30s"]
    answer = httpdyno("load", url, *rate, "--until", "p50±33%", "--json", "out.json")
    assert "precision    reached: p50 " in answer.stdout
    record = LoadRecord.model_validate_json((tmp_path / "out.json").read_text())
    assert record.measurement.stopped_by == "precision"
    assert 5 <= record.measurement.window_s < 30


def test_the_kernel_s_view_is_measured_when_asked_for(
    httpdyno: Program, server: _engine.Reference
) -> None:
    url = f"http://{server.address}/hello"
    answer = httpdyno("load", url, "-n", "200", "--kernel-timestamps", "--json", "-")
    measured = LoadRecord.model_validate_json(answer.stdout).measurement
    assert measured.engine.driver == "epoll"
    assert measured.kernel is not None
    assert measured.times.kernel is not None
    assert (measured.kernel.stamped, measured.times.kernel.count) == (200, 200)
    assert measured.times.kernel.max_ns <= measured.times.service.max_ns


def test_the_load_of_a_server_that_waits_says_that_its_connections_limit_it(
    httpdyno: Program, server: _engine.Reference, tmp_path: Path
) -> None:
    url = f"http://{server.address}/hello?delay=50ms"
    answer = httpdyno("load", url, "-d", "500ms", "-c", "2", "--json", "out.json")
    said = " ".join(answer.stdout.split())
    record = LoadRecord.model_validate_json((tmp_path / "out.json").read_text())
    # On a busy machine, the verdict says what kept the server waiting, and this is not said.
    is_said = OTHER_LIMITS.isdisjoint(reason.code for reason in record.reasons)
    found = re.search("2 connections may limit .*: the process that listens there used [0-9]", said)
    assert (found is not None) == is_said, said
    assert ("`-c 20` shows whether it can do more" in said) == is_said


def test_quiet_says_nothing_of_a_run_that_went_well(
    httpdyno: Program, server: _engine.Reference
) -> None:
    answer = httpdyno("load", f"http://{server.address}/hello", "-n", "200", "--quiet")
    assert (answer.returncode, answer.stdout, answer.stderr) == (OK, "", "")


def test_every_output_can_be_written_in_one_run(
    httpdyno: Program, server: _engine.Reference, tmp_path: Path
) -> None:
    files = ["--json", "out.json", "--hdr", "out.hgrm", "--intervals", "out.ndjson"]
    httpdyno("load", f"http://{server.address}/hello", "-n", "300", "-q", *files)
    record = LoadRecord.model_validate_json((tmp_path / "out.json").read_text())
    assert record.measurement.calls.ok == 300
    assert record.plan.stop.count == 300
    seconds = [json.loads(line) for line in (tmp_path / "out.ndjson").read_text().splitlines()]
    assert sum(second["ok"] for second in seconds) == 300
    assert "Total count    =          300" in (tmp_path / "out.hgrm").read_text()


@pytest.mark.parametrize(
    ("flags", "code", "said"),
    [
        (["--fail-if", "ok<200"], OK, ""),
        (["--fail-if", "ok<201"], THRESHOLD, "threshold failed: ok 200 < 201"),
        (["--fail-if", "p99.9>1us"], THRESHOLD, "threshold failed: p99.9 "),
        (["--expect-status", "204"], INVALID, "all 200 replies had status 200 (expected 204)"),
        (["--expect-body", "Hello"], INVALID, "all 200 replies had a wrong body"),
        (
            ["--expect-body", "other", "--fail-if", "ok<200"],
            INVALID,
            "threshold failed: ok 0 < 200",
        ),
        (["--expect-same"], OK, ""),
    ],
)
def test_thresholds_and_the_verdict_reach_the_exit_code(
    flags: list[str], code: int, said: str, httpdyno: Program, server: _engine.Reference
) -> None:
    answer = httpdyno("load", f"http://{server.address}/hello", "-n", "200", "-q", *flags)
    assert answer.returncode == code, answer.stderr
    assert said in answer.stderr


def test_failed_calls_are_counted_by_class(httpdyno: Program, server: _engine.Reference) -> None:
    url = f"http://{server.address}/hello?fault=reset"
    answer = httpdyno("load", url, "-n", "50")
    assert answer.returncode == INVALID
    assert "50 reset: the server reset the connection" in answer.stdout


def test_a_full_disk_costs_the_file_and_not_the_summary(
    httpdyno: Program, server: _engine.Reference
) -> None:
    url = f"http://{server.address}/hello"
    answer = httpdyno("load", url, "-n", "200", "--json", "/dev/full")
    assert answer.returncode == ENVIRONMENT
    assert "`--json /dev/full` cannot be written: No space left on device" in answer.stderr
    assert "200 sent = 200 ok" in answer.stdout


def test_ipv6_and_names_are_targets_as_ipv4_is(httpdyno: Program) -> None:
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
    except OSError as absent:
        pytest.skip(f"no IPv6 here: {absent}")
    with engine.reference("[::1]:0", served_pages()) as server:
        answer = httpdyno("load", f"http://{server.address}/hello", "-n", "100", "-q")
        assert (answer.returncode, server.requests) == (OK, 100)


def test_the_reference_server_serves_until_it_is_told_to_end(
    httpdyno: Program, tmp_path: Path
) -> None:
    program = started(tmp_path, "reference", "--listen", "127.0.0.1:0")
    assert program.stdout is not None
    url = program.stdout.readline().split()[2]
    answer = httpdyno("load", f"{url}bigtable", "-n", "20", "-q", "--expect-length", "550015")
    program.send_signal(signal.SIGTERM)
    _, said = program.communicate(timeout=60)
    assert answer.returncode == OK, answer.stderr
    assert (program.returncode, said) == (0, "\nanswered 20 requests\n")


def test_a_taken_port_is_one_clear_sentence(httpdyno: Program, server: _engine.Reference) -> None:
    answer = httpdyno("reference", "--listen", server.address)
    assert answer.returncode == ENVIRONMENT
    assert answer.stderr.startswith("error: ")
    assert server.address in answer.stderr
    assert "Traceback" not in answer.stderr
