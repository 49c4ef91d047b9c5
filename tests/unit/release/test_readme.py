"""The README that PyPI shows."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import httpdyno
import pytest
from release.readme import absolute

ROOT = Path(__file__).parents[3]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
REPOSITORY = "https://github.com/someone/something"
FILE = f"{REPOSITORY}/blob/v1"
RAW = "https://raw.githubusercontent.com/someone/something/v1"

CASES = [
    ("[a guide](docs/a.md)", f"[a guide]({FILE}/docs/a.md)", "a page"),
    ("[a part](docs/a.md#part)", f"[a part]({FILE}/docs/a.md#part)", "a part of a page"),
    ("[all](docs/)", f"[all]({REPOSITORY}/tree/v1/docs/)", "a folder"),
    ("![alt](p.png)", f"![alt]({RAW}/p.png)", "a picture"),
    ("[![a](p.png)](a.md)", f"[![a]({RAW}/p.png)]({FILE}/a.md)", "a picture that is a link"),
    ('<img alt="a" src="p.png">', f'<img alt="a" src="{RAW}/p.png">', "a picture as HTML"),
    (
        '<picture>\n<source srcset="dark.png">\n<img src="p.png">\n</picture>',
        f'<img src="{RAW}/p.png">',
        "the light one of two pictures",
    ),
    ("[guide]: docs/a.md", f"[guide]: {FILE}/docs/a.md", "a definition"),
    ("[there](https://a.example/b)", "[there](https://a.example/b)", "another site"),
    ("[here](#licence)", "[here](#licence)", "the same page"),
    ("[a](b) and [c](d)", f"[a]({FILE}/b) and [c]({FILE}/d)", "two links of a line"),
]


@pytest.mark.parametrize(("text", "expected", "kind"), CASES, ids=[case[2] for case in CASES])
def test_a_link_leads_to_the_released_version(text: str, expected: str, kind: str) -> None:
    assert absolute(text, REPOSITORY, "v1", {"docs"}) == expected


def test_the_readme_of_this_project_has_no_relative_address() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    written = absolute(text, PROJECT["urls"]["Repository"], "v1", {"docs/decisions"})
    addresses = re.findall(r"\]\(([^)\s]+)\)", written) + re.findall(r'src="([^"]+)"', written)
    assert len(addresses) > 20
    assert [address for address in addresses if not address.startswith(("https://", "#"))] == []
    assert "srcset" not in written


def test_the_addresses_of_the_project_are_of_one_repository() -> None:
    repository = PROJECT["urls"]["Repository"]
    assert set(PROJECT["urls"]) >= {"Repository", "Documentation", "Changelog", "Issues"}
    assert all(address.startswith(repository) for address in PROJECT["urls"].values())


def test_the_package_has_the_version_of_cargo() -> None:
    cargo = tomllib.loads((ROOT / "Cargo.toml").read_text(encoding="utf-8"))
    assert PROJECT["dynamic"] == ["version"]
    assert cargo["workspace"]["package"]["version"] == httpdyno.__version__
