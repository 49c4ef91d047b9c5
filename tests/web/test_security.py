"""The page answers only whom it should, and tells browsers to trust nothing else."""

from __future__ import annotations

import json
import os
import re
import secrets
from pathlib import Path
from urllib.parse import urlsplit

import psutil
import pytest
from httpdyno.running.live.identity import Identity
from httpdyno.web import security
from httpdyno.web.listener import listen_at
from page_server import Served, served
from study_place import Place

PAGES = ("/", "/start", "/compare", "/history", "/servers")
FORM = {"content-type": "application/x-www-form-urlencoded"}
ACTIONS = (
    "/start/study",
    "/start/capacity",
    "/live/1-1/cancel",
    "/live/1-1/pause",
    "/runs/1/resume",
)


@pytest.mark.parametrize("path", [*PAGES, "/missing", "/runs/7", "/live/1-1", "/static/live.js"])
def test_each_answer_forbids_what_a_page_does_not_need(site: Served, path: str) -> None:
    headers = site.ask(path).headers
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe-inline" not in policy
    assert "unsafe-eval" not in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "same-origin"
    assert not [name for name in headers if name.startswith("access-control-")]
    assert "server" not in headers


@pytest.mark.parametrize("path", PAGES)
def test_each_page_is_without_anything_inline_or_from_elsewhere(site: Served, path: str) -> None:
    answer = site.ask(path)
    assert answer.status == 200
    assert not re.search(r"<style|\sstyle=|\son[a-z]+=|<script(?! src=)", answer.text)
    for link in re.findall(r'(?:href|src|action)="([^"]*)"', answer.text):
        assert link.startswith(("/", "#")), link


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:{port}",
        "127.0.0.1",
        "127.0.0.1:1",
        "127.0.0.1:{port}0",
        "",
        "localhost.evil.example:{port}",
        "127.0.0.1:{port}@evil.example",
        "[::1",
        "127.0.0.1:٣",
    ],
)
def test_a_name_of_another_site_is_refused(site: Served, host: str) -> None:
    given = host.format(port=urlsplit(site.link).port).encode("utf-8").decode("latin-1")
    assert site.ask("/", headers={"host": given}).status in (400, 421)


@pytest.mark.parametrize(
    "host", ["127.0.0.1:{port}", "localhost:{port}", "LOCALHOST:{port}", "[::1]:{port}"]
)
def test_names_of_this_machine_are_known(site: Served, host: str) -> None:
    given = host.format(port=urlsplit(site.link).port)
    assert site.ask("/", headers={"host": given}).status == 200


@pytest.mark.parametrize("path", ACTIONS)
def test_an_action_needs_post_and_the_secret_of_the_page(site: Served, path: str) -> None:
    assert site.ask(path).status in (404, 405)
    assert site.ask(path, "POST", FORM, "").status == 403
    assert site.ask(path, "POST", FORM, "secret=wrong").status == 403


@pytest.mark.parametrize(
    "origin",
    [
        "http://evil.example",
        "http://127.0.0.1:1",  # another program of this machine, whose cookies are the same site's
        "http://localhost:{port}",
        "https://127.0.0.1:{port}",
        "null",
        "",
    ],
)
def test_an_action_from_another_origin_is_refused_whatever_it_knows(
    site: Served, origin: str
) -> None:
    found = re.search(r'name="secret" value="([^"]+)"', site.ask("/start").text)
    assert found is not None
    given = origin.format(port=urlsplit(site.link).port)
    from_elsewhere = {**FORM, "origin": given}
    assert site.ask("/start/study", "POST", from_elsewhere, f"secret={found[1]}").status == 403
    own = {**FORM, "origin": site.url}
    assert site.ask("/start/study", "POST", own, f"secret={found[1]}").status == 400


@pytest.mark.parametrize("method", ["PUT", "DELETE", "OPTIONS", "PATCH"])
def test_other_methods_are_refused(site: Served, method: str) -> None:
    assert site.ask("/", method).status == 405


def test_a_large_form_is_refused(site: Served) -> None:
    assert site.ask("/start/study", "POST", FORM, "secret=" + "x" * 100_000).status == 413


