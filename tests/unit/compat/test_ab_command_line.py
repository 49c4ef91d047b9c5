"""The command line of ab, and the bytes of the requests that it stands for."""

from __future__ import annotations

from pathlib import Path

import pytest
from httpdyno.compat.ab.command_line import parse
from httpdyno.compat.ab.options import Options
from httpdyno.compat.ab.plan import head, plan_of
from httpdyno.engine_plan import to_json


def options_of(*words: str) -> Options:
    faults: list[str] = []
    read = parse(list(words), faults.append)
    assert not faults
    assert read is not None
    return read


def test_a_time_limit_stands_for_50000_requests_unless_a_number_follows() -> None:
    assert options_of("h/").requests == 1
    assert options_of("-t", "5", "h/").requests == 50_000
    assert options_of("-n", "7", "-t", "5", "h/").requests == 50_000
    assert options_of("-t", "5", "-n", "7", "h/").requests == 7


@pytest.mark.parametrize(
    ("text", "host", "port", "header"),
    [
        ("localhost/", "localhost", 80, "localhost"),
        ("http://localhost:80/", "localhost", 80, "localhost"),
        ("http://localhost:8080/a", "localhost", 8080, "localhost:8080"),
        ("https://example.org/", "example.org", 443, "example.org"),
        ("https://[::1]:8443/x?y", "::1", 8443, "[::1]:8443"),
    ],
)
def test_a_url_has_the_port_of_its_scheme(text: str, host: str, port: int, header: str) -> None:
    url = options_of(text).url
    assert (url.host, url.port, url.host_header) == (host, port, header)


def test_the_headers_are_in_abs_order(tmp_path: Path) -> None:
    (tmp_path / "body").write_bytes(b"12345")
    body = str(tmp_path / "body")
    words = ["-H", "X: 1", "-A", "a:b", "-C", "c=d", "-k", "-p", body, "-T", "t/x", "http://h/p"]
    names = [line.partition(":")[0] for line in head(options_of(*words)).split("\r\n")]
    assert names[0] == "POST /p HTTP/1.0"
    assert names[1:7] == [
        "Connection",
        "Cookie",
        "Authorization",
        "Content-length",
        "Content-type",
        "X",
    ]
    assert names[7:] == ["Host", "User-Agent", "Accept", "", ""]


def test_progress_is_shown_by_the_tenth_and_not_in_short_tests() -> None:
    beats = {n: options_of("-n", str(n), "h/").heartbeat for n in (1, 150, 151, 1000, 50_000)}
    assert beats == {1: 0, 150: 0, 151: 100, 1000: 100, 50_000: 5000}
    assert options_of("-q", "-n", "1000", "h/").heartbeat == 0


@pytest.mark.parametrize(
    ("words", "name"),
    [
        (["https://example.org/"], "example.org"),
        (["https://127.0.0.1/"], None),
        (["https://[::1]/"], None),
        (["-I", "https://example.org/"], None),
        (["-H", "Host: other.org:8443", "https://127.0.0.1/"], "other.org"),
        (["http://example.org/"], None),
    ],
)
def test_tls_names_the_server_by_its_host_header(words: list[str], name: str | None) -> None:
    assert options_of(*words).server_name == name


def test_a_proxy_gets_the_whole_url_and_a_tunnel_its_own_credentials() -> None:
    words = ["-X", "proxy:3128", "-P", "p:q"]
    plain = options_of(*words, "http://example.org/a")
    assert head(plain).startswith("GET http://example.org/a HTTP/1.0\r\nProxy-Authorization: ")
    assert plan_of(plain, "10.0.0.1").target.port == 3128
    tunnelled = options_of(*words, "https://example.org/a")
    assert head(tunnelled).startswith("GET /a HTTP/1.0\r\nHost: ")
    plan = plan_of(tunnelled, "10.0.0.1")
    assert plan.proxy is not None
    assert (plan.proxy.host, plan.target.host) == ("10.0.0.1", "example.org")
    assert plan.proxy.authorization is not None


def test_a_record_of_the_plan_has_no_secret() -> None:
    options = options_of("-A", "user:secret", "-C", "id=secret", "http://h/")
    plan = plan_of(options, "127.0.0.1")
    assert "raw" in to_json(plan)
    record = to_json(plan.without_secrets())
    raw = plan.requests[0].raw
    assert raw is not None
    assert to_json(raw) not in record
