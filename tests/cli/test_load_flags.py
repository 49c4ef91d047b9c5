"""From the flags of `load` to the engine's plan."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

import pytest
from httpdyno.cli.faults import Faults
from httpdyno.cli.load.arguments.address import Address, parse_url
from httpdyno.cli.load.arguments.flags import LoadFlags
from httpdyno.cli.load.arguments.load import parse_segments, total_seconds
from httpdyno.cli.load.arguments.plan import plan_of
from httpdyno.engine_plan import (
    Arrivals,
    Digest,
    Expect,
    File,
    Like,
    Timeouts,
    to_json,
)
from httpdyno.engine_plan.reading import read_json
from httpdyno.errors import UsageError

URL = "http://localhost:8080/hello?a=1"


def planned(**flags: Any) -> dict[str, Any]:
    """The plan's JSON for these flags."""
    plan = plan_of(LoadFlags(**{"url": URL} | flags), Faults("help"))
    read: dict[str, Any] = json.loads(to_json(plan))
    return read


def test_a_url_and_nothing_else_is_a_closed_load_of_10_connections_for_10_seconds() -> None:
    plan = planned()
    assert plan["target"] == {"host": "localhost", "port": 8080, "unix": None, "tls": None}
    assert plan["proxy"] is None
    assert plan["load"] == {"kind": "closed", "connections": 10}
    assert plan["stop"] == {"count": None, "duration_s": 10.0, "drain_s": 5.0, "until": None}
    assert plan["requests"] == [
        {
            "name": None,
            "method": "GET",
            "path": "/hello?a=1",
            "headers": [["Accept", "*/*"], ["User-Agent", "httpdyno/0.1.0"]],
            "body": None,
            "raw": None,
            "placeholders": False,
            "grpc": False,
            "keep": [],
            "weight": 1,
            "expect": asdict(Expect(body=Like())),
        }
    ]
    assert (plan["http"], plan["keep_alive"], plan["threads"]) == ("1.1", True, 1)
    assert plan["timeouts"] == asdict(Timeouts())


@pytest.mark.parametrize("sign", ["±", "+-", "+/-", " ± "])
def test_a_percentile_s_precision_may_end_a_run_of_at_most_a_minute(sign: str) -> None:
    stop = planned(until=f"p99.9{sign}2.5%")["stop"]
    assert stop["until"] == {"quantile": 0.999, "within": 0.025}
    assert stop["duration_s"] == 60.0
    assert planned(until="p50±1%", duration="20s")["stop"]["duration_s"] == 20.0


@pytest.mark.parametrize("text", ["p99", "p99±0%", "p99±100%", "p98±2%", "p99±2", "99±2%"])
def test_a_precision_that_cannot_be_parsed_says_what_was_expected(text: str) -> None:
    with pytest.raises(UsageError, match=f"`--until {text}`: expected"):
        planned(until=text)


def test_a_rate_is_an_open_load_on_a_pool_of_at_most_100_connections() -> None:
    load = planned(rate="5k", arrivals="exponential")["load"]
    arrivals = Arrivals.steady(5000.0, "exponential")
    assert load == {
        "kind": "requests",
        "arrivals": asdict(arrivals),
        "connections": 100,
    }


def test_sessions_have_calls_and_no_bound_on_connections_unless_given() -> None:
    load = planned(sessions="100", calls="10")["load"]
    assert (load["kind"], load["calls"], load["max_open"]) == ("sessions", 10, None)
    assert planned(sessions="100", connections="7")["load"]["max_open"] == 7


@pytest.mark.parametrize(
    ("flags", "stop"),
    [
        ({"requests": "200_000"}, (200_000, None)),
        ({"duration": "2m"}, (None, 120.0)),
        ({"requests": "5", "duration": "1s"}, (5, 1.0)),
        ({"rate": "10x4s,20x6s"}, (None, 10.0)),
        ({"rate": "10:90/30s"}, (None, 30.0)),
        ({"rate": "10x4s,20"}, (None, 10.0)),
        ({"rate": "10x40s", "duration": "5s"}, (None, 5.0)),
    ],
)
def test_the_stop_is_what_was_given_or_the_rate_s_own_length_or_10_seconds(
    flags: dict[str, str], stop: tuple[int | None, float | None]
) -> None:
    got = planned(**flags)["stop"]
    assert (got["count"], got["duration_s"]) == stop


