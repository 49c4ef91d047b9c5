"""The page of environment variables names each variable and its default folder."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "reference" / "environment.md").read_text(encoding="utf-8")
SOURCES = ROOT / "python" / "httpdyno"
VARIABLE = re.compile(r"\bHTTPDYNO_[A-Z_]*[A-Z]\b")
INTERNAL = {"HTTPDYNO_SERVER", "HTTPDYNO_INPUT_START"}
"""Set by httpdyno on each server, to find it again, and by the action for its own step."""
SHOW = """
from httpdyno.servers.folders import cache_folder, state_folder
from httpdyno.store.place import data_folder
print(data_folder(), state_folder(), cache_folder(), sep="\\n")
"""
NAMES = ("HTTPDYNO_DATA", "HTTPDYNO_STATE", "HTTPDYNO_CACHE")


def folders(**variables: str) -> list[str]:
    """The folders of data, state and cache in this environment alone."""
    plain = {"PYTHONPATH": os.pathsep.join(sys.path), "HOME": "/home/me", **variables}
    done = subprocess.run(
        [sys.executable, "-c", SHOW], env=plain, capture_output=True, text=True, check=True
    )
    return done.stdout.splitlines()


def test_every_variable_that_the_program_reads_is_on_the_page() -> None:
    texts = [file.read_text(encoding="utf-8") for file in SOURCES.rglob("*.py")]
    read = {name for text in texts for name in VARIABLE.findall(text)}
    assert read - INTERNAL == set(VARIABLE.findall(PAGE))


def test_the_defaults_on_the_page_are_those_of_the_program() -> None:
    rows = dict(re.findall(r"^\| `(\w+)` \|.*\| `([^`]+)` \|$", PAGE, re.MULTILINE))
    assert [rows[name].replace("~", "/home/me") for name in NAMES] == folders()


@pytest.mark.parametrize("index", range(3))
def test_a_variable_moves_its_folder_and_no_other(index: int) -> None:
    moved = folders(**{NAMES[index]: "/srv/other"})
    assert [*moved[:index], *moved[index + 1 :]] == [
        one for at, one in enumerate(folders()) if at != index
    ]
    assert moved[index] == "/srv/other"


def test_the_readme_links_the_page() -> None:
    assert "(docs/reference/environment.md)" in (ROOT / "README.md").read_text(encoding="utf-8")
