"""A study's own workloads: what the file says, its faults, and its secrets."""

from __future__ import annotations

from pathlib import Path

import pytest
from httpdyno.engine_plan import Base64, Html, Like, Text
from httpdyno.errors import EnvironmentFault, UsageError
from httpdyno.run import read_study
from httpdyno.running.documents import identity, study_document
from httpdyno.running.own import context_of
from httpdyno.servers import load_catalogue
from httpdyno.servers.check.requests import request
from httpdyno.study import Study
from httpdyno.workloads import WORKLOADS

ARM = '[[arms]]\nname = "mine"\nurl = "http://127.0.0.1:3000"\n'
LOAD = '[loads.one]\nkind = "closed"\nduration = 1\n'


def read(folder: Path, text: str) -> Study:
    file = folder / "own.toml"
    file.write_text(text, encoding="utf-8")
    return read_study(file, load_catalogue())


def faults(folder: Path, text: str) -> list[str]:
    with pytest.raises(UsageError) as caught:
        read(folder, text)
    return [line.replace(f"{folder}/", "") for line in caught.value.message.splitlines()]


def test_a_workload_says_what_its_requests_say(tmp_path: Path) -> None:
    (tmp_path / "order.json").write_bytes(b"\x00 order")
    (tmp_path / "about.html").write_text("<p>About")
    (tmp_path / "item.json").write_text('{"id": "{any}"}')
    study = read(
        tmp_path,
        f"""\
title = "Own"
{ARM}
[workloads.shop]
title = "A shop"
[[workloads.shop.requests]]
path = "/items?page=2"
headers = {{ Accept = "text/html" }}
weight = 9
expect = {{ status = 200, length = 12 }}
[[workloads.shop.requests]]
path = "/orders"
body_file = "order.json"
expect = {{ same = true }}
[[workloads.shop.requests]]
method = "PUT"
path = "/orders/1"
body = "grün"
expect = {{ status = 404, body = "no" }}
[[workloads.shop.requests]]
path = "/"
[[workloads.shop.requests]]
path = "/items/7"
expect = {{ json = '{{"id": "{{int}}"}}' }}
[[workloads.shop.requests]]
path = "/items/8"
expect = {{ json_file = "item.json" }}
[[workloads.shop.requests]]
path = "/page"
expect = {{ regex = "^<h1>", status = [200, 404], check = "1/50" }}
[[workloads.shop.requests]]
path = "/about"
expect = {{ html_file = "about.html" }}
{LOAD}""",
    )
    assert study.workload == "shop"
    shop = context_of(study).workloads["shop"]
    assert (shop.title, shop.own) == ("A shop", True)
    items, order, change, home, item, other, page, about = shop.measured
    assert (items.method, items.path, items.weight) == ("GET", "/items?page=2", 9)
    assert (items.headers, items.right, items.length) == ((("Accept", "text/html"),), "length", 12)
    assert (order.method, order.body, order.right, order.status) == (
        "POST",
        b"\x00 order",
        "same",
        None,
    )
    assert (change.method, change.body, change.answer) == ("PUT", "grün".encode(), b"no")
    assert (home.right, home.status, home.weight) == ("like", None, 1)
    assert (item.right, item.answer) == ("json", b'{"id": "{int}"}')
    assert (other.right, other.answer) == ("json", b'{"id": "{any}"}')
    assert (page.right, page.answer, page.check_one_in) == ("regex", b"^<h1>", 50)
    assert (about.right, about.answer) == ("html", b"<p>About")
    assert request(about).expect.body == Html(html="<p>About")
    assert item.check_one_in == 1
    assert [request(one).expect.status for one in (items, home, page)] == [[200], None, [200, 404]]
    assert Study.model_validate_json(study_document(study)) == study


NAMED = f"""\
title = "Own"
{ARM}
[[workloads.shop.requests]]
path = "/items?page=1"
weight = 3
[[workloads.shop.requests]]
name = "checkout"
path = "/orders"
[loads.most]
kind = "capacity"
limits = ["p99<50ms", "LIMIT"]
"""


def test_requests_of_one_name_are_an_endpoint_whose_limits_a_study_may_have(tmp_path: Path) -> None:
    study = read(tmp_path, NAMED.replace("LIMIT", "p99[checkout]<200ms"))
    shop = context_of(study).workloads["shop"]
    assert shop.shares == {"GET /items": 0.75, "checkout": 0.25}
    assert [request(one).endpoint for one in shop.measured] == list(shop.shares)


def test_a_limit_of_an_unknown_endpoint_lists_those_of_the_workload(tmp_path: Path) -> None:
    study = read(tmp_path, NAMED.replace("LIMIT", "p99[POST /orders]<200ms"))
    with pytest.raises(UsageError) as caught:
        context_of(study)
    assert caught.value.message == (
        "`p99[POST /orders]<200ms`: `POST /orders` is not an endpoint of this load: expected"
        " `GET /items`, `checkout`"
    )


