"""The first lines that a newcomer types work against the reference server, as printed."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.request import urlopen

import pytest
from httpdyno.cli.reference import served_pages
from write_reference import commands

ROOT = Path(__file__).parents[2]
PROGRAM = [sys.executable, "-m", "httpdyno"]
PAGES = ("README.md", "docs/quick-start.md", "docs/concepts/loads.md", "docs/concepts/times.md")
SHORTER = ("--duration", "0.3s")
BODIES = ("--body", "--data", "--json-body")


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT / "python"), "NO_COLOR": "1"}


@pytest.fixture(scope="module")
def greeting() -> Iterator[list[str]]:
    """The lines that `httpdyno reference` prints while it runs."""
    command = [*PROGRAM, "reference", "--listen", "127.0.0.1:0"]
    with subprocess.Popen(
        command, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as server:
        try:
            assert server.stdout is not None
            paths = {path for path, _type, _body in served_pages()} | {"/echo?value=x"}
            yield [server.stdout.readline().rstrip("\n") for _ in range(len(paths) + 2)]
        finally:
            server.terminate()


@pytest.fixture(scope="module")
def address(greeting: list[str]) -> str:
    return greeting[0].split()[2].rstrip("/")


def shown_urls() -> Iterator[tuple[str, str]]:
    """Each URL at port 8080 that `load` requests without a body, and where it is shown."""
    texts = {page: (ROOT / page).read_text("utf-8") for page in PAGES}
    helps = ("httpdyno", "httpdyno load")
    texts |= {path: context.command.help or "" for path, context in commands() if path in helps}
    for where, text in texts.items():
        for line in re.findall(r"httpdyno (?:sweep )?load [^`\n]*", text):
            if "-file" in line or any(flag in line for flag in BODIES):
                continue
            for url in re.findall(r"http://(?:localhost|127\.0\.0\.1):8080[^\s'\"]*", line):
                yield where, url


def test_every_page_shows_a_url_of_the_reference_server() -> None:
    assert {where for where, _ in shown_urls()} == {*PAGES, "httpdyno", "httpdyno load"}


@pytest.mark.parametrize(("where", "url"), sorted(set(shown_urls())))
def test_the_reference_server_answers_the_urls_of_the_examples(
    where: str, url: str, address: str
) -> None:
    path = url.partition(":8080")[2]
    with urlopen(address + path, timeout=10) as reply:
        assert reply.status == 200, where


def test_the_command_that_the_reference_server_prints_works(greeting: list[str]) -> None:
    hint, _, command = greeting[-1].partition(": httpdyno ")
    assert hint == "try"
    done = subprocess.run(
        [*PROGRAM, *shlex.split(command), *SHORTER],
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert ", none failed" in done.stdout.splitlines()[0]
