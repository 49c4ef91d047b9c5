"""`httpdyno httperf` beside httperf 0.9.0: the same requests arrive, and the same lines come out.

Each case runs the real httperf, then ours, each against a fresh recorder. Ours runs in this
process, which saves a second each time.
"""

from __future__ import annotations

import shlex
import ssl
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from httpdyno.cli import main

from .compare import Order, assert_same, lines
from .nginx import nginx
from .recorder import Recorder, refusing
from .replies import Reply, Script, always, by_connection, by_path, by_place, in_turn
from .tools import Both, Ran, certificate, real, run

COUNTS = (
    "connections",
    "requests",
    "replies",
    "Connection length [replies/conn]:",
    "Request size [B]:",
    "header",
    "content",
    "footer",
    *(f"{digit}xx=" for digit in range(1, 6)),
    "Errors: total",
    "client-timo",
    "socket-timo",
    "connrefused",
    "connreset",
    "fd-unavail",
    "addrunavail",
    "ftab-full",
    "other",
)
"""The numbers that both must print alike."""
SESSIONS = ("Session: avg", "Session length histogram:")
HISTOGRAM = r"^ +(:|[0-9.]+ [0-9]+)$"
SAMPLE = "^(reply|session)-rate = "
PAGES = by_path(
    {"/a": Reply(body=b"a" * 10), "/b": Reply(body=b"b" * 200), "/moved": Reply("302 Found")}
)
LOG = """\
# two sessions
/a think=0.01
    /b
    /b
/moved method=HEAD

/b method=POST contents='x=1&y=2'
"""


@dataclass(frozen=True)
class Case:
    """Options, the server's replies, and what may differ."""

    words: str
    script: Script = field(default_factory=lambda: always(Reply()))
    order: Order = "per_connection"
    more: tuple[str, ...] = ()
    """More counts to compare."""
    not_counted: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()