def test_a_workload_may_be_a_file_beside_the_study_with_files_beside_it(tmp_path: Path) -> None:
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop" / "order.json").write_text("{}")
    (tmp_path / "shop" / "orders.toml").write_text(
        '[[requests]]\npath = "/orders"\nbody_file = "order.json"\n'
    )
    text = f'title = "Own"\nworkload = "./shop/orders.toml"\n{ARM}{LOAD}'
    study = read(tmp_path, text)
    assert study.workload == "orders"
    (order,) = context_of(study).workloads["orders"].measured
    assert order.body == b"{}"
    # Each arm may have its own.
    arm = ARM.replace('"mine"', '"other"') + 'workload = "hello"\n'
    assert [group.workload for group in read(tmp_path, text + arm).arms] == [None, "hello"]


def test_every_fault_of_a_workload_is_told_with_its_line(tmp_path: Path) -> None:
    told = faults(
        tmp_path,
        f"""\
title = "Own"
{ARM}workload = "shop"
[[arms]]
name = "two"
url = "http://127.0.0.1:3001"
workload = "./lost.toml"
[workloads.shop]
titel = "A shop"
[[workloads.shop.requests]]
path = "items"
method = "GET it"
weight = 0
[[workloads.shop.requests]]
path = "/"
body = "a"
body_file = "none.json"
headers = {{ "A B" = "c" }}
expect = {{ status = 99, length = 1, body = "x", sta = 1 }}
[workloads.hello]
requests = []
[workloads.spare]
requests = [{{ path = "/" }}]
{LOAD}""",
    )
    expected = {
        9: "`./lost.toml`: `lost.toml` cannot be read: No such file or directory",
        11: "`titel` is not a key of [workloads.shop]: did you mean `title`?",
        13: '`path` is `"items"`: expected a path such as "/items?page=2", in ASCII',
        14: '`method` is `"GET it"`: expected a method such as "GET" or "POST"',
        15: "`weight` is `0`: expected a whole number from 1 to 10,000",
        19: "`body_file` is `none.json`: expected a file that exists",
        20: '`A B` is `"A B"`: expected a table of headers, such as { Accept = "text/html" }',
        21: "`status` is `99`: expected a status from 200 to 599",
        22: "`hello` is a built-in workload: expected another name",
        23: "`requests` is `[]`: expected at least one request",
        24: "no arm has the workload `spare`: expected `workload` of the study or of an arm",
    }
    for line, text in expected.items():
        assert any(one.startswith(f"own.toml:{line}: {text}") for one in told), (line, told)
    assert any("`body` and `body_file` exclude each other" in one for one in told)
    assert any("`body` and `length` exclude each other" in one for one in told)
    assert any("`sta` is not a key of [[workloads.shop.requests]]" in one for one in told)


def test_the_faults_of_a_workloads_own_file_have_the_lines_of_that_file(tmp_path: Path) -> None:
    (tmp_path / "shop.toml").write_text('[[requests]]\npath = "/"\n\n[[requests]]\npaht = "/a"\n')
    told = faults(tmp_path, f'title = "Own"\nworkload = "shop.toml"\n{ARM}{LOAD}')
    assert told == [
        "own.toml:2: `shop.toml`: shop.toml:4: `path` is missing in [[workloads.shop.requests]]:"
        ' expected a path such as "/items?page=2", in ASCII and without spaces',
        "own.toml:2: `shop.toml`: shop.toml:5: `paht` is not a key of"
        " [[workloads.shop.requests]]: did you mean `path`?",
    ]


def test_weights_that_make_too_long_a_rotation_are_refused(tmp_path: Path) -> None:
    requests = "[{ path = '/a', weight = 9999 }, { path = '/b', weight = 10000 }]"
    told = faults(tmp_path, f'title = "Own"\n{ARM}[workloads.shop]\nrequests = {requests}\n{LOAD}')
    assert told == [
        "own.toml:6: the weights of `shop` add up to 19,999 after division by their greatest"
        " common divisor: expected at most 10,000"
    ]
    halved = requests.replace("9999", "5000")
    read(tmp_path, f'title = "Own"\n{ARM}[workloads.shop]\nrequests = {halved}\n{LOAD}')


SECRET = """\
title = "Own"
{arm}
[workloads.shop]
requests = [{{ path = "/?token=k3y", headers = {{ Authorization = "{value}", Accept = "*/*" }} }}]
{load}"""


def test_credentials_in_a_study_are_used_but_not_stored(tmp_path: Path) -> None:
    study = read(tmp_path, SECRET.format(arm=ARM, value="Bearer s3cret", load=LOAD))
    (request,) = context_of(study).workloads["shop"].measured
    assert request.headers[0] == ("Authorization", "Bearer s3cret")
    for stored in (study.text, study_document(study)):
        assert "s3cret" not in stored
        assert "***" in stored
    assert "k3y" not in study_document(study)
    assert Study.model_validate_json(study_document(study)).workloads["shop"].requests


