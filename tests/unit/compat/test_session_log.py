"""Session logs: the grammar of httperf's `--wsesslog`, and the scripts made of them."""

from __future__ import annotations

import pytest
from httpdyno.compat.session_log import (
    METHODS,
    LoggedBurst,
    LoggedRequest,
    Session,
    SessionLogError,
    parse_session_log,
    scripts,
)
from httpdyno.engine_plan import ScriptStep
from hypothesis import given
from hypothesis import strategies as st

# The example of `man httperf`, with its layout: indented by spaces or tabs, two sessions.
EXAMPLE = b"""\
# Comment lines start with a # in the first column.

# session 1 definition (this is a comment)
/foo.html think=2.0
     /pict1.gif
\t/pict2.gif
/foo2.html method=POST contents='Post data'
     /pict3.gif
     /pict4.gif


# session 2 definition
/foo3.html method=POST contents="Multiline\\ndata"
/foo4.html method=HEAD
"""
PIECES = [
    b"\n",
    b" ",
    b"/a",
    b"method=PUT",
    b"think=1",
    b"contents=",
    b"'",
    b'"',
    b"\\",
    b"#",
    b"\xff",
]


def one(log: bytes) -> LoggedRequest:
    """The only request of a log."""
    ((burst,),) = parse_session_log(log)
    (request,) = burst.requests
    return request


def test_blank_lines_separate_sessions_and_indented_lines_belong_to_the_burst() -> None:
    first, second = parse_session_log(EXAMPLE)
    get = LoggedRequest
    assert first == (
        LoggedBurst((get("/foo.html"), get("/pict1.gif"), get("/pict2.gif")), 2.0),
        LoggedBurst(
            (get("/foo2.html", "POST", b"Post data"), get("/pict3.gif"), get("/pict4.gif"))
        ),
    )
    assert second == (
        LoggedBurst((get("/foo3.html", "POST", b"Multiline\ndata"),)),
        LoggedBurst((get("/foo4.html", "HEAD"),)),
    )
    assert [request.line for burst in first for request in burst.requests] == [4, 5, 6, 7, 8, 9]


def test_a_session_may_begin_with_an_indented_line_and_a_comment_does_not_end_it() -> None:
    ((burst,),) = parse_session_log(b"\n \n  /a\n# still the same session\n  /b")
    assert [request.uri for request in burst.requests] == ["/a", "/b"]


def test_a_file_with_windows_line_ends_reads_the_same() -> None:
    assert parse_session_log(EXAMPLE.replace(b"\n", b"\r\n")) == parse_session_log(EXAMPLE)


@pytest.mark.parametrize(
    ("written", "contents"),
    [
        (rb"plain", b"plain"),
        (rb"'two words'", b"two words"),
        (rb"""'a "quoted" word'""", b'a "quoted" word'),
        (rb'''"it's"''', b"it's"),
        (rb"""a' 'b" "c""", b"a b c"),
        (rb"'tab\tcr\rlf\nslash\\quote\'x\x'", b"tab\tcr\rlf\nslash\\quote'xx"),
        (b"'over\\\ntwo lines'", b"over\ntwo lines"),
        (b"'over\\\r\ntwo lines'", b"over\ntwo lines"),
        (b"'\xff\xc3\xa4'", b"\xff\xc3\xa4"),
        (b"''", b""),
        (b"a=b=c", b"a=b=c"),
    ],
)
def test_contents_may_be_quoted_escaped_and_continued(written: bytes, contents: bytes) -> None:
    log = b"/a contents=" + written + b" think=3 method=PUT"
    ((burst,),) = parse_session_log(log)
    assert burst == LoggedBurst((LoggedRequest("/a", "PUT", contents),), 3.0)


def test_lines_after_a_continued_one_keep_their_numbers() -> None:
    with pytest.raises(SessionLogError) as fault:
        parse_session_log(b"/a contents='x\\\ny'\n/b what=1")
    assert fault.value.faults == (
        "line 3: expected `method=`, `think=` or `contents=` after the URI",
    )