def test_a_request_takes_method_headers_body_and_expectations(tmp_path: Any) -> None:
    answer = tmp_path / "answer"
    answer.write_text("right")
    plan = planned(
        method="POST",
        header=["X-One: 1", "User-Agent: me", "Empty:"],
        body="a=1",
        also=["GET /pong x3", "DELETE /thing"],
        expect_status=["200", "201"],
        expect_body=f"@{answer}",
        check="1/10",
    )
    first, second, third = plan["requests"]
    headers = [["Accept", "*/*"], ["X-One", "1"], ["User-Agent", "me"], ["Empty", ""]]
    expected = Expect(status=[200, 201], body=File(file=str(answer)), check_one_in=10)
    assert first["headers"] == second["headers"] == headers
    assert first["body"] == {"text": "a=1"}
    assert second["body"] is None
    assert (second["method"], second["path"], second["weight"]) == ("GET", "/pong", 3)
    assert (third["method"], third["path"], third["weight"]) == ("DELETE", "/thing", 1)
    assert first["expect"] == third["expect"] == asdict(expected)


@pytest.mark.parametrize(
    ("flags", "body"),
    [({"expect_same": True}, {"same": True}), ({"expect_length": "0"}, {"length": 0})],
)
def test_an_answer_may_be_known_by_its_length_or_by_the_first(
    flags: dict[str, Any], body: dict[str, Any]
) -> None:
    assert planned(**flags)["requests"][0]["expect"]["body"] == body


def test_the_remaining_flags_reach_the_plan() -> None:
    plan = planned(
        http="1.0",
        no_keep_alive=True,
        calls_per_connection="3",
        think="250ms",
        timeout="2s",
        connect_timeout="1s",
        first_byte_timeout="500ms",
        warm_up="3s",
        drain="0",
        threads="2",
        cpus="0",
        driver="epoll",
        source=["127.0.0.2"],
        source_ports="20000-30000",
        unix="/run/x.sock",
        seed="0",
        spin=True,
    )
    assert (plan["http"], plan["keep_alive"], plan["calls_per_connection"]) == ("1.0", False, 3)
    assert plan["think_s"] == 0.25
    timeouts = Timeouts(connect_s=1.0, first_byte_s=0.5, reply_s=2.0)
    assert plan["timeouts"] == asdict(timeouts)
    assert (plan["warm_up_s"], plan["stop"]["drain_s"]) == (3.0, 0.0)
    assert (plan["threads"], plan["cpus"], plan["driver"]) == (2, [0], "epoll")
    assert plan["source"]["addresses"] == ["127.0.0.2"]
    assert plan["source"]["ports"] == [20000, 30000]
    assert (plan["target"]["unix"], plan["seed"], plan["spin"]) == ("/run/x.sock", 0, True)
    assert plan["kernel_timestamps"] is plan["low_latency"] is False
    assert planned(low_latency=True)["low_latency"] is True
    assert planned(kernel_timestamps=True)["kernel_timestamps"] is True


def test_https_speaks_tls_as_the_flags_say(tmp_path: Any) -> None:
    pem = str(tmp_path / "a.pem")
    (tmp_path / "a.pem").write_text("")
    plain = {"url": "https://h/", "sni": None}
    assert planned(**plain)["target"] == {
        "host": "h",
        "port": 443,
        "unix": None,
        "tls": {
            "ca": None,
            "insecure": False,
            "sni": None,
            "certificate": None,
            "key": None,
            "min_version": "1.2",
            "max_version": "1.3",
            "resume": True,
        },
    }
    given = plain | {"ca": pem, "sni": "x", "cert": pem, "key": pem, "no_resume": True}
    tls = planned(**given, tls_version="1.2")["target"]["tls"]
    assert (tls["ca"], tls["sni"], tls["certificate"], tls["key"]) == (pem, "x", pem, pem)
    assert (tls["min_version"], tls["max_version"], tls["resume"]) == ("1.2", "1.2", False)
    assert planned(**plain, insecure=True)["target"]["tls"]["insecure"] is True


def test_a_proxy_s_password_goes_to_the_engine_and_into_no_record() -> None:
    flags = LoadFlags(url=URL, proxy="http://user:a%40b@[::1]:3128")
    plan = plan_of(flags, Faults("help"))
    # base64 of `user:a@b`
    expected = {"host": "::1", "port": 3128, "authorization": "Basic dXNlcjphQGI="}
    assert json.loads(to_json(plan))["proxy"] == expected
    written = plan.without_secrets().proxy
    assert written is not None
    assert written.authorization == "***"
    assert planned(proxy="http://h")["proxy"] == {"host": "h", "port": 80, "authorization": None}


