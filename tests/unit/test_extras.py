"""Hints about optional parts name commands that work: httpdyno is in no package index."""

from __future__ import annotations

import re
import shlex
import tomllib
from pathlib import Path

import pytest
from httpdyno.extras import install_command

ROOT = Path(__file__).parents[2]
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]


@pytest.mark.parametrize("extra", EXTRAS)
def test_the_command_installs_the_packages_of_the_extra(extra: str) -> None:
    _, *rest = shlex.split(install_command(extra))
    assert rest == ["-m", "pip", "install", *EXTRAS[extra]]


@pytest.mark.parametrize(
    ("guide", "extra"), [("many-machines", "scale"), ("team-store", "postgres")]
)
def test_a_guide_has_the_same_command(guide: str, extra: str) -> None:
    command = install_command(extra).partition(" ")[2]
    assert f"\n.venv/bin/python {command}\n" in (ROOT / f"docs/guides/{guide}.md").read_text()


def test_no_command_installs_httpdyno_by_its_name() -> None:
    files = [*(ROOT / "python").rglob("*.py"), *(ROOT / "docs").rglob("*.md")]
    named = re.compile(r"pip install[^\n]*httpdyno\[")
    assert not [file for file in files if named.search(file.read_text(encoding="utf-8"))]
