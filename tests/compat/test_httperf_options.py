"""The options of `httpdyno httperf`: their grammar, their nonsense, and the requests they make."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Callable
from pathlib import Path

import pytest
from httpdyno.cli import main
from httpdyno.compat.httperf.echo import echo
from httpdyno.compat.httperf.grammar import OPTIONS
from httpdyno.compat.httperf.options import Options, OptionsError, read_options
from httpdyno.compat.httperf.plan import plan_of
from httpdyno.compat.httperf.requests import encode_request, rotation
from httpdyno.compat.httperf.workload import workload
from httpdyno.engine_plan import Arrivals, Base64, EnginePlan
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

Called = Callable[..., tuple[int, str]]


@pytest.fixture
def called(capfd: pytest.CaptureFixture[str]) -> Called:
    """Run `httpdyno httperf` in this process: its exit code and stderr."""

    def run(*words: str) -> tuple[int, str]:
        code = main.run(["httperf", *words])
        return code, capfd.readouterr().err

    return run


def plan(*words: str) -> EnginePlan:
    options = read_options(words)
    return plan_of(options, workload(options), "127.0.0.1")


@pytest.mark.parametrize(
    ("words", "field", "value"),
    [
        (["--num-conns", "7"], "num_conns", 7),
        (["--num-con=7"], "num_conns", 7),
        (["--num-conns=7", "--num-conns=8"], "num_conns", 8),
        (["--serve", "x"], None, "ambiguous"),
        (["--num=7"], None, "ambiguous"),
        (["--server=x", "--p=8"], None, "ambiguous"),
        (["--po=8"], "port", 8),
        (["--u=/x"], "uri", b"/x"),
        (["--burst=3"], "burst_length", 3),
        (["--session-cookie", "--wsess=1,1,0"], "session_cookies", True),
        (["-vvn"], "verbose", 2),
        (["-d5", "-v"], "verbose", 1),
        (["-d", "5", "-v"], "verbose", 1),
        (["--print-reply"], "print_reply", "whole"),
        (["--print-reply=body"], "print_reply", "body"),
        (["--http-version=1.0"], "http", "1.0"),
        (["--client=1/3"], "client", (1, 3)),
        (["--ssl"], "port", 443),
        (["--ssl-protocol=TLSv1.3"], "ssl", True),
        (["--verd"], "verdict", True),
    ],
)
def test_options_are_read_as_getopt_long_reads_them(
    words: list[str], field: str | None, value: object
) -> None:
    if field is None:
        with pytest.raises(OptionsError, match=str(value)):
            read_options(words)
    else:
        assert getattr(read_options(words), field) == value


def test_an_abbreviation_that_was_unique_in_0_9_0_keeps_its_meaning() -> None:
    # Later sources also have --add-header-file, --use-timer-cache and --periodic-stats.
    options = read_options(["--add=A: 1\\n", "--u=/x", "--peri=0.5"])
    assert (options.header, options.uri) == (b"A: 1\r\n", b"/x")
    assert options.pace.mean_s == 0.5


NONSENSE = [
    "--num-conns=0",
    "--num-conns=-1",
    "--num-conns=many",
    "--num-calls=1.5",
    "--burst-length=0",
    "--port=0",
    "--port=65536",
    "--rate=-5",
    "--rate=fast",
    "--period=x1",
    "--period=u1",
    "--period=u2,1",
    "--period=e",
    "--period=v1",
    "--period=v0,5",
    "--period=1,2",
    "--http-version=2.0",
    "--http-version=1",
    "--client=1",
    "--client=3/3",
    "--failure-status=42",
    "--timeout=-1",
    "--timeout=1e9",
    "--runtime=0",
    "--send-buffer=0",
    "--max-connections=1000",
    "--uri=/a b",
    "--uri=",
    "--method=GET POST",
    "--server-name=a b",
    "--add-header=X: 1",
    r"--add-header=X: \q\n",
    r"--add-header=X: \777\n",
    "--add-header-file=/nowhere",
    "--wlog=/nowhere",
    "--wlog=y,/nowhere",
    "--wlog=x,/dev/null",
    "--wlog=y,/dev/null",
    "--wset=0,1",
    "--wset=5",
    "--wset=5,1.5",
    "--wsess=1,2",
    "--wsess=0,1,0",
    "--wsess=1,1,-1",
    "--wsesslog=1,1,/nowhere",
    "--wsesslog=1,1,/dev/null",
    "--wsess=2,1000000,0 --burst-length=5",
    "--wsesspage=1,1,1",
    "--ssl-protocol=SSLv3",
    "--ssl-protocol=TLSv1.0",
    "--ssl-ciphers=RC4",
    "--ssl-ca-path=/etc/ssl",
    "--ssl-certificate=a.pem",
    "--ssl-verify=perhaps",
    "--print-reply=all",
    "--session-cookies",
    "--server=a --servers=/dev/null",
    "--servers=/dev/null",
    "--myaddr=no.such.host.invalid",
    "--wsess=1,1,0 --wsesslog=1,1,/dev/null",
    "--hog=yes",
    "--nonsense",
    "-x",
    "-d",
    "--port",
    "http://localhost/",
    "-- extra",
]


@pytest.mark.parametrize("words", NONSENSE)
def test_nonsense_is_refused_with_what_was_given_and_expected(words: str, called: Called) -> None:
    given = [words] if " -" not in words else words.split()
    code, err = called(*given)
    assert code == 2
    assert err.startswith("error: ")
    assert "`" in err
    assert "hint: httpdyno httperf --help" in err
    assert "Traceback" not in err


def test_a_list_of_uris_in_lines_is_told_how_to_become_one(tmp_path: Path, called: Called) -> None:
    (tmp_path / "uris").write_text("/hello think=0.2\n   /pong\n")
    code, err = called(f"--wlog=n,{tmp_path}/uris")
    assert code == 2
    assert "what begins with `/hello think=0.2` is no URI" in err
    assert r"`tr '\n' '\0'` makes them of lines" in err


WORDS = st.one_of(
    st.text(max_size=8),
    st.builds(
        "--{}={}".format,
        st.sampled_from(sorted(set(OPTIONS) - {"myaddr"})),  # it may ask a name server
        st.one_of(st.text("0123456789.,deuvyn/\\\\ nx-", max_size=12), st.text(max_size=5)),
    ),
)


@given(st.lists(WORDS, max_size=4))
def test_any_words_are_options_or_faults(words: list[str]) -> None:
    try:
        options = read_options(words)
        workload(options)
        shown = echo(options)
    except ValueError as wrong:
        shown = str(wrong)
    assert shown


def test_all_faults_are_reported_at_once(called: Called) -> None:
    code, err = called("--num-conns=0", "--rate=x", "--nonsense", "--wsesspage=1,1,1")
    assert code == 2
    assert "4 problems with the command line" in err
    assert all(f"--{name}" in err for name in ("num-conns", "rate", "nonsense", "wsesspage"))


def test_an_unknown_server_is_one_sentence(called: Called) -> None:
    code, err = called("--server=no.such.host.invalid")
    assert code == 3
    assert "`--server=no.such.host.invalid` cannot be resolved" in err


@pytest.mark.parametrize("word", ["--help", "-h", "-vh"])
def test_help_lists_the_options_and_has_examples(
    word: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert main.run(["httperf", word]) == 0
    shown = capfd.readouterr().out
    assert "--num-conns=N" in shown
    assert "httpdyno httperf --server=localhost" in shown


def test_the_version_begins_as_that_of_httperf(capfd: pytest.CaptureFixture[str]) -> None:
    assert main.run(["httperf", "-V"]) == 0
    assert capfd.readouterr().out.startswith("httperf: httperf-0.9.0 (httpdyno ")


def test_credentials_are_masked_in_the_repeated_command_line() -> None:
    given = ["--add-header=Authorization: Basic abc\\nX: 1\\n", "--uri=/?token=abc"]
    shown = echo(read_options(given))
    assert "abc" not in shown
    assert "--add-header='Authorization: ***\\nX: ***\\n'" in shown
    assert b"Authorization: Basic abc\r\nX: 1\r\n" in encode_request(read_options(given), b"/")


def test_credentials_are_masked_in_a_plan_for_a_record() -> None:
    record = plan("--add-header=Authorization: Basic abc\\n").without_secrets()
    assert not isinstance(record.requests[0].raw, Base64)


def test_a_request_without_host_has_one_header_section() -> None:
    options = read_options(["--no-host-hdr", "--add-header=A: 1\\n"])
    assert encode_request(options, b"/") == (
        b"GET / HTTP/1.1\r\nUser-Agent: httperf/0.9.0\r\nA: 1\r\n\r\n"
    )


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("5,1", ["/1.html", "/2.html", "/3.html", "/4.html", "/0.html"]),
        ("2,0.5", ["/0.html", "/1.html", "/1.html", "/0.html"]),
        ("1,1", [".html"]),
        ("1024,0", ["/0/0/0/0.html"]),
    ],
)
def test_a_working_set_is_listed_until_it_repeats(given: str, expected: list[str]) -> None:
    found = rotation(read_options([f"--wset={given}"]), 1000)
    assert [one.decode() for one in found] == expected


def test_a_list_that_ends_within_a_connection_leaves_its_last_calls_out(tmp_path: Path) -> None:
    (tmp_path / "uris").write_bytes(b"/1\0/2\0/3\0/4\0/5\0")
    options = read_options(
        [f"--wlog=n,{tmp_path}/uris", "--num-calls=3", "--num-conns=9", "--burst-length=2"]
    )
    work = workload(options)
    assert work.scripts is not None
    steps = [[step.requests for step in script] for script in work.scripts]
    assert (work.sessions, steps) == (2, [[[0, 1], [2]], [[3, 4]]])


def test_a_list_in_sessions_goes_on_from_session_to_session(tmp_path: Path) -> None:
    (tmp_path / "uris").write_bytes(b"/1\0/2\0/3\0")
    work = workload(read_options([f"--wlog=y,{tmp_path}/uris", "--wsess=100,2,0"]))
    assert work.scripts is not None
    steps = [[step.requests for step in script] for script in work.scripts]
    assert steps == [[[0], [1]], [[2], [0]], [[1], [2]]]


def _not_default(arrivals: Arrivals) -> object:
    dumped: object = TypeAdapter(Arrivals).dump_python(arrivals, exclude_defaults=True)
    return dumped


def test_periods_become_schedules() -> None:
    def arrivals(given: str) -> object:
        load = plan(f"--period={given}", "--num-conns=5").load
        assert load.kind == "sessions"
        return load.arrivals and _not_default(load.arrivals)

    steady = {"from_per_s": 4.0, "to_per_s": 4.0}
    assert arrivals("0") is None
    assert arrivals("0.25") == {"segments": [steady]}
    assert arrivals("e0.25") == {"spacing": "exponential", "segments": [steady]}
    uniform = {"spacing": "uniform", "spread": pytest.approx(0.6), "segments": [steady]}
    assert arrivals("u0.1,0.4") == uniform
    second = {"from_per_s": 2.0, "to_per_s": 2.0, "seconds": 3.0}
    assert arrivals("v0.25,1,0.5,3") == {
        "cycle": True,
        "segments": [{**steady, "seconds": 1.0}, second],
    }


def test_all_ports_are_asked_for_only_where_the_test_may_need_them() -> None:
    assert plan("--hog", "--num-conns=100").source.ports is None
    assert plan("--hog", "--num-conns=100000").source.ports == (1024, 65535)
    assert plan("--num-conns=100000").source.ports is None


def test_the_requests_of_a_plan_are_the_bytes_that_httperf_sends() -> None:
    raw = plan("--uri=/x", "--server=localhost").requests[0].raw
    assert isinstance(raw, Base64)
    assert b64decode(raw.base64) == encode_request(Options(uri=b"/x"), b"/x")