@pytest.mark.parametrize(
    ("flags", "sentence"),
    [
        ({"calls": "3"}, "`--calls` sets the length of a session"),
        ({"arrivals": "uniform"}, "`--arrivals` applies only to a rate"),
        ({"rate": "5", "think": "1s"}, "`--think` contradicts `--rate`"),
        ({"burst": "4", "no_keep_alive": True}, "`--burst` pipelines calls"),
        ({"kernel_timestamps": True, "driver": "io_uring"}, "expected `--driver epoll` or `auto`"),
        ({"kernel_timestamps": True, "unix": "/run/x.sock"}, "expected TCP, not `--unix`"),
        ({"expect_same": True, "expect_length": "3"}, "exclude each other"),
        ({"rate": "5", "arrivals": "poisson"}, "`--arrivals poisson`: expected `constant`"),
        ({"header": ["Bad\r\nX: 1"]}, "expected `NAME: VALUE`"),
        ({"header": ["X: a\nb"]}, "`--header X: ***`: expected no line break or control character"),
        ({"method": "G T"}, "expected a method such as"),
        ({"expect_status": ["20"]}, "expected a status of three digits"),
        ({"driver": "kqueue"}, "expected `auto` or `io_uring` or `epoll`"),
        ({"cpus": "0,4000-4001"}, "processor 4000 is not available"),
        ({"source": ["here"]}, "expected an address of this machine"),
        ({"ca": "a.pem"}, "`--ca` applies only to `https://` URLs"),
        ({"url": "https://h/", "key": "/etc/passwd"}, "`--cert` and `--key` need each other"),
        ({"url": "https://h/", "ca": "/etc/passwd", "insecure": True}, "exclude each other"),
        ({"url": "https://h/", "tls_version": "1.1"}, "expected `1.2` or `1.3`"),
        ({"proxy": "https://h"}, "expected a proxy such as"),
        ({"proxy": "http://h/path"}, "expected a proxy such as"),
        ({"proxy": "http://h", "unix": "/run/x.sock"}, "expected one way to the server"),
    ],
)
def test_a_fault_says_what_was_expected(flags: dict[str, Any], sentence: str) -> None:
    with pytest.raises(UsageError, match=r".") as fault:
        planned(**flags)
    assert sentence in fault.value.message


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("http://localhost", Address("localhost", 80, "/")),
        ("localhost", Address("localhost", 80, "/")),
        ("localhost:8080/a?b=c@d", Address("localhost", 8080, "/a?b=c@d")),
        ("[::1]:8080", Address("::1", 8080, "/")),
        ("http://bücher.example/", Address("xn--bcher-kva.example", 80, "/")),
        ("http://127.0.0.1:81/a/b?c=%20", Address("127.0.0.1", 81, "/a/b?c=%20")),
        ("HTTP://[::1]:8080?x=1", Address("::1", 8080, "/?x=1")),
        ("http://h/a#part", Address("h", 80, "/a")),
        ("https://h", Address("h", 443, "/", tls=True)),
        ("HTTPS://h:8443/a", Address("h", 8443, "/a", tls=True)),
    ],
)
def test_a_url_comes_apart(text: str, address: Address) -> None:
    assert parse_url(text) == address


@pytest.mark.parametrize(
    "text",
    [
        "http:localhost",
        "http://",
        "http://:80/",
        "http://h:x/",
        "http://h/a b",
        "http://u:p@h/",
        "ftp://h",
        "user:password@h",
        "http://a..b/",
        f"http://{'a' * 64}/",
        "http://h/\udcff",
    ],
)
def test_what_is_no_url_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="expected"):
        parse_url(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("http://localhost:99999/", "with a port from 1 to 65535 if any"),
        ("ftp://localhost/", "with http or https"),
    ],
)
def test_a_url_with_a_wrong_port_or_scheme_is_told_what_is_right(text: str, expected: str) -> None:
    with pytest.raises(ValueError, match=f"^expected a URL such as .*, {expected}$"):
        parse_url(text)


def test_an_ipv6_authority_has_its_brackets() -> None:
    assert parse_url("http://[::1]:8080/").authority == "[::1]:8080"
    assert parse_url("http://h/").authority == "h"
    assert parse_url("https://h/").authority == "h"
    assert parse_url("https://h:80/").authority == "h:80"


def test_rates_are_steady_stepped_and_ramped() -> None:
    segments = parse_segments("100x2s, 100:900/500ms ,900")
    got = [(s.from_per_s, s.to_per_s, s.seconds) for s in segments]
    assert got == [(100, 100, 2), (100, 900, 0.5), (900, 900, None)]
    assert total_seconds(segments) is None
    assert total_seconds(segments[:2]) == 2.5


