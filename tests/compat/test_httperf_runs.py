"""`httpdyno httperf` by itself: what it does beyond httperf, or better."""

from __future__ import annotations

import re
import signal
import socket
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from httpdyno import engine
from httpdyno.cli import main

from .recorder import Recorder
from .replies import Reply, always, in_turn
from .tools import environment, ours

Ran = Callable[..., str]


@pytest.fixture
def ran(capfd: pytest.CaptureFixture[str]) -> Ran:
    """Run a test against a recorder in this process: its stdout."""

    def run(server: Recorder, *words: str, code: int = 0) -> str:
        capfd.readouterr()
        given = [f"--server={server.host}", f"--port={server.port}", *words]
        assert main.run(["httperf", *given]) == code
        return capfd.readouterr().out

    return run


def number(text: str, label: str) -> float:
    found = re.search(rf"(?<!\w){re.escape(label)} *([0-9.]+)", text)
    assert found is not None, f"{label} is not in {text}"
    return float(found[1])


def test_a_short_test_has_one_sample_of_the_reply_rate(ran: Ran) -> None:
    with Recorder() as server:
        out = ran(server, "--num-conns=10")
    assert "(1 samples)" in out
    least, mean = number(out, "Reply rate [replies/s]: min"), number(out, "avg")
    assert least > 0
    assert mean > 0


@pytest.mark.parametrize("status", ["000", "600", "999"])
def test_a_reply_with_a_status_of_no_class_is_counted(ran: Ran, status: str) -> None:
    with Recorder(in_turn(Reply(), Reply(f"{status} Odd"))) as server:
        out = ran(server, "--num-conns=4")
    assert "replies 4 " in out
    assert "Reply status: 1xx=0 2xx=2 3xx=0 4xx=0 5xx=0" in out


@pytest.mark.slow
def test_samples_of_five_seconds_are_shown_and_summed_up(ran: Ran) -> None:
    with Recorder() as server:
        out = ran(server, "-v", "--num-conns=110", "--rate=10")
    samples = re.findall(r"^reply-rate = ([0-9.]+) *$", out, re.MULTILINE)
    assert len(samples) == 2
    assert "(2 samples)" in out
    assert number(out, "Reply rate [replies/s]: min") == min(map(float, samples))


def test_the_runtime_ends_a_test(ran: Ran) -> None:
    with Recorder(always(Reply(after_s=0.01))) as server:
        out = ran(server, "--num-conns=1000000", "--runtime=0.5")
    assert number(out, "test-duration") == pytest.approx(0.5, abs=0.01)
    assert 0 < number(out, "Total: connections") < 1000


def test_periods_that_vary_repeat(ran: Ran) -> None:
    # 5 connections in 5 ms and one in the next 100 ms, again and again.
    with Recorder() as server:
        out = ran(server, "--num-conns=14", "--period=v0.001,0.005,0.1,0.1")
    assert number(out, "Total: connections") == 14
    assert number(out, "test-duration") > 0.2


def test_periodic_statistics_count_two_statuses_by_second(ran: Ran) -> None:
    replies = in_turn(Reply(), Reply("302 Found"))
    with Recorder(replies) as server:
        out = ran(server, "-n", "--num-conns=30", "--rate=20")
    shown = re.findall(r"^\[([0-9]\.000000) s\] 200=([0-9]+), 302=([0-9]+)$", out, re.MULTILINE)
    assert shown[0][0] == "1.000000"
    assert int(shown[0][1]) + int(shown[0][2]) > 0
    assert "\nPeriodic stats: 200=15 302=15\n\nCPU time" in out
    assert " --periodic-stats\n" in out


def test_ipv6_is_allowed(ran: Ran) -> None:
    try:
        server = Recorder(host="::1")
        server.__enter__()
    except OSError:
        pytest.skip("this machine has no IPv6 loopback")
    try:
        out = ran(server, "--num-conns=2")
    finally:
        server.__exit__(None, None, None)
    assert number(out, "replies") == 2
    assert server.requests[0].header("Host") == "[::1]"


def test_several_source_addresses_are_used_in_turn(ran: Ran) -> None:
    with Recorder() as server:
        ran(server, "--myaddr=127.0.0.2,127.0.0.3", "--num-conns=4")
    sources = [one.source for one in server.connections]
    assert sorted(sources) == ["127.0.0.2", "127.0.0.2", "127.0.0.3", "127.0.0.3"]


def test_a_network_interface_stands_for_its_address(ran: Ran) -> None:
    with Recorder() as server:
        ran(server, "--myaddr=lo")
    assert [one.source for one in server.connections] == ["127.0.0.1"]


def test_a_list_of_one_server_is_that_server(ran: Ran, tmp_path: Path) -> None:
    (tmp_path / "servers").write_text("localhost\n", encoding="utf-8")
    with Recorder() as server:
        code = main.run(["httperf", f"--servers={tmp_path}/servers", f"--port={server.port}"])
    assert code == 0
    assert [one.header("Host") for one in server.requests] == ["localhost"]


def test_header_lines_from_a_file_are_sent_as_they_are(ran: Ran, tmp_path: Path) -> None:
    (tmp_path / "headers").write_bytes(b"X-One: 1\r\nX-Two: 2\r\n")
    with Recorder() as server:
        ran(server, f"--add-header-file={tmp_path}/headers", "--add-header=X-Zero: 0\\n")
    assert server.requests[0].head.endswith(b"\r\nX-Zero: 0\r\nX-One: 1\r\nX-Two: 2\r\n\r\n")