@pytest.mark.parametrize(
    ("path", "fields"),
    [
        ("/start/study", {"study": "/etc/passwd"}),
        ("/start/study", {"study": "file: ../x.toml"}),
        ("/start/study", {"study": "built in: demo", "blocks": "-1"}),
        ("/start/study", {"study": "built in: demo", "blocks": "1; true"}),
        ("/start/capacity", {"arm": "--help", "limits": "p99<1ms"}),
        ("/start/capacity", {"arm": "nginx/1-worker", "limits": "--help"}),
        ("/start/capacity", {"arm": "nginx/1-worker", "limits": ""}),
    ],
)
def test_only_what_the_lists_offer_can_be_started(
    site: Served, path: str, fields: dict[str, str]
) -> None:
    answer = site.send(path, **fields)
    assert answer.status == 400
    assert 'role="alert"' in answer.text


@pytest.mark.parametrize(
    "path",
    [
        "/compare?a=1:x&b=2:y",
        "/compare?a=:&b=:",
        "/history?study=%00&arm=%ff",
        "/?text=%3Cscript%3E",
        "/runs/99999999999999999999",
        "/live/..%2f..",
        "/live/%00",
        "/static/..%2fapp.py",
        "/servers?language=x",
    ],
)
def test_no_address_ends_in_an_error_of_the_program(site: Served, path: str) -> None:
    answer = site.ask(path)
    assert answer.status in (200, 400, 404, 405)
    assert "a bug in httpdyno" not in answer.text
    assert "<script>" not in answer.text


def test_secrets_are_compared_in_constant_time(monkeypatch: pytest.MonkeyPatch) -> None:
    compared = []

    def compare(one: bytes, other: bytes) -> bool:
        compared.append((one, other))
        return one == other

    monkeypatch.setattr(secrets, "compare_digest", compare)
    with listen_at("127.0.0.1:0", with_token=True) as listening:
        access = security.Access(listening)
        assert listening.token is not None
        for given, right in ((listening.token, True), ("", False), ("é", False)):
            assert access.is_token(given) is right
        assert access.is_form_secret(access.form_secret)
        assert not access.is_form_secret("x")
    assert len(compared) == 5


def test_a_name_with_line_ends_is_one_line_of_the_stream(place: Place) -> None:
    evil = "a\r\n\r\nevent: end\ndata: true\n\n\u2028</script>"
    own = Identity.own()
    folder = place.home / "STATE" / "live" / own.key
    folder.mkdir(parents=True)
    told = {"kind": "begin", "title": evil, "command": evil, "verb": "run", "boot": own.boot}
    end = {"kind": "end", "outcome": "complete", "text": evil}
    lines = [json.dumps(one) for one in (told, {"kind": "note", "text": evil}, end)]
    (folder / "events.jsonl").write_text("\n".join(lines) + "\n")
    with served(place) as site:
        stream = site.ask(f"/live/{own.key}/events").text
    kinds = [line for line in stream.splitlines() if line]
    assert [line.partition(":")[0] for line in kinds] == [
        *("retry", "event", "data"),
        *("event", "data"),
    ]
    assert kinds[-1] == "data: false"


@pytest.mark.skipif(os.geteuid() != 0, reason="another user is needed: only root can be one")
def test_a_journal_of_another_user_is_not_read(place: Place) -> None:
    own = Identity.own()
    folder = place.home / "STATE" / "live" / own.key
    folder.mkdir(parents=True)
    file = folder / "events.jsonl"
    file.write_text(json.dumps({"kind": "begin", "title": "of another", "cwd": "/tmp"}) + "\n")
    with served(place) as site:
        assert "of another" in site.ask(f"/live/{own.key}").text
        os.chown(file, 12345, 12345)
        os.utime(file)
    with served(place) as site:
        for path in ("/", f"/live/{own.key}"):
            assert "of another" not in site.ask(path).text
        file.unlink()
        os.mkfifo(file)
        assert site.ask("/").status == 200


