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
    m = json.loads((tmp_path / "out.json").read_text())["measurement"]
    calls, replies = m["calls"], m["replies"]
    assert calls["ok"] + calls["wrong_body"] == replies["checked"] == 800
    # Now and then a crossed reply is the one that was due.
    least, most = {None: (0, 0), "cached": (700, 799), "stale": (700, 800), "crossed": (4, 9)}[
        fault
    ]
    assert least <= calls["wrong_body"] == replies["wrong"] <= most, fault
    if fault:
        shown = " ".join(run.stdout.split())
        assert "that is not like the JSON example: /id: expected " in shown
