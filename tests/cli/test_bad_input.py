"""Bad input, given to the real program: one clear sentence, its exit code, no traceback."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from .conftest import Program

USAGE, TARGET, ENVIRONMENT = 2, 3, 4
CLOSED = "http://127.0.0.1:9/"

CASES = {
    "an unknown verb": (["lod"], USAGE, "`lod` is not a verb", "did you mean `load`?"),
    "no URL": (["load"], USAGE, "missing argument 'URL'", "httpdyno load --help"),
    "an unknown flag": (["load", CLOSED, "--rat", "5"], USAGE, "no such option: --rat", "--rate"),
    "a URL without scheme": (["load", "localhost"], USAGE, "`localhost`: expected a URL", "--help"),
    "flags of TLS without it": (
        ["load", CLOSED, "--insecure", "--sni", "x"],
        USAGE,
        "`--insecure`, `--sni` of TLS: expected a URL that begins with `https`",
        "--help",
    ),
    "a certificate without its key": (
        ["load", "https://x/", "--cert", "/dev/null"],
        USAGE,
        "`--cert` and `--key` need each other",
        "--help",
    ),
    "an authority that is not there": (
        ["load", "https://x/", "--ca", "absent.pem"],
        USAGE,
        "`--ca absent.pem`: cannot be read: No such file or directory",
        "--help",
    ),
    "a proxy that is not there": (
        ["load", "https://no-such-host.invalid/", "--proxy", CLOSED],
        TARGET,
        "`127.0.0.1:9` refused the connection",
        "start",
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
        "`20` is not a limit for it: expected a time such as `20ms`",
        "--help",
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
        "--help",
    ),
    "a closed port": (["load", CLOSED], TARGET, "`127.0.0.1:9` refused the connection", "start"),
    "an unknown name": (
        ["load", "http://no-such-host.invalid/"],
        TARGET,
        "`no-such-host.invalid` cannot be resolved",
        "spelling",
    ),
    "a Unix socket that is not there": (
        ["load", "http://x/", "--unix", "absent.sock"],
        TARGET,
        "`absent.sock` refused the connection",
        "start",
    ),
    "a source address of another machine": (
        ["load", CLOSED, "--source", "192.0.2.1"],
        ENVIRONMENT,
        "`--source 192.0.2.1` cannot be connected from",
        "ip address",
    ),
    "a folder that is not there": (
        ["load", CLOSED, "--json", "absent/out.json"],
        ENVIRONMENT,
        "`--json absent/out.json` cannot be written: No such file or directory",
        "folder of yours",
    ),
    "a folder in place of a file": (
        ["load", CLOSED, "--hdr", "/"],
        ENVIRONMENT,
        "`--hdr /` cannot be written: Is a directory",
        "folder of yours",
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


def test_all_faults_of_a_command_line_are_told_at_once(httpdyno: Program) -> None:
    answer = httpdyno("load", "x", "-c", "0", "--rate", "fast", "-d", "never", "-H", "y")
    assert answer.returncode == USAGE
    assert answer.stderr.startswith("error: 5 flags cannot be used as given:\n")
    given = ("x", "--connections 0", "--rate fast", "--duration never", "--header y")
    for subject in given:
        assert f"`{subject}`" in answer.stderr


def test_a_bad_output_path_is_told_before_any_connection_is_made(
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