def test_every_page_needs_the_token(guarded: Served) -> None:
    for path in (*PAGES, "/static/live.js", "/live/1-1/events", "/runs/1/result.json"):
        assert guarded.ask(path).status == 403
    assert guarded.ask("/?token=wrong").status == 403
    assert guarded.ask("/start/study", "POST", FORM, "").status == 403


def test_the_printed_link_brings_a_cookie_that_scripts_and_other_sites_cannot_use(
    guarded: Served,
) -> None:
    parts = urlsplit(guarded.link)
    welcome = guarded.ask(f"{parts.path}?{parts.query}")
    assert welcome.status == 200
    assert welcome.headers["referrer-policy"] == "no-referrer"
    cookie = welcome.headers["set-cookie"]
    assert "httponly" in cookie.lower()
    assert "samesite=strict" in cookie.lower()
    token = parts.query.removeprefix("token=")
    assert token not in welcome.text
    given = {"cookie": cookie.partition(";")[0]}
    assert guarded.ask("/", headers=given).status == 200
    assert guarded.ask("/", headers={"cookie": f"{given['cookie']}x"}).status == 403


def test_the_cookie_of_the_page_is_found_among_those_of_other_programs(guarded: Served) -> None:
    parts = urlsplit(guarded.link)
    own = guarded.ask(f"{parts.path}?{parts.query}").headers["set-cookie"].partition(";")[0]
    for given in (f"a=1; {own}", f'{own};b="x;y"', f"odd; =; {own}  ; c=\\"):
        assert guarded.ask("/", headers={"cookie": given}).status == 200
    name, _, token = own.partition("=")
    for given in (f"x{own}", f"{name}", f"{name}=", f"a={token}", f"a={own}", f'{name}="{token}'):
        assert guarded.ask("/", headers={"cookie": given}).status == 403


@pytest.mark.parametrize(
    "value", ['"' + '\\"' * 30_000 + '"', '"' + '""' * 31_000, "\\" * 62_000, "a; " * 20_000]
)
def test_no_cookie_of_a_stranger_costs_the_page_time(guarded: Served, value: str) -> None:
    assert guarded.process is not None
    told = psutil.Process(guarded.process.pid)
    before = told.cpu_times()
    for _ in range(5):
        assert guarded.ask("/", headers={"cookie": f"a={value}"}).status == 403
    after = told.cpu_times()
    assert after.user - before.user < 1.0


def test_the_token_is_in_no_process_list_and_in_no_file(
    guarded: Served, tmp_path_factory: pytest.TempPathFactory
) -> None:
    token = urlsplit(guarded.link).query.removeprefix("token=").encode()
    assert guarded.process is not None
    told = psutil.Process(guarded.process.pid)
    assert token not in " ".join(told.cmdline()).encode()
    assert token.decode() not in told.environ().values()
    kept = [file for file in tmp_path_factory.getbasetemp().rglob("*") if file.is_file()]
    assert not [file for file in kept if token in _content(file)]


def test_an_address_that_others_can_reach_has_a_token_and_knows_addresses(place: Place) -> None:
    with served(place, "--listen", "0.0.0.0:0") as everywhere:
        port = urlsplit(everywhere.link).port
        assert "?token=" in everywhere.link
        here = Served(f"http://127.0.0.1:{port}/")
        assert here.ask("/").status == 403
        query = urlsplit(everywhere.link).query
        assert here.ask(f"/?{query}").status == 200
        assert here.ask(f"/?{query}", headers={"host": f"evil.example:{port}"}).status == 421


def test_an_address_in_use_is_said_in_a_sentence(place: Place, site: Served) -> None:
    done = place.call("serve", "--listen", site.address)
    assert done.returncode == 4
    assert f"`{site.address}`: cannot listen there" in done.stderr
    assert "127.0.0.1:0" in done.stderr


MOST_BYTES = 64 << 20
"""Another test may have made a file of many GiB without any content."""


def _content(file: Path) -> bytes:
    try:
        with file.open("rb") as opened:
            return opened.read(MOST_BYTES)
    except OSError:
        return b""
