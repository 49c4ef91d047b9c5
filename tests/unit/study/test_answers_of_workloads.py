"""Answers of workloads may have values that their requests send; another name is a fault."""

from __future__ import annotations

from pathlib import Path

import pytest
from httpdyno.errors import UsageError
from httpdyno.run import read_study
from httpdyno.running.own import context_of, workload_named
from httpdyno.servers import load_catalogue

ARM = '[[arms]]\nname = "mine"\nurl = "http://127.0.0.1:3000"\n'
LOAD = '[loads.one]\nkind = "closed"\nduration = 1\n'
ITEM = "/items/{id=random:1:9}"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "users.csv").write_text("id,email\n7,ann@x\n8,bob@x\n")
    return tmp_path


def study(folder: Path, path: str, example: str) -> Path:
    file = folder / "own.toml"
    file.write_text(
        f'title = "Own"\n{ARM}[workloads.shop]\ndata = ["users.csv"]\n'
        f'[[workloads.shop.requests]]\npath = "{path}"\n'
        f"expect = {{ json = '''{example}''' }}\n{LOAD}"
    )
    return file


@pytest.mark.parametrize(
    ("path", "example"),
    [
        (ITEM, '{"id": "{id}", "url": "/items/{id}"}'),
        ("/{users.id}", '{"id": "{users.id}", "mail": "{users.email}"}'),
        ("/{who=users.id}", '["{who}"]'),
    ],
)
def test_an_answer_has_values_that_its_request_sends(folder: Path, path: str, example: str) -> None:
    found = read_study(study(folder, path, example), load_catalogue())
    (exchange,) = context_of(found, "keys").workloads["shop"].measured
    assert (exchange.right, exchange.answer.decode()) == ("json", example)
    assert exchange.varies


@pytest.mark.parametrize(
    ("path", "name"), [(ITEM, "item"), ("/", "users.id"), ("/{users.id}", "id")]
)
def test_another_name_is_a_fault_of_its_line(folder: Path, path: str, name: str) -> None:
    file = study(folder, path, f'{{"id": "{{{name}}}"}}')
    with pytest.raises(UsageError) as caught:
        read_study(file, load_catalogue())
    assert f"{file}:9: `json`: in the example, /id: `{{{name}}}` is no" in caught.value.message


def test_a_call_of_a_session_may_expect_what_another_kept(folder: Path) -> None:
    file = folder / "shop.toml"
    text = (
        'session = true\ndata = ["users.csv"]\n'
        '[[requests]]\npath = "/login/{users.id}"\nkeep = { token = { json = "/token" } }\n'
        """expect = { json = '{"token": "FIRST", "id": "{users.id}"}' }\n"""
        """[[requests]]\npath = "/me"\nexpect = { json = '["{token}", "{users.email}"]' }\n"""
    )
    file.write_text(text.replace("FIRST", "{string}"))
    assert workload_named(str(file)).session
    # The token of this very reply is none that was sent.
    file.write_text(text.replace("FIRST", "{token}"))
    with pytest.raises(UsageError, match=r"shop\.toml:6: .*`\{token\}` is no wildcard"):
        workload_named(str(file))
