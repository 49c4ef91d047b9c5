"""Credentials in what is written down: recognised by name, masked whole."""

from __future__ import annotations

import pytest
from httpdyno.output.secrets import (
    is_secret,
    is_shown,
    masked_command,
    masked_header,
    masked_headers,
    masked_line,
    masked_mistyped,
    masked_proxy,
    masked_text,
    masked_url,
)


@pytest.mark.parametrize(
    "name",
    [
        "Authorization",
        "proxy-authorization",
        "Cookie",
        "Set-Cookie",
        "X-Api-Key",
        "api_key",
        "X-Auth",
        "X-Auth-Token",
        "X-CSRF-Token",
        "X-Amz-Security-Token",
        "access_token",
        "client_secret",
        "password",
        "sessionid",
    ],
)
def test_names_that_usually_carry_a_credential_are_secret(name: str) -> None:
    assert is_secret(name)
    assert not is_shown(name)


@pytest.mark.parametrize(
    "name",
    [
        "Accept",
        "User-Agent",
        "Host",
        "Content-Type",
        "X-Author",
        "Cache-Control",
        "key",
        "X-Request-Id",
    ],
)
def test_other_names_are_not(name: str) -> None:
    assert not is_secret(name)


def test_headers_keep_their_names() -> None:
    given = [("Accept", "*/*"), ("Cookie", "a=s3cret"), ("authorization", "Bearer s3cret")]
    masked = [("Accept", "*/*"), ("Cookie", "***"), ("authorization", "***")]
    assert masked_headers(given) == masked


@pytest.mark.parametrize("name", ["X-Vault", "X-Request-Id", "Tenant", "X-Forwarded-For"])
def test_the_value_of_an_unknown_header_is_masked(name: str) -> None:
    assert masked_headers([(name, "s3cret")]) == [(name, "***")]
    assert masked_header(f"{name}: s3cret") == f"{name}: ***"
    assert masked_command(["-H", f"{name}: s3cret"]) == ["-H", f"{name}: ***"]
    assert masked_command([f"--header={name}: s3cret"]) == [f"--header={name}: ***"]
    assert masked_command([f"-qH{name}: s3cret"]) == [f"-qH{name}: ***"]
    assert masked_command([f"--add-header=Accept: a\\n{name}: s3cret\\n"]) == [
        f"--add-header=Accept: a\\n{name}: ***\\n"
    ]


def test_known_headers_are_shown_without_the_credentials_in_their_urls() -> None:
    names = ["Content-Type", "accept", "User-Agent", "Host", "Connection", "Accept-Encoding"]
    given = [(name, "text/html; a=b") for name in [*names, "Cache-Control", "Server", "Date"]]
    assert masked_headers(given) == given
    assert masked_headers([("Location", "http://me:s3cret@h/?token=s3cret")]) == [
        ("Location", "http://***@h/?token=***")
    ]


def test_words_that_are_no_headers_stay_as_they_are() -> None:
    words = ["GET /things x3", "p99>20ms", "http://h:80/a b", "-H", "@headers.txt", "a: b"]
    assert masked_command(words) == words


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("Authorization: Bearer s3cret", "Authorization: ***"),
        ("Authorization Bearer s3cret", "Authorization ***"),
        ("Cookie:s3cret\nmore", "Cookie:***"),
        ("Accept: text/html", "Accept: text/html"),
        ("Authorization", "Authorization"),
    ],
)
def test_a_header_as_it_is_typed(text: str, masked: str) -> None:
    assert masked_header(text) == masked


@pytest.mark.parametrize(
    ("url", "masked"),
    [
        ("http://user:s3@cret@host:80/a@b?c=d@e", "http://***@host:80/a@b?c=d@e"),
        ("user:s3@cret@host/", "***@host/"),
        ("http://user@host/", "http://***@host/"),
        ("results@home.json", "results@home.json"),
        ("http://h/?token=s3cret&a=1&api_key=s3cret#x", "http://h/?token=***&a=1&api_key=***#x"),
        ("http://h/?a=b@c", "http://h/?a=b@c"),
    ],
)
def test_a_url_keeps_host_path_and_harmless_parameters(url: str, masked: str) -> None:
    assert masked_url(url) == masked