PLAIN = {
    "nothing but the server": Case(""),
    "several connections": Case("--num-conns=5"),
    "several calls on each connection": Case("--num-conns=5 --num-calls=4"),
    "bursts": Case("--num-conns=3 --num-calls=10 --burst-length=5"),
    "one burst that is all": Case("--num-conns=2 --num-calls=6 --burst-length=6"),
    "a burst longer than the calls": Case("--num-conns=4 --burst-length=3"),
    "a rate": Case("--num-conns=20 --rate=100"),
    "a fractional rate": Case("--num-conns=3 --rate=12.5"),
    "a period": Case("--num-conns=20 --period=0.01"),
    "a fixed period": Case("--num-conns=20 --period=d0.01"),
    "a uniform period": Case("--num-conns=20 --period=u0.005,0.015"),
    "an exponential period": Case("--num-conns=20 --period=e0.01"),
    "a rate, then a period": Case("--num-conns=5 --rate=50 --period=0.01"),
    "a period, then a rate": Case("--num-conns=5 --period=u0.1,0.2 --rate=50"),
    "a rate of zero": Case("--num-conns=5 --rate=0"),
    "an exponential period at a client": Case("--num-conns=9 --period=e0.01 --client=2/5"),
    "calls at a rate": Case("--num-conns=10 --num-calls=3 --rate=100"),
    "bursts at a rate": Case("--num-conns=10 --num-calls=6 --burst-length=2 --rate=100"),
    "HTTP/1.0": Case("--num-conns=3 --http-version=1.0"),
    "HTTP/1.0, several calls": Case("--num-conns=3 --num-calls=3 --http-version=1.0"),
    "a server name": Case("--server-name=www.example.org"),
    "a URI": Case("--uri=/a/b?c=d&e"),
    "HEAD": Case("--method=HEAD --num-calls=3"),
    "POST": Case("--method=POST --num-calls=2"),
    "a method of WebDAV": Case("--method=PROPFIND"),
    "a header": Case("--add-header='X-One: 1\\n'"),
    "two headers": Case("--add-header='A: 1\\nB: 2\\n' --num-conns=2"),
    "escapes in a header": Case(r"--add-header='A: \\ \101\r\aB: 2\n'"),
    "a body by a header": Case(
        r"--method=POST --add-header='Content-Length: 2\n\nhi'", not_counted=("requests",)
    ),
    "a client of several": Case("--client=1/3 --num-conns=2"),
    "all ports": Case("--hog --num-conns=5"),
    "closing by reset": Case("--close-with-reset --num-conns=5"),
    "buffers": Case("--send-buffer=2048 --recv-buffer=8192"),
    "a timeout": Case("--timeout=5 --num-conns=2"),
    "two timeouts": Case("--timeout=5 --think-timeout=2.5 --num-conns=2"),
    "limits that are for sessions": Case("--max-connections=2 --max-piped-calls=2 --num-conns=3"),
    "failures that are for sessions": Case("--failure-status=200 --retry-on-failure"),
    "abbreviations": Case("--num-con 3 --num-cal 2 --ra 100 --ti 5 --burst 2"),
    "values after a space": Case("--num-conns 3 --num-calls 2 --uri /b"),
    "an option twice": Case("--num-conns=3 --num-conns=2"),
    "verbose": Case("-v --num-conns=3"),
    "very verbose": Case("-vv --num-conns=3", optional=(HISTOGRAM,)),
}
PRINTED = {
    "requests": Case("--print-request --num-conns=2"),
    "heads of requests": Case("--print-request=header --num-calls=2"),
    "bodies of requests": Case("--print-request=body"),
    "replies": Case("--print-reply --num-conns=2", always(Reply(body=b"one\ntwo\n"))),
    "heads of replies": Case("--print-reply=header"),
    "bodies of replies": Case("--print-reply=body", always(Reply(body=b"one\ntwo\nthree"))),
    "both": Case("--print-reply --print-request --num-calls=2"),
    "chunked replies": Case("--print-reply", always(Reply(framing="chunked"))),
}
WORKLOADS = {
    "a list of URIs": Case("--wlog=n,{files}/uris --num-conns=3", PAGES),
    "a list of URIs, repeated": Case("--wlog=y,{files}/uris --num-conns=7", PAGES),
    "a list of URIs on one connection": Case("--wlog=y,{files}/uris --num-calls=7", PAGES),
    "a working set": Case("--wset=10,0.5 --num-conns=8"),
    "a working set of many": Case("--wset=120,1 --uri=/set --num-conns=5"),
    "a working set that is left slowly": Case("--wset=11,0.25 --num-calls=9"),
    "a working set of one client": Case("--wset=5,1 --client=1/2 --num-conns=8"),
    "sessions": Case("--wsess=3,4,0"),
    "sessions of bursts": Case("--wsess=3,6,0 --burst-length=3"),
    "sessions of bursts with a rest": Case("--wsess=2,5,0 --burst-length=2"),
    "sessions with think time": Case("--wsess=2,3,0.05"),
    "sessions at a rate": Case("--wsess=5,2,0 --rate=50"),
    "sessions, HTTP/1.0": Case("--wsess=2,4,0 --http-version=1.0"),
    "sessions with a timeout": Case("--wsess=2,2,0 --timeout=5"),
    "sessions with short pipelines": Case(
        "--wsess=2,5,0 --burst-length=5 --max-piped-calls=2", order="any", more=("Session: avg",)
    ),
    "sessions on one connection": Case("--wsess=2,4,0 --max-connections=1"),
    "sessions with a cookie": Case(
        "--wsess=2,3,0 --session-cookies",
        always(Reply(headers=(("Set-Cookie", "id=7; Path=/"),))),
    ),
    "sessions that fail": Case(
        "--wsess=2,3,0 --failure-status=503", by_place(Reply(), Reply("503 Busy"))
    ),
    # In httperf, the size of a request that is sent again is that of all attempts.
    "sessions of a server that closes": Case(
        "--wsess=2,3,0", always(Reply(then="close")), not_counted=("Request size [B]:",)
    ),
    "sessions of bursts at a server that closes": Case(
        "--wsess=2,6,0 --burst-length=3",
        always(Reply(then="close")),
        not_counted=("Request size [B]:",),
    ),
    "a session log": Case("--wsesslog=3,0,{files}/log", PAGES),
    "a session log at a rate": Case("--wsesslog=4,0.05,{files}/log --rate=20", PAGES),
    "a session log, verbose": Case("-v --wsesslog=1,0,{files}/log", PAGES),
}
SERVERS = {
    "chunks": Case("--num-calls=2", always(Reply(framing="chunked", body=b"x" * 2500))),
    "trailers": Case(
        "--num-calls=2",
        always(Reply(framing="chunked", trailers=(("X-Sum", "abc"),))),
    ),
    "not found": Case("--num-conns=2 --num-calls=2", always(Reply("404 Not Found"))),
    "moved": Case("--num-conns=2", always(Reply("302 Found"))),
    "broken": Case("--num-conns=2", always(Reply("500 Broken"))),
    "no content": Case("--num-calls=2", always(Reply("204 No Content", b""))),
    "statuses in turn": Case(
        "--num-conns=8", in_turn(Reply(), Reply("302 Found"), Reply("404 No"), Reply("503 No"))
    ),
    "an empty body": Case("--num-calls=3", always(Reply(body=b""))),
    "a large body": Case("--num-conns=3", always(Reply(body=bytes(200_000)))),
    "a body in pieces": Case("--num-conns=2", always(Reply(pieces=4, between_s=0.02))),
    "a late reply": Case("--num-conns=2 --num-calls=2", always(Reply(after_s=0.05))),
    "a body that ends with the connection": Case("--num-conns=3", always(Reply(framing="close"))),
    "a reply of HTTP/1.0": Case("--num-conns=2", always(Reply(http="1.0", framing="close"))),
    "closing after each reply": Case("--num-conns=3", always(Reply(then="close"))),
    "closing before the last call": Case(
        "--num-conns=3 --num-calls=3", always(Reply(then="close"))
    ),
    "a reset instead of a reply": Case(
        "--num-conns=3", always(Reply(raw=b"", then="reset")), order="any"
    ),
    "no reply": Case("--num-conns=2 --timeout=0.3", always(Reply(raw=b"", then="hang"))),
    "no reply to some": Case(
        "--num-conns=4 --timeout=1 --rate=100",
        by_connection(Reply(), Reply(raw=b"", then="hang")),
    ),
    "no reply within the think timeout": Case(
        "--num-conns=2 --timeout=0.2 --think-timeout=0.2", always(Reply(raw=b"", then="hang"))
    ),
}
TLS = {
    "TLS": Case("--ssl --num-conns=3"),
    "TLS, several calls": Case("--ssl --num-conns=2 --num-calls=4 --burst-length=2"),
    "TLS, no reuse": Case("--ssl --ssl-no-reuse --wsess=2,2,0"),
}

