"""Existing parsers of httperf's and ab's output read that of httpdyno.

`.ci/parsers` installs them into httpdyno's cache folder; without them, these tests are skipped.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import warnings
from collections.abc import Callable
from typing import Any

import pytest
from httpdyno.servers.folders import cache_folder

from .tools import Both, run_both

PARSERS = cache_folder() / "parsers"
HTTPERF = ["--server={host}", "--port={port}", "--num-conns=5", "--num-calls=4", "--rate=100"]
AB = ["-n", "40", "-c", "4", "http://{address}/"]
HTTPERFJS = "console.log(JSON.stringify(new (require('httperfjs/lib/parser'))(text)))"
AB_RESULT = "console.log(JSON.stringify(require('ab-result')(text)))"
Parser = Callable[[str], dict[str, Any]]


def httperfpy(text: str) -> dict[str, Any]:
    """The class `HttperfParser` of a module for Python 2; Python 3 cannot read the rest of it."""
    found = list(PARSERS.glob("httperfpy-*/httperfpy/httperfpy.py"))
    if not found:
        pytest.skip("`httperfpy` is not installed; run .ci/parsers")
    source = found[0].read_text(encoding="utf-8")
    names: dict[str, Any] = {"re": re}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of its regular expressions
        exec(source[source.index("class HttperfParser") :], names)
    result: dict[str, Any] = names["HttperfParser"].parse(text)
    return result


def in_node(package: str, script: str) -> Parser:
    """A parser of npm: `script` prints JSON of the output in `text`."""

    def parse(text: str) -> dict[str, Any]:
        node = shutil.which("node")
        if node is None or not (PARSERS / "node_modules" / package).is_dir():
            pytest.skip(f"`{package}` is not installed; run .ci/parsers")
        whole = f"const text = require('fs').readFileSync(0, 'utf8'); {script}"
        done = subprocess.run(
            [node, "-e", whole],
            cwd=PARSERS,
            input=text,
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
        )
        result: dict[str, Any] = json.loads(done.stdout)
        return result

    return parse


@pytest.fixture(scope="module")
def httperf(tmp_path_factory: pytest.TempPathFactory) -> Both:
    return run_both("httperf", HTTPERF, tmp_path_factory.mktemp("httperf"))


@pytest.fixture(scope="module")
def ab(tmp_path_factory: pytest.TempPathFactory) -> Both:
    return run_both("ab", AB, tmp_path_factory.mktemp("ab"))


@pytest.mark.parametrize(
    "parse", [httperfpy, in_node("httperfjs", HTTPERFJS)], ids=["httperfpy", "httperfjs"]
)
def test_a_parser_of_httperf_finds_the_same_fields(httperf: Both, parse: Parser) -> None:
    real, ours = parse(httperf.real.out), parse(httperf.ours.out)
    assert ours.keys() == real.keys()
    assert len(ours) > 40
    counts = [name for name in ours if name.startswith(("total_", "reply_status", "errors_"))]
    counts = [name for name in counts if name != "total_test_duration"]
    assert {name: ours[name] for name in counts} == {name: real[name] for name in counts}
    assert ours["total_replies"] == "20"
    assert ours["connection_length"] == "4.000"


def test_a_parser_of_ab_finds_the_same_fields(ab: Both) -> None:
    parse = in_node("ab-result", AB_RESULT)
    real, ours = parse(ab.real.out), parse(ab.ours.out)
    assert {name: part.keys() for name, part in ours.items()} == {
        name: part.keys() for name, part in real.items()
    }
    assert ours["document"] == real["document"] == {"path": "/", "length": 13}
    measured = ("timeTaken", "requestsPerSecond", "timePerRequest", "timePerRequestAll")
    for name in real["test"].keys() - {*measured, "transferRate"}:
        assert ours["test"][name] == real["test"][name]
    assert ours["time"].keys() == {"connect", "processing", "waiting", "total"}
