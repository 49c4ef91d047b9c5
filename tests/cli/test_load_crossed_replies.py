"""A reply that belongs to another request is a wrong body, although it is right by its form."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

import pytest

from .conftest import Program

Fault = Literal["cached", "stale", "crossed"]
SHOP = Path(__file__).parents[1] / "shared" / "shop.py"
ITEMS = 40
EXAMPLE = {"name": "{string}", "price": "{number:0:10000}", "tags": ["{each:1:}", "{string}"]}


@contextmanager
def shop(fault: Fault | None) -> Iterator[str]:
    """A shop with this fault, as a program of its own."""
    words = [] if fault is None else ["--fault", fault]
    program = [sys.executable, str(SHOP), "0", *words]
    with subprocess.Popen(program, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            yield f"http://127.0.0.1:{process.stdout.readline().split()[1]}"
        finally:
            process.kill()


def _workload(file: Path) -> None:
    """A request for each of some items, and the reply that it expects: the item with its id."""
    for number in range(1, ITEMS + 1):
        example = json.dumps({"id": number, **EXAMPLE})
        with file.open("a") as toml:
            toml.write(
                f"[[requests]]\npath = '/items/{number}'\nexpect = {{ json = '''{example}''' }}\n"
            )


@pytest.mark.parametrize("fault", [None, "cached", "stale", "crossed"])
def test_a_reply_to_another_request_is_a_wrong_body(
    called: Program, tmp_path: Path, fault: Fault | None
) -> None:
    _workload(tmp_path / "items.toml")
    with shop(fault) as url:
        flags = ("--workload", "./items.toml", "-n", "800", "-c", "8", "--json", "out.json")
        run = called("load", url, *flags)
    _assert_wrong(tmp_path / "out.json", fault)
    if fault:
        shown = " ".join(run.stdout.split())
        assert "that is not like the JSON example: /id: expected " in shown


def _assert_wrong(file: Path, fault: Fault | None) -> None:
    """All replies were checked, and those with the fault are wrong."""
    m = json.loads(file.read_text())["measurement"]
    calls, replies = m["calls"], m["replies"]
    assert calls["ok"] + calls["wrong_body"] == replies["checked"] == 800
    # Now and then a crossed reply is the one that was due.
    least, most = {None: (0, 0), "cached": (700, 799), "stale": (700, 800), "crossed": (4, 9)}[
        fault
    ]
    assert least <= calls["wrong_body"] == replies["wrong"] <= most, fault


REFERS = {"id": "{id}", "name": "item {id}", "price": "{number}", "tags": "{array}"}


@pytest.mark.parametrize("fault", [None, "cached", "stale", "crossed"])
@pytest.mark.parametrize("path", ["/items/{id=random:1:10000}", "/items/{rows.id}"])
def test_an_answer_may_refer_to_what_its_request_sent(
    called: Program, tmp_path: Path, fault: Fault | None, path: str
) -> None:
    name = "id" if "id=" in path else "rows.id"
    example = json.dumps(REFERS).replace("{id}", f"{{{name}}}")
    (tmp_path / "rows.csv").write_text("id\n" + "\n".join(map(str, range(2, 9_002, 3))))
    values = ("--values", "rows.csv:random") if name == "rows.id" else ()
    with shop(fault) as url:
        flags = ("-n", "800", "-c", "8", "--threads", "2", "--json", "out.json")
        run = called("load", f"{url}{path}", *values, "--expect", f"json:{example}", *flags)
    _assert_wrong(tmp_path / "out.json", fault)
    if fault:
        shown = " ".join(run.stdout.split())
        value = '/id: expected "{rows.id}", as it was sent, found' if values else "/id: expected "
        assert f"that is not like the JSON example: {value}" in shown
        assert "as it was sent" in shown


def test_a_sample_finds_stale_replies_too(called: Program, tmp_path: Path) -> None:
    with shop("stale") as url:
        flags = ("-n", "800", "-c", "8", "--check", "1/10", "--json", "out.json")
        example = f"json:{json.dumps(REFERS)}"
        called("load", f"{url}/items/{{id=random:1:10000}}", "--expect", example, *flags)
    m = json.loads((tmp_path / "out.json").read_text())["measurement"]
    assert m["replies"]["checked"] == 80
    assert 70 <= m["calls"]["wrong_body"] == m["replies"]["wrong"] <= 80


def test_a_name_that_is_not_sent_is_an_error_of_its_flag(called: Program, tmp_path: Path) -> None:
    url, example = "http://127.0.0.1:1/items", 'json:{"id": "{number_of_item}"}'
    (tmp_path / "urls.txt").write_text(f"{url}/1\n{url}/{{id=uuid}}\n")
    for flags in ((f"{url}/{{id=random:1:9}}",), ("--urls", "urls.txt")):
        run = called("load", *flags, "--expect", example)
        assert run.returncode == 2
        shown = " ".join(run.stderr.split())
        assert f"`--expect {example}`: in the example, /id: `{{number_of_item}}` is no" in shown
        assert shown.count("no wildcard") == 1
