"""Hints about optional parts name commands that work where httpdyno is installed."""

from __future__ import annotations

import re
import shlex
import sys
import tomllib
from pathlib import Path

import pytest
from httpdyno import extras
from httpdyno.extras import install_command

ROOT = Path(__file__).parents[2]
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]


@pytest.mark.parametrize("extra", EXTRAS)
def test_the_command_installs_the_packages_of_the_extra(extra: str) -> None:
    _, *rest = shlex.split(install_command(extra))
    assert rest == ["-m", "pip", "install", *EXTRAS[extra]]


def test_an_environment_of_uv_has_no_pip_and_is_filled_by_uv(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "pyvenv.cfg").write_text("home = /usr/bin\nuv = 0.9.2\n")
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    words = shlex.split(install_command("scale"))
    assert words == ["uv", "pip", "install", "--python", sys.executable, *EXTRAS["scale"]]


def test_without_pip_the_command_installs_httpdyno_elsewhere(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(extras, "find_spec", lambda _name: None)
    assert install_command("scale") == "uv tool install 'httpdyno[scale]'"


@pytest.mark.parametrize(
    ("guide", "extra"),
    [("many-machines", "scale"), ("team-store", "postgres"), ("grpc", "grpc")],
)
def test_a_guide_has_the_same_command(guide: str, extra: str) -> None:
    command = install_command(extra).partition(" ")[2]
    assert f"\n.venv/bin/python {command}\n" in (ROOT / f"docs/guides/{guide}.md").read_text()


def test_no_command_installs_httpdyno_by_its_name() -> None:
    files = [*(ROOT / "python").rglob("*.py"), *(ROOT / "docs").rglob("*.md")]
    named = re.compile(r"pip install[^\n]*httpdyno\[")
    assert not [file for file in files if named.search(file.read_text(encoding="utf-8"))]
