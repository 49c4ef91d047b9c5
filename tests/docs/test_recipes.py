"""The recipes of packaging/ name this version, its dependencies and its sdist."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from hashlib import sha256
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
NAMES = [re.split("[^a-z0-9-]", one)[0] for one in PROJECT["dependencies"]]


def fill(sdist: Path, folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(ROOT / "packaging" / "fill"), str(sdist), str(folder)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.fixture
def recipes(tmp_path: Path) -> dict[str, str]:
    """The text of each, by its folder."""
    sdist = tmp_path / "sdist.tar.gz"
    sdist.write_bytes(b"an sdist")
    done = fill(sdist, tmp_path / "recipes")
    assert done.returncode == 0, done.stderr
    files = (tmp_path / "recipes").glob("*/*")
    return {file.parent.name: file.read_text(encoding="utf-8") for file in files}


def test_a_filled_recipe_has_the_digest_and_no_place_left_to_fill(recipes: dict[str, str]) -> None:
    folders = {file.name for file in (ROOT / "packaging").iterdir() if file.is_dir()}
    assert recipes.keys() == {"aur", "conda-forge", "homebrew", "nix"} <= folders
    digest = sha256(b"an sdist").hexdigest()
    for name, text in recipes.items():
        assert re.search("@[A-Z0-9]+@", text) is None, name
        assert PROJECT["urls"]["Repository"] in text
        assert (digest in text) == (name != "nix")


def test_each_dependency_is_in_each_recipe_that_lists_them(recipes: dict[str, str]) -> None:
    conda = yaml.safe_load(recipes["conda-forge"])["requirements"]["run"]
    assert [one.split()[0] for one in conda] == ["python", *NAMES]
    arch = re.findall(r"^  'python-([\w-]+)'$", recipes["aur"], re.MULTILINE)
    assert arch == [name.replace("jinja2", "jinja") for name in NAMES]
    nix = re.search(r"dependencies = with python3Packages; \[(.*?)\]", recipes["nix"], re.DOTALL)
    assert nix is not None
    assert nix[1].split() == NAMES


def test_without_an_sdist_the_recipes_are_not_written(tmp_path: Path) -> None:
    done = fill(tmp_path / "none.tar.gz", tmp_path / "recipes")
    assert done.returncode == 1
    assert "hint: make dist PARTS=sdist" in done.stderr
    assert not (tmp_path / "recipes").exists()