def test_the_last_think_time_of_a_burst_counts_whichever_line_has_it() -> None:
    ((burst,),) = parse_session_log(b"/a think=1\n  /b think=.5")
    assert burst.think_s == 0.5


@pytest.mark.parametrize("method", METHODS)
def test_each_method_of_httperf_is_accepted(method: str) -> None:
    assert one(f"/a method={method}".encode()).method == method


def test_all_faults_are_reported_at_once_each_with_its_line() -> None:
    log = b"""\
/a method=get
/b think=soon
/c contents='open
/d what=1
/e contents=
/f ?
/\xff
/g contents=x\\"""
    with pytest.raises(SessionLogError) as fault:
        parse_session_log(log)
    keys = "expected `method=`, `think=` or `contents=` after the URI"
    assert fault.value.faults == (
        f"line 1: expected one of the methods {', '.join(METHODS)}",
        "line 2: expected `think=` with seconds, such as `think=2.5`, at most a week",
        "line 3: `contents=` has no closing '",
        f"line 4: {keys}",
        f"line 5: {keys}",
        f"line 6: {keys}",
        "line 7: expected a URI in ASCII; percent-encode other characters",
        "line 8: `contents=` ends with a backslash at the end of the file",
    )


@pytest.mark.parametrize("log", [b"", b"\n\n", b"# nothing\n"])
def test_a_log_without_a_session_is_refused(log: bytes) -> None:
    with pytest.raises(SessionLogError, match="expected a line with a URI"):
        parse_session_log(log)


@given(st.binary() | st.lists(st.sampled_from(PIECES)).map(b"".join))
def test_any_bytes_are_sessions_or_faults_with_their_lines(log: bytes) -> None:
    sessions: list[Session] = []
    told: tuple[str, ...] = ()
    try:
        sessions = parse_session_log(log)
    except SessionLogError as wrong:
        told = wrong.faults
    assert bool(sessions) != bool(told)
    assert all(burst.requests for session in sessions for burst in session)


def test_a_log_of_nonsense_reports_its_first_20_faults_only() -> None:
    with pytest.raises(SessionLogError) as fault:
        parse_session_log(b"/a b\n" * 1000)
    assert len(fault.value.faults) == 20


def test_a_log_that_is_too_long_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("httpdyno.compat.session_log.MOST_REQUESTS", 3)
    with pytest.raises(SessionLogError, match="line 4: expected at most 3 requests in all"):
        parse_session_log(b"/a\n" * 5)


def test_scripts_name_each_different_request_once_and_bursts_as_they_are_sent() -> None:
    log = b"/a\n  /b\n  /b\n/a think=0\n\n/c\n/a method=HEAD\n"
    requests, steps = scripts(parse_session_log(log), think_s=1.5)
    assert [(one.method, one.uri) for one in requests] == [
        ("GET", "/a"),
        ("GET", "/b"),
        ("GET", "/c"),
        ("HEAD", "/a"),
    ]
    assert steps == [
        [
            ScriptStep(requests=[0, 1, 1], think_s=1.5, first_alone=True),
            ScriptStep(requests=[0], think_s=0.0),
        ],
        [
            ScriptStep(requests=[2], think_s=1.5),
            ScriptStep(requests=[3], think_s=1.5),
        ],
    ]


@pytest.mark.timeout(120)  # each took minutes, or did not end, when a step cost as much as the rest
@pytest.mark.parametrize(
    ("log", "contents"),
    [
        (b"/a " + b"method=GET " * 300_000, b""),
        (b"/a contents=" + b"x" * (32 << 20), b"x" * (32 << 20)),
        (b"/a contents=" + b"\\\n" * 300_000 + b"x", b"\n" * 300_000 + b"x"),
        (b"\n" * (8 << 20) + b"/a", b""),
    ],
    ids=["words", "body", "lines", "blank lines"],
)
def test_a_log_made_to_be_slow_is_read_at_once(log: bytes, contents: bytes) -> None:
    ((burst,),) = parse_session_log(log)
    assert burst.requests[0].contents == contents
