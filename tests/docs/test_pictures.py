"""The pictures of the docs: who makes them, their size, and what they show to whom sees nothing."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pyte
import pytest
from browser import needs_browser
from pictures.animation import THEMES
from pictures.scenes import SCENES
from pictures.screen import html
from small_pngs import smaller
from terminal import Terminal

ROOT = Path(__file__).parents[2]
IMAGES = ROOT / "docs" / "images"
MOST_BYTES, MOST_TOGETHER = 150_000, 1_200_000
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def named() -> set[str]:
    """The pictures that some page shows."""
    text = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)
    return set(re.findall(r"images/([\w-]+\.(?:png|svg))", text))


def test_every_picture_is_shown_by_a_page_and_is_small() -> None:
    files = sorted(IMAGES.iterdir())
    assert {file.name for file in files} == named(), "run `make pictures`"
    for file in files:
        assert file.read_bytes().startswith((b"\x89PNG", b"<svg ")), file.name
        assert file.stat().st_size <= MOST_BYTES, file.name
    assert sum(file.stat().st_size for file in files) <= MOST_TOGETHER


def test_every_picture_is_taken_by_the_program() -> None:
    source = (ROOT / "tools" / "docs" / "pictures" / "scenes.py").read_text(encoding="utf-8")
    for name in named():
        stem = name.rpartition(".")[0]
        taken = '"first-{theme}"' if stem in {f"first-{theme}" for theme in THEMES} else f'"{stem}"'
        assert taken in source, name


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_picture_has_words_for_those_who_do_not_see_it(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for words in re.findall(r"!\[([^]]*)\]\(", text):
        assert len(words) > 20, words
    for tag in re.findall(r"^<img [^>]*>", text, re.MULTILINE):
        assert re.search(r'alt="[^"]{20,}"', tag), tag


@needs_browser
@pytest.mark.slow
@pytest.mark.skipif(shutil.which("pngquant") is None, reason="pngquant is not installed")
def test_the_program_takes_pictures_of_a_site_and_of_a_history(tmp_path: Path) -> None:
    paths = [ROOT / "tools" / "docs", ROOT / "tests" / "shared", ROOT / "python"]
    done = subprocess.run(
        [sys.executable, "-m", "pictures", str(tmp_path), "site", "history"],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(map(str, paths))},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert {file.name for file in tmp_path.iterdir()} == {"site.png", "arm.png", "history.png"}
    assert all(file.stat().st_size <= MOST_BYTES for file in tmp_path.iterdir())


def test_a_scene_that_does_not_exist_is_named_with_those_that_do(tmp_path: Path) -> None:
    paths = [ROOT / "tools" / "docs", ROOT / "tests" / "shared", ROOT / "python"]
    done = subprocess.run(
        [sys.executable, "-m", "pictures", str(tmp_path), "nothing"],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(map(str, paths))},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "no scene nothing" in done.stderr
    assert all(name in done.stderr for name in SCENES)


def screen(folder: Path, program: str, columns: int = 40) -> pyte.Screen:
    words = [sys.executable, "-c", program]
    with Terminal(words, columns, 20, cwd=folder, environment=dict(os.environ)) as terminal:
        terminal.end()
        return terminal.screen


def test_a_screen_is_shown_in_its_colours_and_without_markup_of_its_own(tmp_path: Path) -> None:
    shown = screen(tmp_path, r"print('gone\rkept <b>\x1b[1;31mred\x1b[0m')")
    page = html(shown, ["echo", "<i>", "--long", "a value that does not fit", "x"])
    assert "kept &lt;b&gt;" in page
    assert "gone" not in page
    assert '<span style="color:#ff7b72;font-weight:bold;">red</span>' in page
    assert "</b> echo '&lt;i&gt;' \\\n  --long 'a value that does not fit' \\\n  x\n" in page


def test_a_long_output_is_cut_and_says_so(tmp_path: Path) -> None:
    shown = screen(tmp_path, r"print('\n'.join(map(str, range(100, 110))))")
    page = html(shown, ["count"], most=4)
    assert re.findall(r"^(1\d\d|…)", page, re.MULTILINE) == ["100", "101", "102", "…"]
    assert "…" not in html(shown, ["count"], most=10)


@pytest.mark.skipif(shutil.which("pngquant") is None, reason="pngquant is not installed")
def test_a_picture_gets_a_palette() -> None:
    large = (ROOT / "docs" / "images" / "history.png").read_bytes()
    assert smaller(large)[25] == 3, "colour type 3: a palette"
