"""The pages agree with the tree: each path they name exists, CONTRIBUTING leads to each room."""

from __future__ import annotations

import json
import re
import subprocess
import tomllib
from itertools import takewhile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCES = {".py", ".rs"}


def tracked() -> list[Path]:
    """Every file of the repository that exists in the work tree."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return [Path(name) for name in listed.stdout.split("\0") if name and (ROOT / name).exists()]


FILES = tracked()
PATHS = {*FILES, *(folder for file in FILES for folder in file.parents)}
PAGES = [str(file) for file in FILES if file.suffix == ".md" and file.name != "CHANGELOG.md"]
TOP = {file.parts[0] for file in FILES}


def paths_in(page: str) -> set[Path]:
    """The paths of this repository that a page shows as code."""
    shown = re.findall(r"`([\w./-]+/[\w./-]*)`", (ROOT / page).read_text(encoding="utf-8"))
    return {Path(path) for path in shown if Path(path).parts[0] in TOP}


@pytest.mark.parametrize("page", PAGES)
def test_each_path_that_a_page_names_exists(page: str) -> None:
    assert sorted(paths_in(page) - PATHS) == []


ROOMS = {
    file.parent
    for file in FILES
    if file.suffix in SOURCES
    and file.name != "__init__.py"
    and (
        file.is_relative_to("python/httpdyno")
        or (file.parts[0], file.parts[2:3]) == ("crates", ("src",))
    )
    and "catalogue" not in file.parent.parts
}
"""Every folder of source files."""


def in_the_layout() -> set[Path]:
    """The paths of the tree that the layout shows; a line that is indented lies in the one above
    that is not."""
    page = (ROOT / "docs" / "decisions" / "layout.md").read_text(encoding="utf-8")
    found: set[Path] = set()
    outer: list[tuple[int, Path]] = []
    for line in page.split("```")[1].splitlines():
        indent = len(line) - len(line.lstrip())
        outer = [one for one in outer if one[0] < indent]
        within = outer[-1][1] if outer else Path()
        names = takewhile(re.compile(r"[\w./]+(?:/|\.py)").fullmatch, line.split())
        here = [within / name for name in names]
        outer += [(indent, path) for path in here[:1]]
        found |= {path for one in here for path in (one, one / "src")}
    return found


def test_the_layout_shows_each_folder_of_source_files() -> None:
    shown = in_the_layout()
    assert len(ROOMS) > 100
    assert sorted(ROOMS - shown - {path.parent for path in shown}) == []
    assert sorted(path for path in shown if path.name != "src" and path not in PATHS) == []


def test_contributing_leads_to_each_folder_of_source_files_or_to_one_around_it() -> None:
    named = paths_in("CONTRIBUTING.md")
    leading = {*named, *(path.parent for path in named)}
    lost = [room for room in ROOMS - leading if named.isdisjoint(room.parents)]
    assert sorted(lost) == []


def test_the_table_of_contributing_fits_on_a_screen() -> None:
    page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    table = page[page.index("| to do this |") :].split("\n\n")[0].splitlines()
    assert 30 <= len(table) - 2 <= 40


def test_the_required_rust_version_is_the_same_everywhere() -> None:
    package = tomllib.loads((ROOT / "Cargo.toml").read_text(encoding="utf-8"))["workspace"]
    required = package["package"]["rust-version"]
    for page in ("README.md", "CONTRIBUTING.md", "Makefile"):
        stated = re.findall(r"Rust (1\.\d+) or newer", (ROOT / page).read_text(encoding="utf-8"))
        assert stated == [required], page


def test_make_refuses_the_rust_version_before_the_required_one() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    (pattern,) = re.findall(r"cargo --version \| grep -qE '(.+?)'", makefile)
    (required,) = re.findall(r"Rust 1\.(\d+) or newer", makefile)
    accepted = [minor for minor in range(60, 200) if re.match(pattern, f"cargo 1.{minor}.0 (x)")]
    assert accepted == list(range(int(required), 200))


def test_the_required_rust_version_suits_each_locked_crate() -> None:
    command = ["cargo", "metadata", "--offline", "--locked", "--format-version", "1"]
    told = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    packages = json.loads(told.stdout)["packages"]
    ours = [package for package in packages if package["source"] is None]
    (required,) = {version(package["rust_version"]) for package in ours}
    for package in packages:
        needed = package["rust_version"] or "1.0"
        assert version(needed) <= required, f"{package['name']} needs Rust {needed}"


def version(text: str) -> tuple[int, ...]:
    """`1.88` as numbers that compare."""
    return tuple(int(part) for part in text.split(".")[:2])