@pytest.mark.parametrize(
    ("flags", "expected"),
    [
        ({"connections": "1,0"}, "`--connections 1,0`: expected a whole number, without commas"),
        ({"requests": "1.5"}, "`--requests 1.5`: expected a whole number, such as `1000` or `10k`"),
        ({"requests": "٣"}, "expected a whole number"),
        ({"connections": "0"}, "expected a whole number from 1 to 4194304"),
        ({"connections": "9" * 5000}, "expected a whole number from 1 to 4194304"),
        ({"sessions": "5", "calls": "4294967296"}, "expected a whole number from 1 to 4294967295"),
        ({"burst": "4294967295"}, "expected a whole number from 1 to 10000"),
        ({"threads": "1025"}, "expected a whole number from 1 to 1024"),
        ({"requests": "1000000000001"}, "expected a whole number from 1 to 1000000000000"),
        ({"seed": "9223372036854775808"}, "expected a whole number from 0 to 9223372036854775807"),
        ({"check": "1/0"}, "expected `all`, or a part such as `1/50`"),
        ({"rate": "1000000000"}, "expected a rate per second from 0 to 100,000,000"),
        ({"sessions": "1k:100001k/5s"}, "expected a rate per second from 0 to 100,000,000"),
        ({"rate": "5x1000000h"}, "expected a week (`168h`) at most"),
        ({"cpus": "0-99999999999"}, "expected processor numbers up to 8191"),
        ({"cpus": "9" * 5000}, "expected processor numbers, such as"),
        ({"connect_timeout": "99999999999999999999s"}, "expected a week (`168h`) at most"),
        ({"timeout": "1ns"}, "`--timeout 1ns`: expected a microsecond (`1us`) at least"),
        ({"duration": "9" * 400}, "expected a week (`168h`) at most"),
        ({"also": ["GET / x10001"]}, "expected at most x10000"),
    ],
)
def test_numbers_have_bounds_that_the_error_names(flags: dict[str, Any], expected: str) -> None:
    with pytest.raises(UsageError, match=r".") as fault:
        planned(**flags)
    assert expected in fault.value.message


def test_the_bounds_are_what_the_engine_accepts() -> None:
    most = {"connections": "4194304", "burst": "10_000", "threads": "1024", "check": "1/4294967295"}
    plan = planned(**most, seed="9223372036854775807", requests="1000000000000", duration="168h")
    assert plan["load"]["connections"] == 4_194_304
    assert (plan["burst"], plan["stop"]["duration_s"]) == (10_000, 604_800)


def test_a_body_is_posted_unless_a_method_is_given() -> None:
    assert planned()["requests"][0]["method"] == "GET"
    assert planned(body="a=1")["requests"][0]["method"] == "POST"
    assert planned(body="a=1", method="PUT")["requests"][0]["method"] == "PUT"
    assert planned(body="a=1", also=["GET /"])["requests"][1]["method"] == "GET"


def test_bytes_that_are_not_utf_8_are_sent_in_a_body_and_refused_elsewhere() -> None:
    # What Python makes of the byte FF in an argument.
    assert planned(body="\udcff")["requests"][0]["body"] == {"base64": "/w=="}
    for flag in ({"header": ["X: \udcff"]}, {"unix": "\udcff"}, {"body": "@\udcff"}):
        with pytest.raises(UsageError, match="UTF-8"):
            planned(**flag)


def test_what_is_written_down_has_no_credential_and_no_body() -> None:
    flags = LoadFlags(
        url="http://h/?token=s3cret",
        header=["Authorization: Bearer s3cret", "Accept: text/html"],
        body="s3cret",
    )
    plan = plan_of(flags, Faults("help"))
    assert "s3cret" in to_json(plan)
    written = plan.without_secrets()
    assert "s3cret" not in to_json(written)
    assert written.requests[0].path == "/?token=***"
    assert ("Authorization", "***") in written.requests[0].headers
    assert ("Accept", "text/html") in written.requests[0].headers
    assert written.requests[0].body == Digest.of(b"s3cret")
    # What was written can be read again.
    assert read_json(to_json(written)) == written


@pytest.mark.parametrize("text", ["", "0", "x", "-5", "100,200", "5:9", "100x", "100x0s", "1x2y"])
def test_what_is_no_rate_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="expected"):
        parse_segments(text)
