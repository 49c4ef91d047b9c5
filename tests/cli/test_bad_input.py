"""Bad input, given to the real program: one clear sentence, its exit code, no traceback."""

from __future__ import annotations

import re
import shlex
import socket
from pathlib import Path

import pytest

from .conftest import CLOSED_AT, Program, started

USAGE, TARGET, ENVIRONMENT = 2, 3, 4
CLOSED = f"http://{CLOSED_AT}/"

CASES = {
    "an unknown verb": (["lod"], USAGE, "`lod` is not a verb", "did you mean `load`?"),
    "a verb with a line break": (["a\nb"], USAGE, "`a\\nb` is not a verb", ""),
    "a method with a line break": (
        ["load", CLOSED, "-X", "GET / HTTP/1.1\r\nX"],
        USAGE,
        "`--method GET / HTTP/1.1\\r\\nX`: expected a method such as `GET` or `POST`",
        "--help",
    ),
    "a URL with a line break": (
        ["load", f"{CLOSED}\n::error::x"],
        USAGE,
        f"`{CLOSED}\\n::error::x`: expected no space or control character",
        "--help",
    ),
    "no URL": (["load"], USAGE, "missing argument 'URL'", "httpdyno load --help"),
    "an unknown flag": (
        ["load", CLOSED, "--rat", "5"],
        USAGE,
        "`--rat` is not a flag of `httpdyno load`: did you mean `--rate`?",
        "--help",
    ),
    "a URL of another scheme": (["load", "ftp://h"], USAGE, "`ftp://h`: expected a URL", "--help"),
    "a host with an empty label": (
        ["load", "http://a..b/"],
        USAGE,
        "expected a host whose name has 1 to 63 characters between its dots",
        "--help",
    ),
    "a password in the URL and a user": (
        ["load", "http://user:s3@cret@h/", "--user", "me:s3"],
        USAGE,
        "`--user` and the user in the URL exclude each other",
        "--help",
    ),
    "a password in the URL that is not percent-encoded": (
        ["load", "http://user:s3/cr@et@h/"],
        USAGE,
        "`http://***@h/`: expected a URL such as",
        "--help",
    ),
    "a header that is not quoted": (
        ["load", CLOSED, "-H", "Authorization:", "Bearer", "s3cret"],
        USAGE,
        "unexpected arguments: expected quotes around a value with spaces",
        "--help",
    ),
    "a header without colon": (
        ["load", CLOSED, "-H", "Authorization s3cret"],
        USAGE,
        "`--header Authorization ***`: expected `NAME: VALUE`",
        "--help",
    ),
    "a proxy that is mistyped": (
        ["load", CLOSED, "--proxy", "htp://user:s3/cr@et@h:1"],
        USAGE,
        "`--proxy htp://***@h:1`: expected a proxy such as",
        "--help",
    ),
    "a source of the other IP version": (
        ["load", CLOSED, "--source", "::1"],
        USAGE,
        "`--source ::1` is IPv6, but `127.0.0.1` has only IPv4 addresses",
        "",
    ),
    "flags of TLS without it": (
        ["load", CLOSED, "--insecure", "--sni", "x"],
        USAGE,
        "`--insecure`, `--sni` apply only to `https://` URLs",
        "--help",
    ),
    "a certificate without its key": (
        ["load", "https://x/", "--cert", "/etc/passwd"],
        USAGE,
        "`--cert` and `--key` need each other",
        "--help",
    ),
    "an authority that is not there": (
        ["load", "https://x/", "--ca", "absent.pem"],
        USAGE,
        "`--ca absent.pem`: cannot read `absent.pem`: No such file or directory",
        "check the path",
    ),
    "a proxy that is not there": (
        ["load", "https://no-such-host.invalid/", "--proxy", CLOSED],
        TARGET,
        f"`{CLOSED_AT}` refused the connection",
        "start the proxy",
    ),
    "a proxy that is none": (
        ["load", CLOSED, "--proxy", "socks5://x"],
        USAGE,
        "`--proxy socks5://x`: expected a proxy such as `http://proxy.example:3128`",
        "--help",
    ),
    "a port out of range": (["load", "http://x:70000/"], USAGE, "expected a URL", "--help"),
    "an unknown metric": (
        ["load", CLOSED, "--fail-if", "p9x>1ms"],
        USAGE,
        "`p9x` is not a metric",
        "--help",
    ),
    "a limit without unit": (
        ["load", CLOSED, "--fail-if", "p99>20"],
        USAGE,
        "`20` cannot be the limit: expected a time such as `20ms`",
        "--help",
    ),
    "a limit of capacity in place of a threshold": (
        ["load", CLOSED, "--limit", "p99<50ms"],
        USAGE,
        "`--limit` is not a flag of `httpdyno load`: use `--fail-if 'p99>50ms'`",
        "--help",
    ),
    "a command of capacity for compare": (
        ["compare", "HEAD", "main", "--command", "x --port {port}"],
        USAGE,
        "`--command` is not a flag of `httpdyno compare`: use `--start CMD`",
        "--help",
    ),
    "a start of compare for capacity": (
        ["capacity", "--start=x --port {port}", "--limit", "p99<50ms"],
        USAGE,
        "`--start` is not a flag of `httpdyno capacity`: use `--command CMD`",
        "--help",
    ),
    "a URL as the name of a server": (
        ["capacity", "http://me:s3@localhost:3100/items", "--limit", "p99<50ms"],
        USAGE,
        "localhost:3100/items` is a URL, and not the name of a server; `--url` does not take it",
        "httpdyno capacity --help",
    ),
    "two kinds of load": (
        ["load", CLOSED, "--rate", "5", "--sessions", "5"],
        USAGE,
        "`--rate` and `--sessions` exclude each other",
        "--help",
    ),
    "a body that is not there": (
        ["load", CLOSED, "--body", "@absent.json"],
        USAGE,
        "cannot read `absent.json`",
        "check the path",
    ),
    "a closed port": (["load", CLOSED], TARGET, f"`{CLOSED_AT}` refused the connection", "start"),
    "an unknown name": (
        ["load", "http://no-such-host.invalid/"],
        TARGET,
        "`no-such-host.invalid` cannot be resolved",
        "spelling",
    ),
    "a Unix socket that is not there": (
        ["load", "http://x/", "--unix", "absent.sock"],
        TARGET,
        "`absent.sock` does not exist: expected the socket of a server",
        "start",
    ),
    "a source address of another machine": (
        ["load", CLOSED, "--source", "192.0.2.1"],
        ENVIRONMENT,
        "`--source 192.0.2.1` cannot be used: Cannot assign requested address",
        "ip address",
    ),
    "a folder that is not there": (
        ["load", CLOSED, "--json", "absent/out.json"],
        ENVIRONMENT,
        "`--json absent/out.json` cannot be written: No such file or directory",
        "hint: mkdir -p absent\n",
    ),
    "a folder in place of a file": (
        ["load", CLOSED, "--hdr", "/"],
        ENVIRONMENT,
        "`--hdr /` cannot be written: Is a directory",
        "name a file that you may write",
    ),
    "one file for two outputs": (
        ["load", CLOSED, "--json", "a", "--hdr", "./a"],
        USAGE,
        "both write to",
        "--help",
    ),
    "a listening address without port": (
        ["reference", "--listen", "localhost"],
        USAGE,
        "expected an address and a port",
        "--help",
    ),
    "more server threads than any number holds": (
        ["reference", "--listen", "127.0.0.1:0", "--threads", "99999999999999999999"],
        USAGE,
        "`--threads 99999999999999999999`: expected a whole number from 1 to 1024",
        "--help",
    ),
    "one server thread too many": (
        ["reference", "--listen", "127.0.0.1:0", "--threads", "1025"],
        USAGE,
        "`--threads 1025`: expected a whole number from 1 to 1024",
        "--help",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_bad_input_is_one_clear_sentence_and_an_exit_code(case: str, httpdyno: Program) -> None:
    arguments, code, sentence, hint = CASES[case]
    answer = httpdyno(*arguments)
    assert answer.returncode == code, answer.stderr
    assert answer.stdout == ""
    assert answer.stderr.startswith("error: ")
    assert sentence in answer.stderr.splitlines()[0]
    assert hint in answer.stderr
    assert "Traceback" not in answer.stderr
    assert "s3" not in answer.stderr


@pytest.mark.parametrize("given", ["pages", "./pages", "demo2"])
def test_a_study_beside_the_name_that_was_typed_is_proposed(
    given: str, httpdyno: Program, tmp_path: Path
) -> None:
    (tmp_path / f"{given}.toml").touch()
    answer = httpdyno("run", given)
    assert answer.returncode == USAGE
    assert f"hint: did you mean `{given}.toml`?" in answer.stderr


def test_all_faults_of_a_command_line_are_reported_at_once(httpdyno: Program) -> None:
    answer = httpdyno("load", "x:y", "-c", "0", "--rate", "fast", "-d", "never", "-H", "y")
    assert answer.returncode == USAGE
    assert answer.stderr.startswith("error: 5 problems with the command line:\n")
    given = ("x:y", "--connections 0", "--rate fast", "--duration never", "--header y")
    for subject in given:
        assert f"`{subject}`" in answer.stderr


def test_a_bad_output_path_is_reported_before_any_connection_is_made(
    httpdyno: Program, tmp_path: Path
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setblocking(False)
        port = server.getsockname()[1]
        answer = httpdyno("load", f"http://127.0.0.1:{port}/", "--json", "absent/out.json")
        assert answer.returncode == ENVIRONMENT
        with pytest.raises(BlockingIOError):
            server.accept()
    assert list(tmp_path.iterdir()) == []


def test_the_hint_for_a_closed_port_starts_a_server_there(
    httpdyno: Program, tmp_path: Path
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    load = ["load", f"http://127.0.0.1:{port}/hello", "-n", "200", "-q"]
    hint = re.search(r"`httpdyno (.+)`", httpdyno(*load).stderr)
    assert hint is not None
    server = started(tmp_path, *shlex.split(hint[1]))
    try:
        assert server.stdout is not None
        assert server.stdout.readline().startswith("listening on")
        assert httpdyno(*load).returncode == 0
    finally:
        server.terminate()
        server.communicate(timeout=60)


def test_the_hint_for_an_absent_folder_creates_it(shell: Program) -> None:
    answer = shell(f"$httpdyno load {CLOSED} --json 'an absent/folder/out.json'")
    command = answer.stderr.split("hint: ")[1]
    assert shell(command).returncode == 0
    again = shell(f"$httpdyno load {CLOSED} --json 'an absent/folder/out.json'")
    assert "refused the connection" in again.stderr


def test_the_hint_for_a_url_without_verb_is_the_command(shell: Program) -> None:
    for url in (CLOSED, CLOSED_AT, f"{CLOSED}?a=1&b=2"):
        answer = shell(f"$httpdyno '{url}'")
        command = answer.stderr.split("hint: httpdyno ")[1]
        assert "refused the connection" in shell(f"$httpdyno {command}").stderr


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (
            ["--script", "x.lua"],
            "`--script` is not a flag of `httpdyno load`: there are no scripts",
        ),
        (["-s", "x.lua"], "`-s` is not a flag of `httpdyno load`: there are no scripts"),
        (["--latency"], "percentiles are always shown"),
        (["-t4"], "`-t` is not a flag of `httpdyno load`: use `--threads N` (wrk) or `--timeout"),
        (["-z", "10s"], "use `--duration TIME`"),
        (["-h2"], "use `--http 2`"),
        (["--alpn-list=h3"], "`--http 2` or `--http 3`"),
        (["-q", "50"], "`-q` is short for `--quiet`: use `--rate N`"),
        (["-q50"], "`-q` is short for `--quiet`: use `--rate N`"),
        (["--vus", "10"], "use `--connections N`"),
        (
            ["-duration=5s"],
            "`-duration` is not a flag of `httpdyno load`: did you mean `--duration`?",
        ),
        (["-targets", "x"], "use `--urls FILE`"),
        (["--csv", "x.csv"], "use `--call-log FILE`"),
        (["--store", "x.sqlite"], "`--store` is not a flag of `httpdyno load`: it stores nothing"),
        (["--store=x.sqlite"], "use `--json FILE`, or measure a study (`httpdyno run --store"),
        (["--frobnicate", "x"], "`--frobnicate` is not a flag of `httpdyno load`\n"),
    ],
)
def test_a_flag_of_another_load_generator_is_one_error_that_names_ours(
    called: Program, words: list[str], sentence: str
) -> None:
    answer = called("load", CLOSED, *words)
    assert (answer.returncode, answer.stdout) == (USAGE, "")
    assert answer.stderr.startswith("error: `")
    assert sentence in answer.stderr
    assert answer.stderr.endswith("hint: httpdyno load --help\n")


def test_flags_of_another_load_generator_are_reported_together(called: Program) -> None:
    answer = called("load", CLOSED, "-t4", "-c", "10", "-d30s", "--latency", "-H", "-s: 1")
    assert answer.stderr.startswith("error: 2 problems with the command line:\n")
    assert "`-t` is" in answer.stderr
    assert "`--latency` is" in answer.stderr


def test_misspelt_flags_are_told_with_every_other_fault_and_nothing_is_sent(
    called: Program,
) -> None:
    words = ["--rate", "5x", "--duratoin", "3s", "--conections=4", "--drain", "x"]
    answer = called("load", CLOSED, *words)
    assert (answer.returncode, answer.stdout) == (USAGE, "")
    assert answer.stderr.startswith("error: 4 problems with the command line:\n")
    for fault in (
        "`--duratoin` is not a flag of `httpdyno load`: did you mean `--duration`?",
        "`--conections` is not a flag of `httpdyno load`: did you mean `--connections`?",
        "`--rate 5x`: expected",
        "`--drain x`: expected",
    ):
        assert fault in answer.stderr
    # The flag that was meant has no other fault: then nothing is measured either.
    answer = called("load", CLOSED, "--duratoin", "3s")
    assert answer.returncode == USAGE
    assert answer.stderr.count("error:") == 1
    assert "did you mean `--duration`?" in answer.stderr
    for word in ("--helpp", "--frobnicate"):
        answer = called("load", CLOSED, word)
        assert (answer.returncode, answer.stdout) == (USAGE, "")


@pytest.mark.parametrize(
    "words",
    [
        ["load", "http://h/", "--store", "URL"],
        ["load", "http://h/", "--source", "URL"],
        ["load", "http://h/", "--sources=URL"],
        ["load", "http://h/", "URL"],
        ["servers", "URL"],
        ["URL"],
    ],
    ids=" ".join,
)
def test_the_password_of_a_url_is_in_no_usage_error(called: Program, words: list[str]) -> None:
    for url in (
        "postgresql://me:s3cret@db/bench",
        "http://me:s3cret/s3cret?@db/",
        "mysql://me:s3cret s3cret#@db/",
        "me:s3cret@db",
        "me:s3cret/s3cret?@db/",
        "me:s3cret s3cret#@db/",
    ):
        answer = called(*(word.replace("URL", url) for word in words))
        assert (answer.returncode, answer.stdout) == (USAGE, "")
        assert "s3cret" not in answer.stderr