UNKNOWN = """\
title = "Own"
{arm}
[[workloads.shop.requests]]
path    = "/"
headers = {{ "X-Vault" = 's3', X-Quoted = "s3\\"cret", Accept = "s3" }}
{load}"""


def test_headers_that_may_carry_a_credential_are_masked_behind_their_names(tmp_path: Path) -> None:
    study = read(tmp_path, UNKNOWN.format(arm=ARM, load=LOAD))
    (request,) = context_of(study).workloads["shop"].measured
    assert ("X-Quoted", 's3"cret') in request.headers
    assert """{ "X-Vault" = "***", X-Quoted = "***", Accept = "s3" }""" in study.text
    (stored,) = Study.model_validate_json(study_document(study)).workloads["shop"].requests
    assert stored.headers == {"X-Vault": "***", "X-Quoted": "***", "Accept": "s3"}


def test_variables_in_headers_are_filled_when_the_study_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = read(tmp_path, SECRET.format(arm=ARM, value="Bearer ${SHOP_KEY}", load=LOAD))
    monkeypatch.delenv("SHOP_KEY", raising=False)
    with pytest.raises(UsageError) as caught:
        context_of(study)
    assert caught.value.message == (
        "`${SHOP_KEY}` is not set: the header `Authorization` of the workload `shop` needs it"
    )
    monkeypatch.setenv("SHOP_KEY", "abc")
    (request,) = context_of(study).workloads["shop"].measured
    assert request.headers[0][1] == "Bearer abc"
    assert "${SHOP_KEY}" in study_document(study)
    monkeypatch.setenv("SHOP_KEY", "abc\r\nX: y")
    with pytest.raises(UsageError, match="control character"):
        context_of(study)


def test_a_body_whose_file_has_gone_is_this_machines_fault(tmp_path: Path) -> None:
    body = tmp_path / "body"
    body.write_text("x")
    text = f'title = "Own"\n{ARM}[workloads.w]\nrequests = [{{ path = "/", body_file = "body" }}]\n'
    study = read(tmp_path, text + LOAD)
    body.unlink()
    with pytest.raises(EnvironmentFault, match="cannot be read"):
        context_of(study)


def test_a_study_without_own_parts_is_found_again_by_the_digest_it_always_had() -> None:
    """A new key must not change the identity of studies that do not use it."""
    known = identity(read_study("demo", load_catalogue()))
    assert '"workloads"' not in known
    assert '"start"' not in known
    assert '"arms":[{"server":"' in known


def test_the_built_in_workloads_are_there_beside_a_studys_own(tmp_path: Path) -> None:
    study = read(tmp_path, SECRET.format(arm=ARM, value="x", load=LOAD))
    assert context_of(study).workloads.keys() == {*WORKLOADS, "shop"}


def test_the_name_of_a_workload_in_the_study_is_no_file_even_with_a_slash(tmp_path: Path) -> None:
    text = f'title = "Own"\nworkload = "GET /a"\n{ARM}[workloads."GET /a"]\n'
    study = read(tmp_path, f'{text}requests = [{{ path = "/a" }}]\n{LOAD}')
    assert study.workload == "GET /a"


def test_placeholders_make_replies_differ_and_secrets_are_no_placeholders(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOKEN", "a{uuid}")
    (tmp_path / "fixed.json").write_bytes(b"{uuid}")
    study = read(
        tmp_path,
        f"""\
title = "Own"
{ARM}
[[workloads.shop.requests]]
path = "/items/{{random:1:9}}"
headers = {{ Authorization = "Bearer ${{TOKEN}}" }}
[[workloads.shop.requests]]
path = "/{{uuid}}"
body_file = "fixed.json"
[[workloads.shop.requests]]
path = "/{{}}"
body = "{{now:s}}"
[[workloads.shop.requests]]
path = "/plain"
{LOAD}""",
    )
    item, file, body, plain = map(request, context_of(study).workloads["shop"].measured)
    assert dict(item.headers)["Authorization"] == "Bearer a{{uuid}}"
    assert [one.placeholders for one in (item, file, body, plain)] == [True, True, True, False]
    assert isinstance(file.body, Base64)
    assert body.body == Text(text="{now:s}")
    assert [one.expect.body for one in (item, file, body)] == [None] * 3
    assert plain.expect.body == Like()


def test_a_wrong_placeholder_has_its_line_and_column(tmp_path: Path) -> None:
    found = faults(
        tmp_path,
        f"""\
{ARM}
[[workloads.shop.requests]]
path = "/items/{{id}}"
headers = {{ Authorization = "Bearer {{s3cret}}" }}
body = "{{random}}"
{LOAD}""",
    )
    text = "\n".join(found)
    assert "own.toml:6: `path`: column 8: `{id}`: `id` is no placeholder" in text
    assert "column 8: expected a placeholder" in text
    assert "own.toml:8: `body`: column 1: " in text
    assert "s3cret" not in text