@pytest.mark.parametrize(
    ("proxy", "masked"),
    [
        ("http://user:s3@cret@host", "http://***@host"),
        ("http://user:s3/cret?@host:3128", "http://***@host:3128"),
        ("user:s3cret@host:3128", "***@host:3128"),
        ("http://host:3128", "http://host:3128"),
    ],
)
def test_a_proxy_loses_all_before_its_last_at_sign(proxy: str, masked: str) -> None:
    assert masked_proxy(proxy) == masked


def test_a_command_line_is_masked_wherever_a_credential_may_stand() -> None:
    words = ["load", "http://h/?token=s3cret", "-H", "Cookie: s3cret", "--header=Cookie: s3cret"]
    words += ["--proxy", "http://a:s3/c@h", "--proxy=a:s3cret@h", "--body", "s3cret"]
    words += ["--body=s3=cret", "--body", "@file", "--json", "o.json", "-c", "10"]
    assert masked_command(words) == [
        *["load", "http://h/?token=***", "-H", "Cookie: ***", "--header=Cookie: ***"],
        *["--proxy", "http://***@h", "--proxy=***@h", "--body", "***"],
        *["--body=***", "--body", "@file", "--json", "o.json", "-c", "10"],
    ]


def test_an_address_without_a_scheme_has_its_credentials_masked_whatever_the_flag() -> None:
    words = ["--source", "me:s3cret@h", "--source=me:s3cret@h", "--source", "::1"]
    assert masked_command(words) == ["--source", "***@h", "--source=***@h", "--source", "::1"]


@pytest.mark.parametrize(
    "package", ["npm:serve@14", "npm:@scope/serve@14.2.1", "jsr:@std/http@^1", "npm:serve@~1.2"]
)
def test_a_package_with_its_version_is_no_user_with_a_password(package: str) -> None:
    assert masked_command(["--build", package]) == ["--build", package]
    text = f"`cmd:deno run -A {package}` has no {{port}}"
    assert masked_mistyped(text) == text


def test_the_password_of_a_user_called_npm_is_masked() -> None:
    for address in ("npm:s3cret@host", "npm:s3cret@10.0.0.1", "npm:s3cret@14:80", "npm:s3@1/x"):
        assert "s3" not in masked_command([address])[0]
        assert "s3" not in masked_mistyped(f"`{address}`: expected a URL")


def test_a_text_loses_the_credentials_of_its_urls_and_paths() -> None:
    text = "`http://user:s3@cret@h/?a=1` and GET /x?token=s3cret: status 404, see a@b"
    assert masked_text(text) == "`http://***@h/?a=1` and GET /x?token=***: status 404, see a@b"


@pytest.mark.parametrize(
    ("line", "masked"),
    [
        ("./app --port {port} --password=s3cret -v", "./app --port {port} --password=*** -v"),
        ("./app --db-password s3cret --auth -v", "./app --db-password *** --auth -v"),
        ("./app --api-token='s3 cret' --x=1", "./app --api-token=*** --x=1"),
        ("env API_TOKEN=s3cret MODE=a ./app", "env API_TOKEN=*** MODE=a ./app"),
        ("sh -c 'DB_PASSWORD=s3cret ./app'", "sh -c 'DB_PASSWORD=*** ./app'"),
        ("./app --db redis://:s3cret@h/0", "./app --db redis://***@h/0"),
        ("./app --password=${PW} --token && x", "./app --password=${PW} --token && x"),
        ("./app --port=80 --mode fast", "./app --port=80 --mode fast"),
    ],
)
def test_a_command_in_a_text_loses_the_values_of_credentials(line: str, masked: str) -> None:
    assert masked_line(line) == masked