@pytest.mark.slow
def test_more_connections_than_1024_are_open_at_once(ran: Ran) -> None:
    with Recorder(always(Reply(after_s=2.0))) as server:
        out = ran(server, "--num-conns=1500", "--rate=3000", "--timeout=30")
    assert number(out, "<=") > 1024
    assert number(out, "replies") == 1500
    assert "fd-unavail 0 addrunavail 0" in out


def test_a_test_that_lacks_local_ports_counts_them(ran: Ran) -> None:
    with socket.socket() as held, Recorder() as server:
        held.bind(("127.0.0.1", 0))
        out = ran(server, "--myaddr=127.0.0.9", "--num-conns=2")
        assert "addrunavail 0" in out


def test_a_warning_says_that_connections_waited_for_descriptors(tmp_path: Path) -> None:
    with Recorder(always(Reply(after_s=0.3))) as server:
        words = [f"--server={server.host}", f"--port={server.port}", "--num-conns=150"]
        command = [*ours("httperf"), *words, "--rate=2000"]
        shell = ["bash", "-c", 'ulimit -n 128; exec "$@"', "bash", *command]
        done = subprocess.run(
            shell, env=environment(tmp_path), capture_output=True, text=True, check=False
        )
    assert done.returncode == 0
    assert number(done.stdout, "replies") == 150
    assert re.match(
        r"warning: [0-9]+ calls waited because no file descriptor was left:"
        r" raise the limit \(`ulimit -n`\)\n",
        done.stderr,
    )


def test_a_body_that_is_cut_short_is_an_error(ran: Ran) -> None:
    with Recorder(always(Reply(length=1000, then="close"))) as server:
        out = ran(server, "--num-conns=2")
    assert number(out, "connreset") == 2
    assert number(out, "replies") == 0


def test_a_reply_that_is_not_http_is_another_error(ran: Ran) -> None:
    with Recorder(always(Reply(raw=b"nonsense\r\n\r\n", then="close"))) as server:
        out = ran(server, "--num-conns=2")
    assert "ftab-full 0 other 2" in out


def test_control_characters_of_a_reply_do_not_reach_a_terminal_through_the_statistics(
    ran: Ran,
) -> None:
    with Recorder(always(Reply(status="200 \x1b[31mred"))) as server:
        assert "\x1b" not in ran(server)


def test_a_call_that_fails_by_its_status_is_sent_again(ran: Ran) -> None:
    # httperf 0.9.0 ends with a failed assertion.
    with Recorder(in_turn(Reply(), Reply("503 Busy"), Reply(), Reply())) as server:
        out = ran(server, "--wsess=1,3,0", "--failure-status=503", "--retry-on-failure")
    assert number(out, "5xx=") == 1
    assert number(out, "replies") == 4
    assert "(1/1)\n" in out


def test_a_session_without_a_reply_fails_at_its_timeout(ran: Ran) -> None:
    # httperf 0.9.0 never ends.
    with Recorder(always(Reply(raw=b"", then="hang"))) as server:
        out = ran(server, "--wsess=2,2,0", "--timeout=0.2")
    assert number(out, "client-timo") == 2
    assert "(0/2)\n" in out
    assert "\nSession length histogram: 2\n" in out


def test_the_verdict_follows_on_request(ran: Ran) -> None:
    with Recorder() as server:
        out = ran(server, "--num-conns=20", "--verdict")
    statistics, _, verdict = out.partition("ftab-full 0 other 0\n")
    assert "Connection rate:" in statistics
    assert re.match(r"\n(VALID|SUSPECT): ", verdict)
    assert "p99" in verdict


def test_a_verdict_of_invalid_sets_the_exit_code(ran: Ran) -> None:
    with Recorder(always(Reply(raw=b"", then="reset"))) as server:
        out = ran(server, "--num-conns=20", "--verdict", code=6)
    assert "\nINVALID: " in out


def test_ctrl_c_ends_the_test_and_prints_the_statistics_so_far(tmp_path: Path) -> None:
    with Recorder() as server:
        words = [f"--server={server.host}", f"--port={server.port}", "--num-conns=100000"]
        process = subprocess.Popen(
            [*ours("httperf"), *words, "--rate=50"],
            env=environment(tmp_path),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        deadline = time.monotonic() + 60
        while not server.requests and time.monotonic() < deadline:
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 0
    assert out.startswith("httperf --client=0/1 ")
    assert number(out, "Total: connections") > 0
    assert "Errors: fd-unavail" in out
    assert err == ""


def test_nothing_but_httperf_s_output_is_on_stdout_and_nothing_on_stderr(
    ran: Ran, capfd: pytest.CaptureFixture[str]
) -> None:
    with Recorder() as server:
        given = [f"--server={server.host}", f"--port={server.port}"]
        assert main.run(["httperf", *given]) == 0
    shown = capfd.readouterr()
    assert shown.err == ""
    assert shown.out.splitlines()[1].startswith("Maximum connect burst length: ")


def test_the_reason_for_errors_of_the_class_other_is_on_stderr(
    capfd: pytest.CaptureFixture[str],
) -> None:
    with engine.reference() as server:
        port = server.address.rpartition(":")[2]
        given = ["--server=127.0.0.1", f"--port={port}", "--num-conns=3", "--timeout=5"]
        assert main.run(["httperf", "--ssl", *given]) == 0
        failed = capfd.readouterr()
        assert main.run(["httperf", *given]) == 0
        worked = capfd.readouterr()
    assert "addrunavail 0 ftab-full 0 other 3" in failed.out
    assert "warning: errors of the class other: 3; the first failure: " in failed.err
    assert "not TLS" in failed.err
    assert "warning" not in failed.out + worked.err