Runs = Callable[..., Both]


@pytest.fixture
def both(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Runs:
    """Run the real httperf, then ours, each against a recorder."""
    (tmp_path / "uris").write_bytes(b"/a\0/b\0/moved\0")
    (tmp_path / "log").write_text(LOG, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    for name in ("HTTPDYNO_STATE", "HTTPDYNO_DATA"):
        monkeypatch.setenv(name, str(tmp_path))

    def ours(words: Sequence[str], port: int) -> Ran:
        capfd.readouterr()
        code = main.run(["httperf", *words])
        out, err = capfd.readouterr()
        return Ran(("httpdyno", "httperf", *words), code, out, err, port, tmp_path / "ours")

    def runs(case: Case, tls: ssl.SSLContext | None = None) -> Both:
        options = case.words.replace("{files}", str(tmp_path))
        given = ["--server={host}", "--port={port}", *shlex.split(options)]
        with Recorder(case.script, tls=tls) as server:
            theirs = run(real("httperf"), given, server.host, server.port, tmp_path / "real")
        first = theirs.on(server.connections)
        with Recorder(case.script, tls=tls) as server:
            filled = [w.format(host=server.host, port=server.port) for w in given[:2]] + given[2:]
            second = ours(filled, server.port)
        return Both(first, second.on(server.connections))

    return runs


def compared(case: Case, found: Both) -> None:
    """Fail unless both did and said the same."""
    assert lines(found.real), found.real.err
    assert lines(found.ours)[0] == lines(found.real)[0], "the repeated command line"
    counts = [one for one in (*COUNTS, *case.more) if one not in case.not_counted]
    if "Session" in found.real.out:
        counts += SESSIONS
    assert_same(found, order=case.order, counts=counts, optional=(SAMPLE, *case.optional))


@pytest.mark.parametrize("name", PLAIN)
def test_connections_send_and_print_what_httperf_does(name: str, both: Runs) -> None:
    compared(PLAIN[name], both(PLAIN[name]))


@pytest.mark.parametrize("name", PRINTED)
def test_printed_calls_are_those_of_httperf(name: str, both: Runs) -> None:
    found = both(PRINTED[name])
    compared(PRINTED[name], found)
    shown = [
        [line for line in lines(one) if line[:2] in ("SH", "SB", "SS", "RH", "RB", "RS")]
        for one in (found.real, found.ours)
    ]
    assert sorted(shown[0]) == sorted(shown[1])


@pytest.mark.parametrize("name", WORKLOADS)
def test_workloads_send_and_print_what_httperf_does(name: str, both: Runs) -> None:
    compared(WORKLOADS[name], both(WORKLOADS[name]))


@pytest.mark.parametrize("name", SERVERS)
def test_replies_of_all_kinds_count_as_with_httperf(name: str, both: Runs) -> None:
    compared(SERVERS[name], both(SERVERS[name]))


@pytest.mark.parametrize("name", TLS)
def test_tls_counts_as_with_httperf(name: str, both: Runs, tmp_path: Path) -> None:
    compared(TLS[name], both(TLS[name], certificate(tmp_path / "certificate")))


@pytest.mark.parametrize(
    "words",
    [
        "--num-conns=20 --num-calls=50 --burst-length=10 --uri=/pong",
        "--num-conns=40 --rate=200 --uri=/50k",
        "--num-conns=10 --num-calls=3 --uri=/moved --http-version=1.0",
        "--wsess=10,8,0 --burst-length=4 --uri=/1k",
        "--wsess=5,3,0 --uri=/broken --failure-status=503",
        "--num-conns=5 --uri=/missing --print-reply=header",
    ],
)
def test_nginx_is_measured_as_by_httperf(
    words: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    with nginx(tmp_path / "nginx") as address:
        host, port = address.split(":")
        given = [f"--server={host}", f"--port={port}", *words.split()]
        theirs = run(real("httperf"), given, host, int(port), tmp_path)
        capfd.readouterr()
        code = main.run(["httperf", *given])
        out, err = capfd.readouterr()
    compared(Case(words), Both(theirs, Ran(("ours",), code, out, err, int(port), tmp_path)))


@pytest.mark.parametrize("words", ["--num-conns=3", "--num-conns=5 --rate=100", "--wsess=2,2,0"])
def test_refused_connections_are_counted_and_do_not_end_the_test(
    words: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    with refusing() as address:
        host, port = address.split(":")
        given = [f"--server={host}", f"--port={port}", *words.split()]
        theirs = run(real("httperf"), given, host, int(port), tmp_path)
        capfd.readouterr()
        code = main.run(["httperf", *given])
        out, err = capfd.readouterr()
    found = Both(theirs, Ran(("httpdyno",), code, out, err, int(port), tmp_path))
    compared(Case(words), found)