def test_users_cookies_and_bodies_are_masked_in_each_spelling_of_their_flags() -> None:
    words = ["-u", "me:s3cret", "-ume:s3cret", "-qku", "me:s3cret", "--user=me:s3cret"]
    words += ["--user", "me", "--cookie", "id=s3=cret", "--cookie=id=s3cret", "--data", "s3cret"]
    words += ["--json-body", "@file", "--json-body={s3cret}", "--urls", "-", "-unix"]
    words += ["--expect-body", "s3cret", "--expect-body=@file", "-HCookie:s3cret\nmore"]
    words += ["--expect", "json:s3cret", "--expect=regex:s3cret", "--expect", "any"]
    words += ["--expect", "json:@file"]
    assert masked_command(words) == [
        *["-u", "me:***", "-ume:***", "-qku", "me:***", "--user=me:***"],
        *["--user", "me", "--cookie", "id=***", "--cookie=id=***", "--data", "***"],
        *["--json-body", "@file", "--json-body=***", "--urls", "-", "-unix"],
        *["--expect-body", "***", "--expect-body=@file", "-HCookie:***"],
        *["--expect", "json:***", "--expect=regex:***", "--expect", "any"],
        *["--expect", "json:@file"],
    ]


@pytest.mark.parametrize(
    ("url", "masked"),
    [
        ("postgresql://me@db/bench", "postgresql://me@db/bench"),
        ("postgres://me:s3cret@db/bench", "postgres://me:***@db/bench"),
        ("postgresql+psycopg://me:s3/cr?et@db", "postgresql+psycopg://me:***@db"),
        ("postgresql://me:s3@cret@db/bench", "postgresql://me:***@db/bench"),
        ("postgresql://:s3cret@db/bench", "postgresql://:***@db/bench"),
        (
            "postgresql://db/bench?user=me&password=s3cret",
            "postgresql://db/bench?user=me&password=***",
        ),
        ("postgresql:///bench?service=x", "postgresql:///bench?service=x"),
    ],
)
def test_of_the_url_of_a_database_only_the_password_is_masked(url: str, masked: str) -> None:
    assert masked_url(url) == masked
    assert masked_text(f"`{url}` and --store={url}") == f"`{masked}` and --store={masked}"


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("`--source http://me:s3/cr?et@h`: expected", "`--source http://***@h`: expected"),
        ("`mysql://me:s3 cr#et@h/` is no verb", "`mysql://***@h/` is no verb"),
        ("`postgres://me:s3/cr@et@db/bench`", "`postgres://me:***@db/bench`"),
        ("`postgres://me:s3 cret@db/bench`", "`postgres://***@db/bench`"),
        ("`http://h:80/a` and `b@c`", "`http://h:80/a` and `b@c`"),
        ("`http://h:80/a`: see a@b", "`http://h:80/a`: see a@b"),
        ("`--source me:s3cret@h`: expected", "`--source ***@h`: expected"),
        ("`--source=me:s3/cr@et @h`: expected", "`--source=***@h`: expected"),
        ("`--source 2001:db8::1`: see `a@b`", "`--source 2001:db8::1`: see `a@b`"),
        ("no command 'me:s3cr et@h'", "no command '***@h'"),
        ("unexpected arguments (me:s3cr et@h)", "unexpected arguments (***@h)"),
        ("httpdyno load me:12/s3cret@h", "httpdyno load ***@h"),
        ("`git:HEAD@{9}` and `me@h:22`", "`git:HEAD@{9}` and `me@h:22`"),
        ("`--header X: a@b`", "`--header X: a@b`"),
    ],
)
def test_a_mistyped_password_is_masked_up_to_the_end_of_the_quoted_value(
    text: str, masked: str
) -> None:
    assert masked_mistyped(text) == masked
