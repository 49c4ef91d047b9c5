"""The end of `httpdyno ab` where the server, the command line or the user ends the test."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from httpdyno.cli import main

from .compare import assert_same, numbers
from .nginx import nginx
from .recorder import Recorder, refusing
from .replies import Reply, Script, always, in_turn
from .test_ab import BANNER, URL
from .tools import Ran, environment, ours, run, run_both, run_both_against

pytestmark = pytest.mark.slow

RESET_AT_THE_END = [Reply()] * 5 + [Reply(then="reset", cut=10)]


def alone(words: list[str], folder: Path, script: Script | None = None) -> Ran:
    """Run ours only, against a recorder."""
    with Recorder(script) as server:
        return run(ours("ab"), words, server.host, server.port, folder)


def started(words: list[str], folder: Path) -> subprocess.Popen[str]:
    """Ours, running."""
    return subprocess.Popen(
        [*ours("ab"), *words],
        env=environment(folder),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_a_server_that_refuses_gets_abs_message_and_exit_code(tmp_path: Path) -> None:
    with refusing() as address:
        both = run_both_against("ab", ["-n", "5", URL], tmp_path, address)
    assert_same(both, without=BANNER, stderr=True)
    assert both.ours.code == 111
    assert both.ours.err == "apr_socket_recv: Connection refused (111)\n"


def test_a_server_that_refuses_ends_the_test_after_ten_failures_even_with_r(
    tmp_path: Path,
) -> None:
    with refusing() as address:
        host, _, port = address.partition(":")
        ran = run(ours("ab"), ["-r", "-n", "100", URL], host, int(port), tmp_path)
    assert ran.code == 111
    assert "Test aborted after 10 failures" in ran.err
    assert "Total of 10 requests completed" in ran.out


def test_a_reset_ends_the_test_with_abs_message_and_exit_code(tmp_path: Path) -> None:
    # Alone: now and then the real ab misses the reset, and waits 30 s for its timeout.
    ran = alone(["-n", "10", URL], tmp_path, in_turn(*RESET_AT_THE_END))
    assert ran.code == 104
    assert "apr_socket_recv: Connection reset by peer (104)" in ran.err
    assert 0 < numbers(ran.out, "Total of")[0] < 10


def test_with_r_a_reset_counts_once_and_the_test_goes_on(tmp_path: Path) -> None:
    # The real ab counts it three times, and may wait for the connection until the timeout.
    ran = alone(["-r", "-n", "12", URL], tmp_path, in_turn(*RESET_AT_THE_END))
    assert ran.code == 0
    assert numbers(ran.out, "Complete requests:") == [12]
    assert "(Connect: 0, Receive: 2, Length: 0, Exceptions: 0)" in ran.out
    assert numbers(ran.out, "HTML transferred:") == [10 * 13]


def test_a_silent_server_ends_the_test_after_the_timeout(tmp_path: Path) -> None:
    both = run_both("ab", ["-s", "1", "-n", "3", URL], tmp_path, always(Reply(then="hang", cut=0)))
    assert_same(both, order="none", without=BANNER, stderr=True)
    assert both.ours.code == 119


def test_with_r_a_timeout_is_a_failed_request(tmp_path: Path) -> None:
    silent = in_turn(Reply(), Reply(then="hang", cut=0))
    ran = alone(["-r", "-s", "1", "-n", "4", "-c", "2", URL], tmp_path, silent)
    assert ran.code == 0
    assert "(Connect: 0, Receive: 2, Length: 0, Exceptions: 0)" in ran.out
    assert numbers(ran.out, "100%")[0] >= 1000


def test_a_server_that_goes_away_ends_the_test(tmp_path: Path) -> None:
    with nginx(tmp_path / "nginx") as address:
        process = started(["-n", "100000", "-c", "2", f"http://{address}/"], tmp_path)
        assert process.stderr is not None
        assert process.stderr.readline() == "Completed 10000 requests\n"
    out, err = process.communicate(timeout=60)
    assert process.returncode in (104, 111)
    assert re.search(r"apr_socket_recv: Connection (refused|reset by peer) \(1\d\d\)", err)
    assert numbers(out, "Total of")[0] >= 10_000


def test_a_reply_that_is_cut_short_fails(tmp_path: Path) -> None:
    script = in_turn(Reply(), Reply(cut=70, then="close"))
    ran = alone(["-n", "6", URL], tmp_path, script)
    assert ran.code == 0
    assert "(Connect: 0, Receive: 0, Length: 3, Exceptions: 0)" in ran.out


def test_a_reply_that_is_no_http_counts_as_an_exception(tmp_path: Path) -> None:
    script = in_turn(Reply(), Reply(raw=b"\x1b[31mnonsense\r\n\r\n", then="close"))
    ran = alone(["-n", "6", URL], tmp_path, script)
    assert ran.code == 0
    assert numbers(ran.out, "Exceptions:") == [3]
    assert "\x1b" not in ran.out


def test_text_of_the_server_is_escaped(tmp_path: Path) -> None:
    html = alone(["-w", URL], tmp_path, always(Reply(headers=(("Server", "a<b>&c"),))))
    assert "<td colspan=2 bgcolor=white>a&lt;b&gt;&amp;c</td>" in html.out
    shown = alone(["-v", "2", URL], tmp_path, always(Reply(body=b"\x1b[31m")))
    assert "\\x1b[31m" in shown.out
    assert "\x1b" not in shown.out


def test_a_host_without_an_address_gets_abs_message(tmp_path: Path) -> None:
    both = run_both("ab", ["http://nowhere.invalid/"], tmp_path)
    assert both.ours.code == both.real.code
    assert both.ours.err == both.real.err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["-n", "0", URL], "`-n 0`: expected a whole number from 1"),
        (["-n", "10x", URL], "`-n 10x`: expected a whole number"),
        (["-c", "0", URL], "`-c 0`: expected a whole number from 1"),
        (["-c", "5", "-n", "2", URL], "`-c 5`: expected at most as many as requests, 2"),
        (["-s", "-1", URL], "`-s -1`"),
        (["-Q", URL], "`-Q`: expected an option of ab"),
        (["--on", "x", URL], "`httpdyno load URL --on hosts.toml` sends from several machines"),
        (["-n"], "`-n`: expected a value after it"),
        ([], "no URL: expected one URL"),
        ([URL, "-n", "5"], "expected one URL, after the options"),
        (["http://localhost"], "expected a URL with a path"),
        (["http://localhost:99999/"], "expected a URL with a path"),
        (["http://a b/"], "write a space as `%20`"),
        (["-p", "/no/such/file", URL], "`-p /no/such/file`: cannot be read: No such file"),
        (["-i", "-p", "/dev/null", URL], "exclude each other"),
        (["-H", "nonsense", URL], "`-H nonsense`: expected a header `NAME: VALUE`"),
        (["-H", "A: b\r\nC: d", URL], "`-H A`: expected a header"),
        (["-C", "a\nb", URL], "expected one line"),
        (["-m", "G T", URL], "expected a method"),
        (["-A", "secret", URL], "`-A`: expected a name and a password"),
        (["-B", "nowhere", URL], "expected an IP address"),
        (["-X", "a:b", URL], "expected a proxy"),
        (["-f", "SSL3", URL], "expected TLS1.2, TLS1.3 or ALL"),
        (["-Z", "AES128", URL], "`-Z`"),
        (["-E", "/dev/null", URL], "expected a PEM file"),
    ],
)
def test_wrong_options_are_one_clear_error(
    capfd: pytest.CaptureFixture[str], words: list[str], said: str
) -> None:
    code = main.run(["ab", *words])
    out, err = capfd.readouterr()
    assert code == 2, err
    assert said in err
    assert out == ""
    assert "hint: httpdyno ab --help" in err


def test_every_wrong_option_is_named_at_once(capfd: pytest.CaptureFixture[str]) -> None:
    assert main.run(["ab", "-n", "x", "-c", "y", "-H", "z"]) == 2
    said = capfd.readouterr().err
    assert all(word in said for word in ("-n x", "-c y", "-H z", "no URL"))


def test_a_password_is_not_repeated(capfd: pytest.CaptureFixture[str]) -> None:
    assert main.run(["ab", "-A", "secretword", "http://user:secretword@127.0.0.1:1/"]) == 2
    assert "secretword" not in "".join(capfd.readouterr())


def test_files_that_cannot_be_written_are_reported_before_the_test(tmp_path: Path) -> None:
    with Recorder() as server:
        words = ["-e", "{folder}/none/e.csv", URL]
        ran = run(ours("ab"), words, server.host, server.port, tmp_path)
    assert ran.code == 4
    assert "none/e.csv" in ran.err
    assert not server.requests


def test_ctrl_c_shows_the_report_so_far(tmp_path: Path) -> None:
    with Recorder(always(Reply(after_s=0.01))) as server:
        process = started(["-k", "-n", "100000", f"http://{server.address}/"], tmp_path)
        while len(server.requests) < 20:
            assert process.poll() is None, process.communicate()
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=60)
    assert process.returncode == 1
    assert numbers(out, "Complete requests:")[0] >= 19
    assert "Percentage of the requests" in out


def test_the_verdict_follows_the_report(tmp_path: Path) -> None:
    with Recorder() as server:
        words = ["--verdict", "-n", "5", URL]
        ran = run(ours("ab"), words, server.host, server.port, tmp_path)
    report, _, verdict = ran.out.partition("(longest request)\n")
    assert "Requests per second:" in report
    assert verdict.lstrip().startswith(("VALID:", "SUSPECT:", "INVALID:"))


def test_version_and_help_name_httpdyno(tmp_path: Path) -> None:
    for word, said in (("-V", "httpdyno"), ("-h", "Usage: httpdyno ab"), ("--help", "-k ")):
        ran = run(ours("ab"), [word], "127.0.0.1", 1, tmp_path)
        assert ran.code == 0
        assert said in ran.out


def test_the_program_under_its_own_name_is_the_same(tmp_path: Path) -> None:
    code = "import sys; sys.argv[1:] = ['-V']; from httpdyno.__main__ import ab; ab()"
    ran = run([sys.executable, "-c", code], [], "127.0.0.1", 1, tmp_path)
    assert ran.out.startswith("This is ApacheBench, Version 2.3 <httpdyno ")
